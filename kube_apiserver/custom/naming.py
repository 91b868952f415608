"""Accepted names of a CRD: names that no other CRD of its group has.

Source: apiextensions-apiserver, pkg/controller/status/naming_controller.go.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Object = dict[str, Any]

ACCEPTED = ("True", "NoConflicts", "no conflicts found")
ESTABLISHED = ("True", "InitialNamesAccepted", "the initial names have been accepted")
NOT_ESTABLISHED = ("False", "NotAccepted", "not all names are accepted")


def is_established(definition: Mapping[str, Any]) -> bool:
    """Return False if the status says that the CRD isn't established."""
    found = (definition.get("status") or {}).get("conditions") or ()
    return not any(each.get("type") == "Established" and each.get("status") == "False" for each in found)


def with_accepted_names(definition: Object, others: Iterable[Mapping[str, Any]]) -> Object:
    """Return the CRD with the names that it gets among all CRDs of its cluster."""
    spec, status = definition.get("spec") or {}, definition.get("status") or {}
    wanted = spec.get("names") or {}
    if wanted == status.get("acceptedNames") and is_established(definition):
        return definition
    taken, kinds = _taken(definition, others)
    names, condition = _accepted(wanted, status.get("acceptedNames") or {}, taken, kinds)
    if condition is ACCEPTED and not status.get("conditions"):
        # A CRD without a stored status is shown with accepted names anyway.
        return definition
    is_known = bool(status.get("conditions")) and is_established(definition)
    established = ESTABLISHED if condition is ACCEPTED or is_known else NOT_ESTABLISHED
    time = definition["metadata"].get("creationTimestamp")
    return {**definition, "status": {**status, **in_status(condition, established, time), "acceptedNames": names}}


def _taken(definition: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> tuple[set[str], set[str]]:
    """Return the names of resources and of kinds that other CRDs of the group have."""
    resources, kinds = set[str](), set[str]()
    for other in others:
        if other["metadata"]["name"] == definition["metadata"]["name"]:
            continue
        if other["spec"].get("group") == definition["spec"].get("group"):
            names = (other.get("status") or {}).get("acceptedNames") or {}
            kinds |= {names.get("kind") or "", names.get("listKind") or ""}
            resources |= {names.get("plural") or "", names.get("singular") or "", *(names.get("shortNames") or ())}
    return resources - {""}, kinds - {""}


def in_status(accepted: tuple[str, str, str], established: tuple[str, str, str], time: Any) -> Object:
    """Return the conditions NamesAccepted and Established. Each argument has status, reason and message."""
    conditions = [
        {"lastTransitionTime": time, "message": message, "reason": reason, "status": found, "type": type_}
        for type_, (found, reason, message) in (("NamesAccepted", accepted), ("Established", established))
    ]
    return {"conditions": conditions}


def _accepted(
    wanted: Mapping[str, Any], had: Mapping[str, Any], resources: set[str], kinds: set[str]
) -> tuple[Object, tuple[str, str, str]]:
    """Return the accepted names and the condition. If several names conflict, the last conflict wins."""
    names: Object = {"kind": "", "plural": "", **had}
    condition = ACCEPTED
    for name, taken in (("plural", resources), ("singular", resources), ("shortNames", resources)):
        names, condition = _taken_over(name, wanted, had, names, taken, condition)
    for name in ("kind", "listKind"):
        names, condition = _taken_over(name, wanted, had, names, kinds, condition)
    if wanted.get("categories"):
        names["categories"] = wanted["categories"]
    return {name: item for name, item in names.items() if item or name in ("kind", "plural")}, condition


def _taken_over(
    name: str,
    wanted: Mapping[str, Any],
    had: Mapping[str, Any],
    names: Object,
    taken: set[str],
    condition: tuple[str, str, str],
) -> tuple[Object, tuple[str, str, str]]:
    wanted_names, own = _many(wanted.get(name)), _many(had.get(name))
    used = [f'"{each}" is already in use' for each in wanted_names if each not in own and each in taken]
    if not used:
        return {**names, name: wanted.get(name)}, condition
    message = used[0] if len(used) == 1 else f"[{', '.join(used)}]"
    return names, ("False", f"{name[0].upper()}{name[1:]}Conflict", message)


def _many(names: Any) -> list[str]:
    return list(names) if isinstance(names, list) else [names or ""]
