"""From an object back to its manifest, with what the engine has changed since it was parsed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from scheduler_core.objects.devices import AllocatedDevice, Allocation, Consumer, ResourceClaim
from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.node import Node
from scheduler_core.objects.parsers.devices import read_allocation, read_consumers
from scheduler_core.objects.parsers.pod import read_claim_names, read_conditions
from scheduler_core.objects.pod import Pod, PodCondition
from scheduler_core.objects.read import format_time, parse_time
from scheduler_core.objects.selectors import NodeSelector, Requirement
from scheduler_core.objects.volumes import PersistentVolume, PersistentVolumeClaim
from scheduler_core.objects.workloads import PodDisruptionBudget, PodGroup

ClaimRef = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Written:
    """A field that the engine writes. `parse` gives the attribute's value for the JSON that stands there (or None),
    `dump` the JSON for a value and what stood there before; None takes the field out."""

    attribute: str
    part: str
    key: str
    parse: Callable[[Any], Any]
    dump: Callable[[Any, Any], Any]


def manifest_of(obj: KubeObject) -> Mapping[str, Any]:
    """The manifest that `parse_object` makes an equal object of. Not to be changed: it may be the object's own.

    The engine may have written: annotations and the deletion time of anything; a pod's node, nomination, phase, start
    time and conditions; a node's cordon; what a budget still allows; the binding of volumes and claims. In a part of
    the manifest that has changed these come last and in their own order, and a part that is left empty goes, so that it
    does not matter how many steps it took to get there, or whether a checkpoint was restored on the way.
    """
    written_parts: dict[str, dict[str, Any]] = {}
    changed: dict[str, dict[str, Any]] = {}
    for written in (*_ALL_KINDS, *_BY_KIND.get(type(obj), ())):
        part = obj.manifest.get(written.part) or {}
        before, value = part.get(written.key), getattr(obj, written.attribute)
        same = written.parse(before) == value
        written_parts.setdefault(written.part, {})[written.key] = before if same else written.dump(value, before)
        if not same:
            changed.setdefault(written.part, dict(part))
    for name, fields in changed.items():
        for key, json in written_parts[name].items():
            fields.pop(key, None)
            if json is not None:
                fields[key] = json
    if not changed:
        return obj.manifest
    whole = {**obj.manifest, **changed}
    return {name: part for name, part in whole.items() if part or name not in changed}


def with_cordon(node: Node, value: bool) -> Node:
    """The node, cordoned or not. Its manifest is as a checkpoint has it: what stood there before is forgotten."""
    changed = replace(node, unschedulable=value)
    return replace(changed, manifest=manifest_of(changed))


def _text(attribute: str, part: str, key: str, default: str = "") -> _Written:
    return _Written(attribute, part, key, lambda json: json or default, lambda value, _: value or None)


def _time(attribute: str, part: str, key: str) -> _Written:
    return _Written(attribute, part, key, _parse_time, lambda value, _: None if value is None else format_time(value))


def _parse_time(json: str | None) -> float | None:
    return None if json is None else parse_time(json)


def _dump_conditions(conditions: tuple[PodCondition, ...], before: list[Mapping[str, Any]] | None) -> Any:
    """An unchanged condition stays as it was written, with whatever else stood in it."""
    kept = dict(zip(read_conditions({"conditions": before}, []), before or (), strict=True))
    return [kept.get(condition) or _condition(condition) for condition in conditions] or None


def _condition(condition: PodCondition) -> dict[str, Any]:
    since = condition.last_transition_time
    return {
        "type": condition.type,
        "status": condition.status,
        **({"reason": condition.reason} if condition.reason else {}),
        **({"message": condition.message} if condition.message else {}),
        **({"lastTransitionTime": format_time(since)} if since is not None else {}),
    }


def _parse_claim_ref(json: Mapping[str, str] | None) -> ClaimRef | None:
    return None if json is None else (json.get("namespace") or "", json.get("name") or "", json.get("uid") or "")


def _dump_claim_ref(reference: ClaimRef | None, _: object) -> Any:
    if reference is None:
        return None
    namespace, name, uid = reference
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name}
    return {**claim, "uid": uid} if uid else claim


def node_selector_json(selector: NodeSelector) -> dict[str, Any]:
    """As `spec` has it; absent parts are left out."""
    terms = []
    for term in selector.terms:
        parts = (("matchExpressions", term.expressions), ("matchFields", term.fields))
        terms.append({name: [_requirement(one) for one in required] for name, required in parts if required})
    return {"nodeSelectorTerms": terms}


def _requirement(one: Requirement) -> dict[str, Any]:
    values = {"values": list(one.values)} if one.values else {}
    return {"key": one.key, "operator": one.operator, **values}


def _dump_allocation(allocation: Allocation | None, _: object) -> Any:
    if allocation is None:
        return None
    devices: dict[str, Any] = {"results": [_dump_device(device) for device in allocation.devices]}
    if allocation.config:
        devices["config"] = [dict(entry) for entry in allocation.config]
    selector = allocation.node_selector
    return {"devices": devices, **({"nodeSelector": node_selector_json(selector)} if selector is not None else {})}


def _dump_device(device: AllocatedDevice) -> dict[str, Any]:
    optional = {
        "adminAccess": device.admin_access,
        "shareID": device.share,
        "consumedCapacity": {name: str(amount) for name, amount in device.consumed.items()},
        "tolerations": [dict(toleration) for toleration in device.tolerations],
    }
    named = {"request": device.request, "driver": device.id.driver, "pool": device.id.pool, "device": device.id.device}
    return named | {name: value for name, value in optional.items() if value}


def _dump_consumers(consumers: tuple[Consumer, ...], _: object) -> Any:
    return [_dump_consumer(one) for one in consumers] or None


def _dump_consumer(one: Consumer) -> dict[str, str]:
    told = {"apiGroup": one.api_group, "resource": one.resource, "name": one.name, "uid": one.uid}
    return {name: value for name, value in told.items() if value}


def _dump_claim_name(name: str, made: str | None) -> dict[str, str]:
    return {"name": name} if made is None else {"name": name, "resourceClaimName": made}


_ALL_KINDS = (
    _Written("annotations", "metadata", "annotations", lambda json: json or {}, lambda value, _: dict(value) or None),
    _time("deletion_timestamp", "metadata", "deletionTimestamp"),
)
_CONDITIONS = _Written(
    "conditions",
    "status",
    "conditions",
    lambda json: read_conditions({"conditions": json}, []),
    _dump_conditions,
)
_BY_KIND: Mapping[type[KubeObject], tuple[_Written, ...]] = {
    Pod: (
        _text("node_name", "spec", "nodeName"),
        _text("nominated_node_name", "status", "nominatedNodeName"),
        _Written(
            "claim_names",
            "status",
            "resourceClaimStatuses",
            lambda json: read_claim_names(json, []),
            lambda value, _: [_dump_claim_name(*entry) for entry in value.items()] or None,
        ),
        _text("phase", "status", "phase", "Pending"),
        _time("start_time", "status", "startTime"),
        _CONDITIONS,
    ),
    PodGroup: (_CONDITIONS,),
    Node: (_Written("unschedulable", "spec", "unschedulable", bool, lambda value, _: value or None),),
    ResourceClaim: (
        _Written("finalizers", "metadata", "finalizers", lambda json: tuple(json or ()), lambda v, _: list(v) or None),
        _Written("allocation", "status", "allocation", lambda json: read_allocation(json, []), _dump_allocation),
        _Written("reserved_for", "status", "reservedFor", lambda json: read_consumers(json, []), _dump_consumers),
    ),
    PodDisruptionBudget: (
        _Written("disruptions_allowed", "status", "disruptionsAllowed", lambda json: json or 0, lambda value, _: value),
    ),
    PersistentVolume: (
        _Written("claim_ref", "spec", "claimRef", _parse_claim_ref, _dump_claim_ref),
        _text("phase", "status", "phase", "Pending"),
    ),
    PersistentVolumeClaim: (
        _text("volume_name", "spec", "volumeName"),
        _text("phase", "status", "phase", "Pending"),
    ),
}
