"""Validation of CSIDrivers, CSINodes, CSIStorageCapacities and VolumeAttributesClasses.

Source: pkg/apis/storage/validation.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field, validate_label_selector
from kube_objects import names

Object = Mapping[str, Any]

_GROUP_POLICIES = ("File", "None", "ReadWriteOnceWithFSType")
_LIFECYCLES = ("Persistent", "Ephemeral")
_SHORTEST, _LONGEST = 10 * 60, 1 << 32
_LONGEST_NODE = 256
_MOST_PARAMETERS, MOST_BYTES = 512, 256 * 1024


def validate_csi_driver(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    policy = spec.get("fsGroupPolicy")
    if policy not in (None, *_GROUP_POLICIES):
        yield causes.unsupported("spec.fsGroupPolicy", policy, _GROUP_POLICIES)
    yield from _validate_token_requests(spec.get("tokenRequests") or (), "spec.tokenRequests")
    for mode in spec.get("volumeLifecycleModes") or ():
        if mode not in _LIFECYCLES:
            yield causes.unsupported("spec.volumeLifecycleModes", mode, _LIFECYCLES)
    period = spec.get("nodeAllocatableUpdatePeriodSeconds")
    if period is not None and period < 10:
        path = "spec.nodeAllocatableUpdatePeriodSeconds"
        yield causes.invalid(path, period, "must be greater than or equal to 10 seconds")
    secret = spec.get("serviceAccountTokenInSecrets")
    if secret is not None and not spec.get("tokenRequests"):
        detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
        yield causes.invalid("spec.serviceAccountTokenInSecrets", secret, detail)


def _validate_token_requests(requests: Sequence[Object], path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, token in enumerate(requests):
        audience, seconds = str(token.get("audience") or ""), token.get("expirationSeconds")
        if audience in seen:
            yield causes.duplicate(f"{path}[{number}].audience", audience)
            continue
        seen.add(audience)
        seconds_path = f"{path}[{number}].expirationSeconds"
        if seconds is not None and seconds < _SHORTEST:
            yield causes.invalid(seconds_path, seconds, "may not specify a duration less than 10 minutes")
        if seconds is not None and seconds > _LONGEST:
            yield causes.invalid(seconds_path, seconds, "may not specify a duration larger than 2^32 seconds")


def validate_csi_driver_update(live: Object, value: Object) -> Iterator[Cause]:
    """Validate an update. The first path contains upstream's misspelled field name."""
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    yield from validate_csi_driver(value)
    if was.get("attachRequired") != spec.get("attachRequired"):
        yield causes.invalid("spec.attachedRequired", spec.get("attachRequired"), causes.IMMUTABLE)
    key = "volumeLifecycleModes"
    yield from validate_immutable_field(f"spec.{key}", was.get(key), spec.get(key))


def validate_csi_node(value: Object) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, driver in enumerate((value.get("spec") or {}).get("drivers") or ()):
        path, name, node_id = (
            f"spec.drivers[{number}]",
            str(driver.get("name") or ""),
            str(driver.get("nodeID") or ""),
        )
        yield from claims.validate_csi_driver_name(name, f"{path}.name")
        if not node_id:
            yield causes.required(f"{path}.nodeID")
        if len(node_id) > _LONGEST_NODE:
            yield causes.invalid(f"{path}.nodeID", node_id, f"must be {_LONGEST_NODE} characters or less")
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None and count < 0:
            yield causes.invalid(f"{path}.allocatable.count", count, causes.NOT_NEGATIVE)
        if name in seen:
            yield causes.duplicate(f"{path}.name", name)
        seen.add(name)
        yield from _validate_topology_keys(driver.get("topologyKeys") or (), path)


def _validate_topology_keys(keys: Sequence[Any], path: str) -> Iterator[Cause]:
    """Yield what is wrong with topology keys. Upstream reports each problem at the driver's path."""
    for number, key in enumerate(keys):
        if not key:
            yield causes.required(path)
        if key in keys[:number]:
            yield causes.duplicate(path, key)
        yield from report_broken_rules(path, key, names.qualified_name(str(key)))


def validate_csi_node_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_csi_node(value)
    old_drivers, new_drivers = ((old.get("spec") or {}).get("drivers") or () for old in (live, value))
    new = {old.get("name"): old for old in new_drivers}
    for old in old_drivers:
        current = new.get(old.get("name"))
        if current is not None and _to_go_driver(current) != _to_go_driver(old):
            yield causes.invalid("spec.drivers", _to_go_driver(current), causes.IMMUTABLE)


def _to_go_driver(driver: Object) -> go_values.Ordered:
    """Return the immutable fields of a driver as Go prints them. The allocatable count may change."""
    return go_values.Ordered(
        Name=driver.get("name") or "",
        NodeID=driver.get("nodeID") or "",
        TopologyKeys=driver.get("topologyKeys"),
        Allocatable=None,
    )


def validate_storage_capacity(value: Object) -> Iterator[Cause]:
    yield from validate_label_selector(value.get("nodeTopology"), "nodeTopology")
    name = str(value.get("storageClassName") or "")
    yield from report_broken_rules("storageClassName", name, names.dns_subdomain(name))
    if value.get("capacity") is not None and nano(value["capacity"]) < 0:
        yield causes.invalid("capacity", str(value["capacity"]), causes.NOT_NEGATIVE)


def validate_storage_capacity_update(live: Object, value: Object) -> Iterator[Cause]:
    for key in ("nodeTopology", "storageClassName"):
        yield from validate_immutable_field(key, live.get(key), value.get(key))


def count_bytes(entries: Object) -> int:
    return sum(len(name.encode()) + len(str(text).encode()) for name, text in entries.items())


def validate_parameters(parameters: Any, path: str, *, may_be_empty: bool) -> Iterator[Cause]:
    """Source: validateParameters."""
    parameters = parameters or {}
    if len(parameters) > _MOST_PARAMETERS:
        yield causes.too_long(path, _MOST_PARAMETERS)
        return
    if "" in parameters:
        yield causes.invalid(path, "", "field can not be empty.")
    if count_bytes(parameters) > MOST_BYTES:
        yield causes.too_long(path, MOST_BYTES)
    if not parameters and not may_be_empty:
        yield causes.required(path, "must contain at least one key/value pair")


def validate_provisioner(provisioner: Any, path: str) -> Iterator[Cause]:
    name = str(provisioner or "").lower()
    if not name:
        yield causes.required(path)
    else:
        yield from report_broken_rules(path, name, names.qualified_name(name))


def validate_attributes_class(value: Object) -> Iterator[Cause]:
    yield from validate_provisioner(value.get("driverName"), "driverName")
    yield from validate_parameters(value.get("parameters"), "parameters", may_be_empty=False)


def validate_attributes_class_update(live: Object, value: Object) -> Iterator[Cause]:
    for key in ("driverName", "parameters"):
        if (live.get(key) or None) != (value.get(key) or None):
            yield causes.forbidden(key, f"updates to {key} are forbidden.")
    yield from validate_attributes_class(value)
