"""Admission policies at work: what stored ValidatingAdmissionPolicies say of a write.

Source: apiserver/pkg/admission/plugin/policy/validating/{dispatcher,validator}.go, policy/matching. A policy is found
by its bindings, from the moment that these are written. Other versions of a resource (`matchPolicy`) and the variable
`authorizer` are not there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubernetes_api import broken_rules, errors
from kubernetes_api.access import Who
from kubernetes_api.admission.world import World
from kubernetes_api.budgets import OUT_OF_BUDGET, Budget
from kubernetes_api.matching import selects
from kubernetes_api.resources import Resource, table
from kubernetes_api.writes import scales
from scheduler_core.objects import expressions
from scheduler_core.text.errors import SelectorError

Object = Mapping[str, Any]

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
_OWN_GROUP, _OWN = "admissionregistration.k8s.io", "AdmissionPolic"
_DENY, _WARN = "Deny", "Warn"
_CODES = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413, "Invalid": 422}
_MOST_BINDINGS = 100
_NO_PARAMETERS = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
_NO_KIND = "failed to configure policy: failed to find resource referenced by paramKind: '{}'"


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A write that policies look at: CREATE, UPDATE or DELETE of an object."""

    operation: str
    resource: Resource
    namespace: str
    name: str
    door: str = ""
    who: Who | None = None
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Denial:
    policy: str
    binding: str
    message: str
    reason: str = ""

    @property
    def text(self) -> str:
        return f"{POLICY} '{self.policy}' with binding '{self.binding}' denied request: {self.message}"


class _StoppedError(Exception):
    """Why an expression says nothing."""


def check(request: AdmissionRequest, live: Object | None, value: Object | None, world: World) -> list[str]:
    """What a client is warned of; ApiError for what a policy denies."""
    resource = request.resource
    bindings = list(world.list(BINDING))[:_MOST_BINDINGS]
    if not bindings or (resource.group == _OWN_GROUP and _OWN in resource.kind):
        return []
    policies = {str(each["metadata"]["name"]): each for each in world.list(POLICY)}
    denied, warnings = list[_Denial](), list[str]()
    place = _Place(request, live, value, world, Budget())
    for binding in sorted(bindings, key=lambda each: str((each.get("spec") or {}).get("policyName"))):
        spec = binding.get("spec") or {}
        policy = policies.get(str(spec.get("policyName")))
        if policy is None:
            continue
        for each in _denials(place, policy, binding):
            actions = spec.get("validationActions") or ()
            denied += [each] if _DENY in actions else []
            if _WARN in actions:
                text = f"Validation failed for {POLICY} '{each.policy}' with binding '{each.binding}': {each.message}"
                warnings.append(text)
    if denied:
        refusal = _refused(request, denied[0])
        refusal.warnings += warnings
        raise refusal
    return warnings


def _refused(request: AdmissionRequest, denial: _Denial) -> errors.ApiError:
    found = errors.refused(request.resource, request.name, denial.text)
    reason = denial.reason or "Invalid"
    details = {**(found.status.get("details") or {}), "causes": [{"message": denial.text}]}
    return errors.ApiError(_CODES[reason], reason, str(found.status["message"]), details)


def _denials(place: "_Place", policy: Object, binding: Object) -> Iterator[_Denial]:
    """What one policy, bound by one binding, has against it."""
    spec, bound = policy.get("spec") or {}, binding.get("spec") or {}
    names = str(policy["metadata"]["name"]), str(binding["metadata"]["name"])
    constraints = spec.get("matchConstraints") or {}
    if not constraints.get("resourceRules") or not place.fits(constraints):
        return
    if bound.get("matchResources") is not None and not place.fits(bound["matchResources"]):
        return
    fails = spec.get("failurePolicy") != "Ignore"
    try:
        parameters = _parameters(place, spec.get("paramKind"), bound.get("paramRef"))
    except _StoppedError as why:
        if fails:
            yield _Denial(*names, str(why))
        return
    for each in parameters:
        for message, reason, is_error in _results(spec, _Trial(place.variables(each), place.budget)):
            if fails or not is_error:
                yield _Denial(*names, message, reason)


def _results(spec: Object, trial: "_Trial") -> Iterator[tuple[str, str, bool]]:
    """Message, reason, and whether it is only that something could not be evaluated."""
    try:
        for condition in spec.get("matchConditions") or ():
            if trial.evaluated(str(condition.get("expression"))) is not True:
                return
    except _StoppedError as why:
        yield str(why), "", True
        return
    for each in spec.get("variables") or ():
        try:
            trial.compose(str(each.get("name")), trial.evaluated(str(each.get("expression"))))
        except _StoppedError:
            # An expression that uses it has no such key.
            continue
    for each in spec.get("validations") or ():
        expression = str(each.get("expression"))
        try:
            if trial.evaluated(expression) is True:
                continue
        except _StoppedError as why:
            yield str(why), "", True
            continue
        yield _message(each, trial), str(each.get("reason") or ""), False


def _message(validation: Object, trial: "_Trial") -> str:
    def evaluated(expression: str) -> Any:
        try:
            return trial.evaluated(expression)
        except _StoppedError:
            return None

    failed = f"failed expression: {str(validation.get('expression')).strip()}"
    return broken_rules.message(validation, evaluated, failed)


class _Trial:
    """Variables, and what expressions make of them: what takes too much is not tried."""

    def __init__(self, variables: dict[str, Any], budget: Budget) -> None:
        self._variables, self._budget = variables, budget

    def compose(self, name: str, found: Any) -> None:
        """A variable more, for those after it."""
        self._variables["variables"][name] = found

    def evaluated(self, expression: str) -> Any:
        if not self._budget.allows(expression, self._variables):
            raise _StoppedError(OUT_OF_BUDGET)
        try:
            return expressions.value(expression, self._variables)
        except SelectorError as wrong:
            raise _StoppedError(f"expression '{expression}' resulted in error: {wrong}") from wrong


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a write is, what policies may look at, and what all of them may take."""

    request: AdmissionRequest
    live: Object | None
    value: Object | None
    world: World
    budget: Budget

    def fits(self, wanted: Object) -> bool:
        """Source: policy/matching/matching.go Matcher.Matches."""
        if not self._fits_namespace(wanted.get("namespaceSelector")) or not self._fits_object(wanted):
            return False
        if any(self._fits_rule(each) for each in wanted.get("excludeResourceRules") or ()):
            return False
        rules = wanted.get("resourceRules") or ()
        return not rules or any(self._fits_rule(each) for each in rules)

    def _fits_namespace(self, selector: Any) -> bool:
        if not selector or not (namespace := self._namespace()):
            return True
        return selects(selector, (namespace.get("metadata") or {}).get("labels") or {})

    def _fits_object(self, wanted: Object) -> bool:
        selector = wanted.get("objectSelector")
        there = [each for each in (self.value, self.live) if each is not None]
        return not selector or any(selects(selector, each["metadata"].get("labels") or {}) for each in there)

    def _fits_rule(self, rule: Object) -> bool:
        request, resource = self.request, self.request.resource
        names = rule.get("resourceNames") or ()
        scopes = ("*", "Namespaced" if resource.namespaced else "Cluster")
        return (
            _has(rule.get("operations"), request.operation)
            and _has(rule.get("apiGroups"), resource.group)
            and _has(rule.get("apiVersions"), resource.version)
            and any(_covers(str(each), resource.name, request.door) for each in rule.get("resources") or ())
            and (not names or request.name in names)
            and (rule.get("scope") or "*") in scopes
        )

    def _namespace(self) -> Object | None:
        if self.request.resource.kind == "Namespace":
            return self.value or self.live
        return self.world.get("Namespace", self.request.namespace) if self.request.namespace else None

    def variables(self, parameters: Object | None) -> dict[str, Any]:
        is_namespace = self.request.resource.kind == "Namespace"
        return {
            "object": self.value,
            "oldObject": self.live,
            "request": _request(self.request),
            "namespaceObject": None if is_namespace else self._namespace(),
            "params": parameters,
            "variables": {},
        }


def _request(request: AdmissionRequest) -> dict[str, Any]:
    resource, who = request.resource, request.who
    of = scales.SCALE if request.door == "scale" else resource
    kind = {"group": of.group, "version": of.version, "kind": of.manifest_kind}
    named = {"group": resource.group, "version": resource.version, "resource": resource.name}
    user = {"username": who.name, "uid": who.uid, "groups": list(who.groups)} if who else {}
    return {
        "kind": kind,
        "resource": named,
        "subResource": request.door,
        "requestKind": kind,
        "requestResource": named,
        "requestSubResource": request.door,
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": user,
        "dryRun": request.is_dry_run,
    }


def _has(given: Any, name: str) -> bool:
    return "*" in (given or ()) or name in (given or ())


def _covers(pattern: str, resource: str, door: str) -> bool:
    """Source: webhook/predicates/rules."""
    wanted, _, wanted_door = pattern.partition("/")
    return wanted in ("*", resource) and (wanted_door == door or wanted_door == "*")


def _parameters(place: _Place, kind: Any, reference: Any) -> Sequence[Object | None]:
    """Source: policy/generic CollectParams."""
    if not kind or not reference:
        return [None]
    version = str(kind.get("apiVersion") or "")
    found = next(
        (each for each in table().values() if each.kind == kind.get("kind") and each.api_version == version), None
    )
    if found is None:
        raise _StoppedError(_NO_KIND.format(f"{version}, Kind={kind.get('kind')}"))
    namespace = str(reference.get("namespace") or place.request.namespace) if found.namespaced else ""
    there: list[Object | None] = []
    if reference.get("name"):
        one = place.world.get(found.kind, str(reference["name"]), namespace)
        there = [one] if one is not None else []
    else:
        each: Object
        for each in place.world.list(found.kind, namespace):
            if selects(reference.get("selector"), each["metadata"].get("labels") or {}):
                there.append(each)
    if not there and reference.get("parameterNotFoundAction") == _DENY:
        raise _StoppedError(_NO_PARAMETERS)
    return there
