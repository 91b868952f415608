"""Evaluation of MutatingAdmissionPolicies.

Source: apiserver/pkg/admission/plugin/policy/mutating/{dispatcher,reinvocationcontext}.go, mutating/patch.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube_apiserver import conversion, errors
from kube_apiserver.admission import policy_matching
from kube_apiserver.admission.attributes import AdmissionRequest, Attributes, ClusterReader
from kube_apiserver.admission.policy_matching import PolicyContext, StoppedError, Trial
from kube_apiserver.budgets import Budget
from kube_apiserver.defaults import table as defaults
from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge.atomics import find_atomics
from kube_apiserver.structured_merge.json_patches import FailedTest, JSONPatchError, json_patch
from kube_apiserver.structured_merge.typed import TypeMismatch, check_type, merge
from kube_apiserver.writes import codec, decode, types
from kube_objects import expression_objects
from kube_objects.expression_objects import TypeNameError

Object = dict[str, Any]
Reinvoke = Callable[[Object], Object]

POLICY = "MutatingAdmissionPolicy"
_IF_NEEDED, _IGNORE = "IfNeeded", "Ignore"


@dataclass(frozen=True, slots=True)
class _Invocation:
    """A policy with one of its bindings and one of its parameters."""

    policy: Mapping[str, Any]
    binding: Mapping[str, Any]
    matched: Resource
    parameters: Mapping[str, Any] | None

    @property
    def spec(self) -> Mapping[str, Any]:
        return self.policy.get("spec") or {}

    @property
    def names(self) -> str:
        return f"policy '{self.policy['metadata']['name']}' with binding '{self.binding['metadata']['name']}'"


@dataclass(frozen=True, slots=True)
class _Problem:
    text: str
    reason: str


def admit(attributes: Attributes, reinvoke: Reinvoke) -> Object:
    """Return the object after the policies, or raise ApiError. `reinvoke` runs the plugins before the policies again.

    Managed fields stay as they are: fields that a policy adds have no manager.
    """
    value = attributes.value
    if attributes.request is None or attributes.subresource:
        return value
    request = attributes.request.about(attributes.live, value)
    if not policy_matching.pairs(request, attributes.world, POLICY):
        return value
    rounds = _Rounds(request, attributes.live, attributes.world, Budget())
    changed = rounds.run(value, None)
    if changed == value:
        return value
    # Policies with reinvocationPolicy IfNeeded run again. Their changes cause no further run.
    changed = rounds.run(reinvoke(changed), rounds.again)
    return {**changed, "metadata": types.restore_metadata(changed["metadata"], value["metadata"], ("managedFields",))}


class _Rounds:
    """The runs over all policies: the first, and one more for policies whose input changed after them."""

    def __init__(
        self, request: AdmissionRequest, live: Mapping[str, Any] | None, world: ClusterReader, budget: Budget
    ) -> None:
        self._request, self._live, self._world, self._budget = request, live, world, budget
        self._last: Object | None = None
        self._before = set[str]()
        self._due = set[str]()

    @property
    def again(self) -> set[str]:
        return self._due

    def run(self, value: Object, only: set[str] | None) -> Object:
        """Run the policies. `only` has the names of the invocations to run, None for all."""
        if only is not None and value != self._last:
            self._require()
        problems = list[_Problem]()
        place = PolicyContext(self._request, self._live, value, self._world, self._budget)
        for invocation in list(self._invocations(place, problems)):
            place = PolicyContext(self._request, self._live, value, self._world, self._budget)
            name = f"{invocation.names} {(invocation.parameters or {}).get('metadata')}"
            trial = Trial(place, invocation.matched, invocation.parameters)
            try:
                if not trial.meets(invocation.spec.get("matchConditions") or ()):
                    continue
            except StoppedError as why:
                self._report(invocation, str(why), problems)
                continue
            if only is not None and name not in self._due:
                continue
            before = value
            value = self._mutated(invocation, value, problems)
            if value != before:
                self._require()
            if invocation.spec.get("reinvocationPolicy") == _IF_NEEDED:
                self._before.add(name)
        self._last = value
        if problems:
            raise _refused(self._request, problems)
        return value

    def _require(self) -> None:
        self._due |= self._before
        self._before = set()

    def _invocations(self, place: PolicyContext, problems: list[_Problem]) -> Iterator[_Invocation]:
        for policy, binding in policy_matching.pairs(self._request, self._world, POLICY):
            matched = place.bound(policy, binding)
            if matched is None:
                continue
            kind, ref = (policy.get("spec") or {}).get("paramKind"), (binding.get("spec") or {}).get("paramRef")
            try:
                for each in policy_matching.parameters(place, kind, ref):
                    yield _Invocation(policy, binding, matched, each)
            except StoppedError as why:
                self._report(_Invocation(policy, binding, matched, None), str(why), problems, "Forbidden")

    @staticmethod
    def _report(invocation: _Invocation, why: str, problems: list[_Problem], reason: str = "Invalid") -> None:
        if invocation.spec.get("failurePolicy") != _IGNORE:
            problems.append(_Problem(f"{invocation.names} denied request: {why}", reason))

    def _mutated(self, invocation: _Invocation, value: Object, problems: list[_Problem]) -> Object:
        """Apply all mutations of one policy, in their order."""
        for mutation in invocation.spec.get("mutations") or ():
            place = PolicyContext(self._request, self._live, value, self._world, self._budget)
            trial = Trial(place, invocation.matched, invocation.parameters)
            trial.compose_all(invocation.spec.get("variables") or ())
            seen = codec.encode_object(invocation.matched, dict(conversion.answer(invocation.matched, value)))
            try:
                made = _patched(invocation.matched, seen, mutation, trial)
            except (StoppedError, _FailedPatchError) as why:
                self._report(invocation, str(why), problems)
                continue
            if conversion_error := _unconvertible(invocation.matched, self._request.spoken):
                self._report(invocation, conversion_error, problems)
                continue
            made = dict(conversion.into(invocation.matched, made))
            defaults.set_defaults(self._request.resource, made)
            value = codec.encode_object(self._request.resource, made, keeps_empty=True)
        return value


def _unconvertible(matched: Resource, spoken: Resource) -> str:
    """Return upstream's error: it can't convert a built-in object back from another version."""
    if matched.custom is not None or matched == spoken:
        return ""
    old, new = (f"({each.version}.{each.manifest_kind})" for each in (matched, spoken))
    return f"converting {old} to {new}: unknown conversion"


class _FailedPatchError(Exception):
    """The reason why a mutation can't be applied."""


def _patched(resource: Resource, value: Object, mutation: Mapping[str, Any], trial: Trial) -> Object:
    try:
        if mutation.get("patchType") == "JSONPatch":
            return _by_operations(resource, value, trial.evaluated(_expression(mutation, "jsonPatch")))
        return _by_configuration(resource, value, trial.evaluated(_expression(mutation, "applyConfiguration")))
    except TypeNameError as wrong:
        raise _FailedPatchError(f"type mismatch: {wrong}") from wrong


def _expression(mutation: Mapping[str, Any], key: str) -> str:
    return str((mutation.get(key) or {}).get("expression") or "").strip()


def _by_operations(resource: Resource, value: Object, made: Any) -> Object:
    operations = []
    for operation in made if isinstance(made, list) else ():
        if expression_objects.type_of(operation) != "JSONPatch":
            raise _FailedPatchError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch")
        plain = {key: item for key, item in operation.items() if key in ("op", "path", "from")}
        operations.append(
            plain | ({"value": expression_objects.plain(operation["value"])} if "value" in operation else {})
        )
    try:
        patched = json_patch(value, operations)
    except FailedTest:
        return value
    except JSONPatchError as wrong:
        raise _FailedPatchError(f"JSON Patch: {wrong}") from wrong
    try:
        patched, unknown = decode.decoded(resource, patched, keeps_empty=True)
    except errors.ApiError as wrong:
        # The message contains Go's text without the context that `decode` adds.
        text = str(wrong).partition(f"as a {resource.manifest_kind}: ")[2] or str(wrong)
        raise errors.internal(text) from wrong
    if unknown:
        raise errors.internal("strict decoding error: " + ", ".join(decode.strict_errors(unknown, ())))
    _check_kind(resource, patched)
    return patched


def _check_kind(resource: Resource, value: Mapping[str, Any]) -> None:
    """Raise ApiError for an object of another kind, which the server can't convert back."""
    version, kind = str(value.get("apiVersion") or ""), str(value.get("kind") or "")
    if (version, kind) == (resource.api_version, resource.manifest_kind):
        return
    if not decode.is_registered(version, kind):
        raise errors.internal(decode.not_registered(version, kind))
    old = f"{version.rpartition('/')[2]}.{kind}"
    into = f"{resource.group.partition('.')[0] or 'core'}.{resource.manifest_kind}"
    raise errors.internal(f"converting ({old}) to ({into}): unknown conversion")


def _by_configuration(resource: Resource, value: Object, made: Any) -> Object:
    if expression_objects.type_of(made) != "Object":
        raise _FailedPatchError("unsupported return type from ApplyConfiguration expression")
    patch = {**expression_objects.plain(made), "apiVersion": resource.api_version, "kind": resource.manifest_kind}
    manager = types.field_manager(resource)
    try:
        patch = json.loads(json.dumps(patch))
        applied = check_type(patch, manager.schema, manager.type)
    except TypeMismatch as wrong:
        text = f"error applying patch: failed to convert patch object to typed object: {wrong}"
        raise _FailedPatchError(text) from wrong
    if found := find_atomics(applied):
        text = f"may not mutate atomic arrays, maps or structs: {', '.join(found)}"
        raise _FailedPatchError(f"error applying patch: invalid ApplyConfiguration: {text}")
    try:
        live = check_type(value, manager.schema, manager.type, allow_duplicates=True)
        merged: Object = merge(live, applied).value
    except TypeMismatch as wrong:
        raise _FailedPatchError(f"error applying patch: failed to merge patch: {wrong}") from wrong
    return decode.converted(resource, merged, keeps_empty=True)


def _refused(request: AdmissionRequest, problems: list[_Problem]) -> errors.ApiError:
    """Return the error of failed invocations. Source: generic/policy_dispatcher.go."""
    found = errors.refused(request.resource, request.name, "")
    details = {**(found.status.get("details") or {}), "causes": [{"message": each.text} for each in problems]}
    return errors.ApiError(403, problems[0].reason, problems[0].text, details)
