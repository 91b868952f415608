"""Priority: the priority and the preemption policy of a Pod, from its class. Source: plugin/pkg/admission/priority."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from kube_apiserver.admission.attributes import Attributes
from kube_objects.kinds.scheduling.priority_class import SYSTEM_CLASSES, PriorityClass
from kube_objects.kinds.storage_kind import storage_kind
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem

C = TypeVar("C")

_PREEMPTS = "PreemptLowerPriority"
_COMPUTED = "must not be provided in pod spec; priority admission controller computed"


def admit(attributes: Attributes) -> dict[str, Any]:
    """Set the priority of a new Pod. An update that leaves it out doesn't change it."""
    pod = attributes.value
    if attributes.resource.kind != "Pod":
        return pod
    spec = pod["spec"]
    if attributes.live is not None:
        before = attributes.live.get("spec") or {}
        left_out = {
            name: before[name]
            for name in ("priority", "preemptionPolicy")
            if spec.get(name) is None and before.get(name) is not None
        }
        return {**pod, "spec": {**spec, **left_out}} if left_out else pod
    chosen = _class_of(attributes)
    value, policy = 0, _PREEMPTS
    if chosen is not None:
        spec = {**spec, "priorityClassName": chosen["metadata"]["name"]}
        value, policy = int(chosen.get("value") or 0), chosen.get("preemptionPolicy") or _PREEMPTS
    given = spec.get("priority")
    if given is not None and given != value:
        message = f"the integer value of priority ({given}) {_COMPUTED} {value} from the given PriorityClass name"
        raise attributes.forbidden(message)
    if spec.get("preemptionPolicy") not in (None, policy):
        message = f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) {_COMPUTED} {policy}"
        raise attributes.forbidden(f"{message} from the given PriorityClass name")
    return {**pod, "spec": {**spec, "priority": value, "preemptionPolicy": policy}}


def _class_of(attributes: Attributes) -> Mapping[str, Any] | None:
    name = attributes.value["spec"].get("priorityClassName")
    if not name:
        marked = [each for each in attributes.world.list("PriorityClass") if each.get("globalDefault")]
        return default_class(marked, lambda each: (int(each.get("value") or 0), str(each["metadata"]["name"])))
    chosen = attributes.world.get("PriorityClass", str(name))
    if chosen is None:
        raise attributes.forbidden(f"no PriorityClass with name {name} was found")
    return chosen


def validate(attributes: Attributes) -> list[str]:
    """Refuse a second default PriorityClass."""
    value, name = attributes.value, attributes.name
    if attributes.resource.kind != "PriorityClass" or not value.get("globalDefault"):
        return []
    others = [each for each in attributes.world.list("PriorityClass") if each.get("globalDefault")]
    others = [each for each in others if each["metadata"]["name"] != name]
    if others:
        already = f"PriorityClass {others[0]['metadata']['name']} is already marked as default"
        raise attributes.forbidden(f"{already}. Only one default can exist")
    return []


def default_class(marked: Iterable[C], value_and_name: Callable[[C], tuple[int, str]]) -> C | None:
    """Return the default PriorityClass: the lowest of those that are marked. Source: getDefaultPriorityClass."""
    return min(marked, key=value_and_name, default=None)


def admit_manifest(
    manifest: Mapping[str, Any], classes: Iterable[PriorityClass], path: str
) -> tuple[Mapping[str, Any], list[Problem]]:
    """Return a manifest of the dashboard or of a controller with the priority of its class, and its problems.

    A Pod that has a priority doesn't change, nor does one without a class if there is no default class.
    """
    spec = manifest.get("spec")
    is_pod = storage_kind(str(manifest.get("apiVersion") or ""), str(manifest.get("kind"))) == "Pod"
    if not is_pod or not isinstance(spec, Mapping) or "priority" in spec:
        return manifest, []
    name = spec.get("priorityClassName")
    known = {found.name: found for found in classes}
    if not name:
        chosen = default_class((c for c in known.values() if c.global_default), lambda c: (c.value, c.name))
        if chosen is None:
            return manifest, []
    elif name in SYSTEM_CLASSES:
        return {**manifest, "spec": {**spec, "priority": SYSTEM_CLASSES[name]}}, []
    elif name in known:
        chosen = known[name]
    else:
        rule, hint = (
            quoted("no PriorityClass with this name was found"),
            say("create the PriorityClass first, or set spec.priority"),
        )
        return manifest, [Problem(f"{path}spec.priorityClassName", name, rule, hint)]
    defaults = {"preemptionPolicy": chosen.preemption_policy}
    return {**manifest, "spec": {**defaults, **spec, "priorityClassName": chosen.name, "priority": chosen.value}}, []
