"""Policy matching: the policies that apply to a write, and the CEL variables of their expressions.

Source: apiserver/pkg/admission/plugin/policy/{matching,generic}, admission/plugin/cel.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.access import AuthorizationAttributes
from kube_apiserver.admission import authorizer
from kube_apiserver.admission.attributes import AdmissionRequest, ClusterReader
from kube_apiserver.budgets import CALL_LIMIT, Budget, OutOfBudgetError
from kube_apiserver.custom import definitions
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes import scales
from kube_objects.selectors import selects
from kube_objects.text.errors import SelectorError

Object = Mapping[str, Any]

_DENY, _EXACT = "Deny", "Exact"
_OWN_GROUP, _OWN = "admissionregistration.k8s.io", "AdmissionPolic"
_MOST_BINDINGS = 100
_NO_PARAMETERS = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
_NO_KIND = "failed to configure policy: failed to find resource referenced by paramKind: '{}'"


class StoppedError(Exception):
    """The reason why an expression has no value."""


class Trial:
    """An evaluator of one policy's expressions, with its variables. It rejects expressions that cost too much."""

    def __init__(self, place: "PolicyContext", matched: Resource, parameters: Object | None) -> None:
        self._variables, self._budget = place.variables(matched, parameters), place.budget
        self._request = place.request

    def compose_all(self, variables: Sequence[Object]) -> None:
        for each in variables:
            try:
                self.compose(str(each.get("name")), self.evaluated(str(each.get("expression"))))
            except StoppedError:
                # Expressions that use this variable fail, because the key is missing.
                continue

    def meets(self, conditions: Sequence[Object]) -> bool:
        """Return True if all conditions hold.

        A false one wins over errors of others. Source: webhook/matchconditions.
        """
        problems = list[str]()
        for each in conditions:
            try:
                if self.evaluated(str(each.get("expression"))) is not True:
                    return False
            except StoppedError as why:
                problems.append(str(why))
        if problems:
            raise StoppedError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
        return True

    def compose(self, name: str, found: Any) -> None:
        """Add a variable for later expressions."""
        self._variables["variables"][name] = found

    def evaluated(self, expression: str) -> Any:
        """Return the value of an expression. Raise StoppedError."""
        checks = authorizer.Checks(self._request.who, self._request.decide)
        try:
            value = self._budget.value(expression, self._variables, checks.functions)
            if checks.has_too_many:
                raise SelectorError(CALL_LIMIT)
            return value
        except OutOfBudgetError as spent:
            raise StoppedError(str(spent)) from spent
        except SelectorError as wrong:
            raise StoppedError(f"expression '{expression}' resulted in error: {wrong}") from wrong


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """One write for policies: the request, the object before and after it, a cluster reader and the CEL budget."""

    request: AdmissionRequest
    live: Object | None
    value: Object | None
    world: ClusterReader
    budget: Budget

    def bound(self, policy: Object, binding: Object) -> Resource | None:
        """Return the version that a policy with this binding matches, or None if it doesn't match."""
        constraints = (policy.get("spec") or {}).get("matchConstraints") or {}
        resources = (binding.get("spec") or {}).get("matchResources")
        if not constraints.get("resourceRules") or (resources is not None and self.fits(resources) is None):
            return None
        return self.fits(constraints)

    def fits(self, wanted: Object) -> Resource | None:
        """Return the version of the object that the constraints match, or None. Source: Matcher.Matches."""
        if not self._fits_namespace(wanted.get("namespaceSelector")) or not self._fits_object(wanted):
            return None
        if self._matched(wanted, "excludeResourceRules") is not None:
            return None
        return self._matched(wanted, "resourceRules") if wanted.get("resourceRules") else self.request.spoken

    def _matched(self, wanted: Object, key: str) -> Resource | None:
        """Return the version that a rule matches, or None. Source: matchesResourceRules."""
        others = () if wanted.get("matchPolicy") == _EXACT else self.request.others
        versions = (self.request.spoken, *(each for each in others if each != self.request.spoken))
        rules = wanted.get(key) or ()
        return next((each for each in versions for rule in rules if self._fits_rule(rule, each)), None)

    def _fits_namespace(self, selector: Any) -> bool:
        if not selector or not (namespace := self._namespace()):
            return True
        return selects(selector, (namespace.get("metadata") or {}).get("labels") or {})

    def _fits_object(self, wanted: Object) -> bool:
        selector = wanted.get("objectSelector")
        there = [each for each in (self.value, self.live) if each is not None]
        return not selector or any(selects(selector, each["metadata"].get("labels") or {}) for each in there)

    def _fits_rule(self, rule: Object, resource: Resource) -> bool:
        request = self.request
        names = rule.get("resourceNames") or ()
        scopes = ("*", "Namespaced" if resource.namespaced else "Cluster")
        return (
            _has(rule.get("operations"), request.operation)
            and _has(rule.get("apiGroups"), resource.group)
            and _has(rule.get("apiVersions"), resource.version)
            and any(_covers(str(each), resource.name, request.subresource) for each in rule.get("resources") or ())
            and (not names or request.name in names)
            and (rule.get("scope") or "*") in scopes
        )

    def _namespace(self) -> Object | None:
        if self.request.resource.kind == "Namespace":
            return self.value or self.live
        return self.world.get("Namespace", self.request.namespace) if self.request.namespace else None

    def variables(self, matched: Resource, parameters: Object | None) -> dict[str, Any]:
        is_namespace = self.request.resource.kind == "Namespace"
        value, live = (
            each if each is None or self.request.subresource == "scale" else conversion.answer(matched, each)
            for each in (self.value, self.live)
        )
        return {
            "object": value,
            "oldObject": live,
            "request": _request(self.request, matched),
            "authorizer": authorizer.make_variable(_named(self.request)),
            "namespaceObject": None if is_namespace else self._namespace(),
            "params": parameters,
            "variables": {},
        }


def _request(request: AdmissionRequest, matched: Resource) -> dict[str, Any]:
    who = request.who
    (kind, named), (sent_kind, sent_named) = (_names(each, request.subresource) for each in (matched, request.spoken))
    user = {"username": who.name, "uid": who.uid, "groups": list(who.groups)} if who else {}
    return {
        "kind": kind,
        "resource": named,
        "subResource": request.subresource,
        "requestKind": sent_kind,
        "requestResource": sent_named,
        "requestSubResource": request.subresource,
        "name": request.name,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": user,
        "dryRun": request.is_dry_run,
    }


def _names(resource: Resource, subresource: str) -> tuple[Object, Object]:
    sent_resource = scales.SCALE if subresource == "scale" else resource
    kind = {"group": sent_resource.group, "version": sent_resource.version, "kind": sent_resource.manifest_kind}
    return kind, {"group": resource.group, "version": resource.version, "resource": resource.name}


def _named(request: AdmissionRequest) -> AuthorizationAttributes:
    """Return the attributes of the request, without a verb."""
    spoken = request.spoken
    resource = f"{spoken.name}/{request.subresource}" if request.subresource else spoken.name
    return AuthorizationAttributes("", spoken.group, resource, request.namespace, request.name)


def _has(given: Any, name: str) -> bool:
    return "*" in (given or ()) or name in (given or ())


def _covers(pattern: str, resource: str, subresource: str) -> bool:
    """Return True if a rule's pattern matches a resource and its subresource. Source: webhook/predicates/rules."""
    wanted, _, wanted_subresource = pattern.partition("/")
    return wanted in ("*", resource) and (wanted_subresource == subresource or wanted_subresource == "*")


def pairs(request: AdmissionRequest, world: ClusterReader, kind: str) -> Sequence[tuple[Object, Object]]:
    """Return the policies of a kind with each of their bindings, by name. Writes of policies match none."""
    bindings = list(world.list(f"{kind}Binding"))[:_MOST_BINDINGS]
    if not bindings or (request.resource.group == _OWN_GROUP and _OWN in request.resource.kind):
        return []
    policies = {str(each["metadata"]["name"]): each for each in world.list(kind)}
    named = ((str((each.get("spec") or {}).get("policyName")), each) for each in bindings)
    return [(policies[name], each) for name, each in sorted(named, key=lambda pair: pair[0]) if name in policies]


def _list_custom_resources(world: ClusterReader) -> Iterator[Resource]:
    """Yield the custom resources. Callers read them only for a kind that isn't built in."""
    yield from definitions.resources(world.list(definitions.KIND))


def parameters(place: PolicyContext, kind: Any, reference: Any) -> Sequence[Object | None]:
    """Return the parameters of a binding, or [None] if its policy has none. Source: policy/generic CollectParams."""
    if not kind or not reference:
        return [None]
    version, name = str(kind.get("apiVersion") or ""), kind.get("kind")
    served = chain(table().values(), _list_custom_resources(place.world))
    resource = next(
        (candidate for candidate in served if candidate.manifest_kind == name and candidate.api_version == version),
        None,
    )
    if resource is None:
        raise StoppedError(_NO_KIND.format(f"{version}, Kind={name}"))
    namespace = str(reference.get("namespace") or place.request.namespace) if resource.namespaced else ""
    parameter_objects: list[Object | None] = []
    if reference.get("name"):
        parameter = place.world.get(resource.kind, str(reference["name"]), namespace)
        parameter_objects = [parameter] if parameter is not None else []
    else:
        candidate: Object
        for candidate in place.world.list(resource.kind, namespace):
            if selects(reference.get("selector"), candidate["metadata"].get("labels") or {}):
                parameter_objects.append(candidate)
    if not parameter_objects and reference.get("parameterNotFoundAction") == _DENY:
        raise StoppedError(_NO_PARAMETERS)
    return parameter_objects
