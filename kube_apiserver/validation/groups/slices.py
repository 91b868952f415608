"""Validation of ResourceSlices and their devices. Source: pkg/apis/resource/validation."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import claims, go_values, scheduling
from kube_apiserver.validation.groups import device_names
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field
from kube_objects import names

Object = Mapping[str, Any]

_ONE_PLACE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
_DEVICE_RULE = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true "
    "in the ResourceSlice spec"
)
_ONLY_PER_DEVICE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
    "ResourceSlice spec"
)
_MOST_DEVICES, _MOST_WITH_MORE, _MOST_ATTRIBUTES, _MOST_TAINTS = 128, 64, 32, 16
_LONGEST_VALUE = 64
_VALUES = ("bool", "int", "string", "version")
_LISTS = ("bools", "ints", "strings", "versions")
_NUMBER = r"(0|[1-9]\d*)"
_BEFORE = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_BEFORE}(\.{_BEFORE})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?", re.ASCII
)


def validate_slice(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from _validate_driver_and_pool(spec)
    yield from _validate_devices_and_nodes(spec)


def validate_slice_update(live: Object, value: Object) -> Iterator[Cause]:
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    yield from _validate_driver_and_pool(spec)
    pools = [(each.get("pool") or {}).get("name") for each in (was, spec)]
    yield from validate_immutable_field("spec.pool.name", *pools)
    for key in ("driver", "nodeName"):
        yield from validate_immutable_field(f"spec.{key}", was.get(key), spec.get(key))
    yield from _validate_devices_and_nodes(spec)


def _validate_driver_and_pool(spec: Object) -> Iterator[Cause]:
    yield from claims.validate_csi_driver_name(spec.get("driver"), "spec.driver")
    pool = spec.get("pool") or {}
    yield from device_names.validate_pool_name(str(pool.get("name") or ""), "spec.pool.name")
    count, generation = pool.get("resourceSliceCount") or 0, pool.get("generation") or 0
    if count <= 0:
        yield causes.invalid("spec.pool.resourceSliceCount", count, "must be greater than zero")
    if generation < 0:
        yield causes.invalid("spec.pool.generation", generation, "must be greater than or equal to zero")


def _validate_devices_and_nodes(spec: Object) -> Iterator[Cause]:
    node_fields: list[str] = []
    yield from _validate_node_fields(spec, "spec", node_fields, "must be either unset or set to a non-empty string")
    is_per_device = spec.get("perDeviceNodeSelection")
    if is_per_device:
        node_fields.append("`perDeviceNodeSelection`")
    elif is_per_device is not None:
        yield causes.invalid("spec.perDeviceNodeSelection", is_per_device, "must be either unset or set to true")
    if not node_fields:
        yield causes.required("spec", _ONE_PLACE)
    elif len(node_fields) > 1:
        yield causes.invalid("spec", f"{{{', '.join(node_fields)}}}", f"{_ONE_PLACE}, but multiple fields are set")
    devices, counters = spec.get("devices"), spec.get("sharedCounters")
    if devices is not None and counters is not None:
        yield causes.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed")
    devices = devices or []
    is_small = any(device.get("taints") or device.get("consumesCounters") for device in devices)
    most = _MOST_WITH_MORE if is_small else _MOST_DEVICES
    if len(devices) > most:
        yield causes.too_many("spec.devices", len(devices), most)
        return
    for number, device in enumerate(devices):
        yield from _validate_device(device, f"spec.devices[{number}]", is_placed=bool(is_per_device))
    seen: set[str] = set()
    for number, device in enumerate(devices):
        name = str(device.get("name") or "")
        if name in seen:
            yield causes.duplicate(f"spec.devices[{number}]", name)
        seen.add(name)


def _validate_node_fields(holder: Object, path: str, set_fields: list[str], empty: str) -> Iterator[Cause]:
    """Validate the fields that select Nodes, and append the name of each field that is set to `where`."""
    name, selector, all_nodes = (holder.get(key) for key in ("nodeName", "nodeSelector", "allNodes"))
    if name:
        set_fields.append("`nodeName`")
        yield from report_broken_rules(f"{path}.nodeName", name, names.dns_subdomain(str(name)))
    elif name is not None:
        yield causes.invalid(f"{path}.nodeName", name, empty)
    if selector is not None:
        set_fields.append("`nodeSelector`")
        yield from scheduling.validate_node_selector(selector, f"{path}.nodeSelector")
    if all_nodes:
        set_fields.append("`allNodes`")
    elif all_nodes is not None:
        yield causes.invalid(f"{path}.allNodes", all_nodes, "must be either unset or set to true")


def _validate_device(device: Object, path: str, *, is_placed: bool) -> Iterator[Cause]:
    name, attributes, capacity = str(device.get("name") or ""), device.get("attributes"), device.get("capacity")
    yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
    together = len(attributes or ()) + len(capacity or ())
    if together > _MOST_ATTRIBUTES:
        detail = f"the total number of attributes and capacities must not exceed {_MOST_ATTRIBUTES}"
        yield causes.invalid(path, together, detail)
    for key, value in sorted((attributes or {}).items()):
        yield from device_names.validate_qualified_name(key, f"{path}.attributes")
        yield from _validate_attribute(value, f"{path}.attributes[{key}]")
    for key, value in sorted((capacity or {}).items()):
        yield from device_names.validate_qualified_name(key, f"{path}.capacity")
        if value.get("requestPolicy") is not None and not device.get("allowMultipleAllocations"):
            policy_path = f"{path}.capacity[{key}].requestPolicy"
            yield causes.forbidden(policy_path, "allowMultipleAllocations must be true")
    yield from _validate_taints(device.get("taints") or [], f"{path}.taints")
    node_fields: list[str] = []
    if is_placed:
        yield from _validate_node_fields(device, path, node_fields, "must not be empty")
        if not node_fields:
            yield causes.required(path, _DEVICE_RULE)
        elif len(node_fields) > 1:
            yield causes.invalid(path, f"{{{', '.join(node_fields)}}}", _DEVICE_RULE)
    elif any(device.get(key) is not None for key in ("nodeName", "nodeSelector", "allNodes")):
        yield causes.invalid(path, None, _ONLY_PER_DEVICE)


def _validate_attribute(attribute: Object, path: str) -> Iterator[Cause]:
    checks = {"string": _validate_attribute_text, "version": _validate_attribute_version}
    for key, check in checks.items():
        if attribute.get(key) is not None:
            yield from check(str(attribute[key]), f"{path}.{key}")
    for key in _LISTS:
        for number, text in enumerate(attribute.get(key) or () if key[:-1] in checks else ()):
            yield from checks[key[:-1]](str(text), f"{path}.{key}[{number}]")
    # Go's JSON encoder omits an empty list.
    present = [key for key in _VALUES if attribute.get(key) is not None] + [key for key in _LISTS if attribute.get(key)]
    if len(present) != 1:
        in_go = {f"{key[:1].upper()}{key[1:]}Value": attribute.get(key) for key in ("int", "bool", "string", "version")}
        for key in ("ints", "bools", "strings", "versions"):
            in_go[f"{key[:1].upper()}{key[1:-1]}Values"] = attribute.get(key) or None
        shown: Any = go_values.Ordered(in_go) if present else ""
        yield causes.invalid(path, shown, "exactly one value must be specified")


def _validate_attribute_text(text: str, path: str) -> Iterator[Cause]:
    if len(text) > _LONGEST_VALUE:
        yield causes.too_long(path, _LONGEST_VALUE)


def _validate_attribute_version(text: str, path: str) -> Iterator[Cause]:
    if not _VERSION.fullmatch(text[:1000]):
        yield causes.invalid(path, text, "must be a string compatible with semver.org spec 2.0.0")
    yield from _validate_attribute_text(text, path)


def _validate_taints(taints: list[Any], path: str) -> Iterator[Cause]:
    if len(taints) > _MOST_TAINTS:
        yield causes.too_many(path, len(taints), _MOST_TAINTS)
        return
    for number, taint in enumerate(taints):
        taint_path, key, value, effect = (
            f"{path}[{number}]",
            *(str(taint.get(name) or "") for name in ("key", "value", "effect")),
        )
        yield from report_broken_rules(f"{taint_path}.key", key, names.qualified_name(key))
        yield from report_broken_rules(f"{taint_path}.value", value, names.label_value(value))
        if not effect:
            yield causes.required(f"{taint_path}.effect")
        elif effect not in device_names.EFFECTS:
            yield causes.unsupported(f"{taint_path}.effect", effect, device_names.EFFECTS)
