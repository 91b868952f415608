"""Evaluation of ValidatingAdmissionPolicies.

Source: apiserver/pkg/admission/plugin/policy/validating/{dispatcher,validator}.go. A policy applies through its
bindings, from the moment that these are written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_apiserver import broken_rules, errors
from kube_apiserver.admission import policy_matching
from kube_apiserver.admission.attributes import AdmissionRequest, Attributes, ClusterReader
from kube_apiserver.admission.policy_matching import PolicyContext, StoppedError, Trial
from kube_apiserver.budgets import Budget
from kube_apiserver.writes import codec, scales
from kube_objects import expressions

Object = Mapping[str, Any]

POLICY = "ValidatingAdmissionPolicy"
_DENY, _WARN = "Deny", "Warn"
_CODES = {"Forbidden": 403, "Unauthorized": 401, "RequestEntityTooLarge": 413, "Invalid": 422}


@dataclass(frozen=True, slots=True)
class _Denial:
    """A denied write. `is_final`: deny, whatever the binding's `validationActions` are."""

    policy: str
    binding: str
    message: str
    reason: str = ""
    is_final: bool = False

    @property
    def text(self) -> str:
        return f"{POLICY} '{self.policy}' with binding '{self.binding}' denied request: {self.message}"


def check(request: AdmissionRequest, live: Object | None, value: Object | None, world: ClusterReader) -> list[str]:
    """Return the warnings of the policies, or raise ApiError if a policy denies the write."""
    return _check(PolicyContext(request, live, value, world, Budget()), policy_matching.pairs(request, world, POLICY))


def validate(attributes: Attributes) -> list[str]:
    """Run the policies over a create or an update. They see the Scale when a workload is scaled."""
    if attributes.request is None:
        return []
    resource, live = attributes.resource, attributes.live
    request = attributes.request.about(live, attributes.value)
    pairs = policy_matching.pairs(request, attributes.world, POLICY)
    if not pairs:
        return []
    value: Object = codec.encode_object(resource, attributes.value)
    if attributes.subresource == "scale" and live is not None:
        live, value = scales.scale(resource, live), scales.scale(resource, value)
    return _check(PolicyContext(request, live, value, attributes.world, Budget()), pairs)


def _check(place: PolicyContext, pairs: Sequence[tuple[Object, Object]]) -> list[str]:
    denied, warnings = list[_Denial](), list[str]()
    for policy, binding in pairs:
        actions = (binding.get("spec") or {}).get("validationActions") or ()
        for each in _denials(place, policy, binding):
            denied += [each] if _DENY in actions or each.is_final else []
            if _WARN in actions and not each.is_final:
                text = f"Validation failed for {POLICY} '{each.policy}' with binding '{each.binding}': {each.message}"
                warnings.append(text)
    if denied:
        refusal = _refused(place.request, denied[0])
        refusal.warnings += warnings
        raise refusal
    return warnings


def _refused(request: AdmissionRequest, denial: _Denial) -> errors.ApiError:
    found = errors.refused(request.resource, request.name, denial.text)
    reason = denial.reason or "Invalid"
    details = {**(found.status.get("details") or {}), "causes": [{"message": denial.text}]}
    return errors.ApiError(_CODES[reason], reason, str(found.status["message"]), details)


def _denials(place: PolicyContext, policy: Object, binding: Object) -> Iterator[_Denial]:
    """Yield the denials of one policy with one of its bindings."""
    spec, bound = policy.get("spec") or {}, binding.get("spec") or {}
    names = str(policy["metadata"]["name"]), str(binding["metadata"]["name"])
    matched = place.bound(policy, binding)
    if matched is None:
        return
    fails = spec.get("failurePolicy") != "Ignore"
    try:
        parameters = policy_matching.parameters(place, spec.get("paramKind"), bound.get("paramRef"))
    except StoppedError as why:
        if fails:
            yield _Denial(*names, str(why))
        return
    for each in parameters:
        for found in _results(spec, Trial(place, matched, each)):
            if fails or not found.is_error:
                yield _Denial(*names, found.message, found.reason, found.is_final)


@dataclass(frozen=True, slots=True)
class _Result:
    """A failed validation. `is_error`: its expression could not be evaluated."""

    message: str
    reason: str = ""
    is_error: bool = True
    is_final: bool = False


def _results(spec: Object, trial: Trial) -> Iterator[_Result]:
    try:
        if not trial.meets(spec.get("matchConditions") or ()):
            return
    except StoppedError as why:
        yield _Result(str(why))
        return
    trial.compose_all(spec.get("variables") or ())
    for entry in spec.get("validations") or ():
        expression = str(entry.get("expression"))
        try:
            if trial.evaluated(expression) is True:
                continue
        except StoppedError as why:
            yield _Result(str(why))
            continue
        yield _Result(_message(entry, trial), str(entry.get("reason") or ""), is_error=False)
    for entry in spec.get("auditAnnotations") or ():
        if wrong := _wrong_annotation(str(entry.get("valueExpression")), trial):
            yield _Result(wrong, is_final=True)


def _message(validation: Object, trial: Trial) -> str:
    def evaluated(expression: str) -> Any:
        try:
            return trial.evaluated(expression)
        except StoppedError:
            return None

    failed = f"failed expression: {str(validation.get('expression')).strip()}"
    return broken_rules.message(validation, evaluated, failed)


def _wrong_annotation(expression: str, trial: Trial) -> str:
    """Return the error of an audit annotation, or "". Valid annotations are ignored, because there is no audit log."""
    try:
        value = trial.evaluated(expression)
    except StoppedError as why:
        return str(why)
    if value is None or isinstance(value, str):
        return ""
    text = f"valueExpression '{expression}' resulted in unsupported return type: {expressions.type_name(value)}"
    return f"{text}. Return type must be either string or null."
