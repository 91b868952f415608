"""ResourceSlices, DeviceClasses, ResourceClaims and their templates.

Source: pkg/apis/resource/v1/defaults.go, pkg/apis/resource/validation.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from kube_objects import devices as d
from kube_objects import read
from kube_objects.parsers.meta import read_meta
from kube_objects.parsers.resources import quantity_hint
from kube_objects.parsers.selectors import node_selector
from kube_objects.quantity import Quantity, QuantityError, parse_quantity
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem

_ATTRIBUTE_TYPES: dict[str, type] = {"string": str, "int": int, "bool": bool, "version": str}
_MODES = (d.EXACT_COUNT, d.ALL)
_OPERATORS = ("Equal", "Exists")
_EFFECTS = (d.NO_SCHEDULE, d.NO_EXECUTE, "None")
_MAX_DEVICES, _MAX_ITEMS, _MAX_SELECTORS, _MAX_EXPRESSION = 128, 32, 32, 10 * 1024
_MAX_VALUES, _MAX_TEXT = 32, 64
_MAX_BINDING_CONDITIONS, _MAX_CONDITIONS = 4, 8
_CONDITION_STATUSES = ("True", "False", "Unknown")


def parse_resource_slice(manifest: Manifest, problems: Problems) -> d.ResourceSlice:
    meta = read_meta("ResourceSlice", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    pool = read.mapping(spec, "pool", "spec", problems) or {}
    entries = list(_read_limited_list(spec, "devices", "spec", problems, _MAX_DEVICES))
    return d.ResourceSlice(
        **meta,
        driver=read.required_text(spec, "driver", "spec", problems),
        pool=read.required_text(pool, "name", "spec.pool", problems),
        generation=read.integer(pool, "generation", "spec.pool", problems, 0, read.INT64 - 1) or 0,
        slice_count=read.integer(pool, "resourceSliceCount", "spec.pool", problems, 1, read.INT64 - 1) or 1,
        node_name=read.text(spec, "nodeName", "spec", problems),
        node_selector=node_selector(spec, "nodeSelector", "spec", problems),
        all_nodes=read.boolean(spec, "allNodes", "spec", problems),
        per_device_node_selection=read.boolean(spec, "perDeviceNodeSelection", "spec", problems),
        devices=tuple(_device(entry, path, problems) for path, entry in entries),
        counters=tuple(
            (read.required_text(entry, "name", path, problems), _counters(entry, path, problems))
            for path, entry in _read_limited_list(spec, "sharedCounters", "spec", problems, _MAX_ITEMS)
        ),
    )


def parse_device_class(manifest: Manifest, problems: Problems) -> d.DeviceClass:
    meta = read_meta("DeviceClass", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    return d.DeviceClass(
        **meta,
        selectors=_selectors(spec, "spec", problems),
        config=tuple(entry for _, entry in _read_limited_list(spec, "config", "spec", problems, _MAX_ITEMS)),
        extended_resource_name=read.text(spec, "extendedResourceName", "spec", problems),
    )


def parse_resource_claim(manifest: Manifest, problems: Problems) -> d.ResourceClaim:
    meta = read_meta("ResourceClaim", manifest, problems)
    metadata = read.mapping(manifest, "metadata", "", problems) or {}
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    return d.ResourceClaim(
        **meta,
        **_claim_spec(spec, "spec", problems),
        finalizers=read.texts(metadata, "finalizers", "metadata", problems),
        allocation=read_allocation(status.get("allocation"), problems),
        reserved_for=read_consumers(status.get("reservedFor"), problems),
        device_statuses=read_device_statuses(status.get("devices"), problems),
    )


def parse_resource_claim_template(manifest: Manifest, problems: Problems) -> d.ResourceClaimTemplate:
    meta = read_meta("ResourceClaimTemplate", manifest, problems)
    template = read.mapping(manifest, "spec", "", problems) or {}
    _claim_spec(read.mapping(template, "spec", "spec", problems) or {}, "spec.spec", problems)
    errors: list[Problem] = []
    metadata = read.mapping(template, "metadata", "spec", problems) or {}
    labels = {name: metadata[name] for name in ("labels", "annotations") if name in metadata}
    read_meta("ResourceClaim", {"metadata": {"name": meta["name"], **labels}}, errors)
    problems += [replace(problem, path=f"spec.{problem.path}") for problem in errors if problem.path != "metadata.name"]
    return d.ResourceClaimTemplate(**meta, template=template)


def read_allocation(value: Any, problems: Problems) -> d.Allocation | None:
    """Parse `status.allocation` of a claim."""
    if value is None:
        return None
    path = "status.allocation"
    allocation = read.mapping({"allocation": value}, "allocation", "status", problems) or {}
    devices = read.mapping(allocation, "devices", path, problems) or {}
    devices_path = f"{path}.devices"
    return d.Allocation(
        devices=tuple(
            _allocated_device(entry, at, problems)
            for at, entry in _read_limited_list(devices, "results", devices_path, problems, 32)
        ),
        config=tuple(entry for _, entry in read.mappings(devices, "config", devices_path, problems)),
        node_selector=node_selector(allocation, "nodeSelector", path, problems),
        timestamp=read.timestamp(allocation, "allocationTimestamp", path, problems),
    )


def read_device_statuses(value: Any, problems: Problems) -> tuple[d.DeviceStatus, ...]:
    """Parse `status.devices` of a claim."""
    entries = _read_limited_list({"devices": value}, "devices", "status", problems, d.MAX_RESULTS)
    return tuple(
        d.DeviceStatus(
            _device_id(entry, path, problems),
            tuple(
                d.DeviceCondition(
                    read.required_text(condition, "type", condition_path, problems),
                    read.choice(condition, "status", condition_path, problems, _CONDITION_STATUSES, "Unknown"),
                    read.text(condition, "reason", condition_path, problems),
                    read.text(condition, "message", condition_path, problems),
                )
                for condition_path, condition in _read_limited_list(
                    entry, "conditions", path, problems, _MAX_CONDITIONS
                )
            ),
            entry,
        )
        for path, entry in entries
    )


def read_consumers(value: Any, problems: Problems) -> tuple[d.Consumer, ...]:
    """Parse `status.reservedFor` of a claim."""
    return tuple(
        d.Consumer(
            read.text(entry, "resource", path, problems),
            read.text(entry, "name", path, problems),
            read.text(entry, "uid", path, problems),
            read.text(entry, "apiGroup", path, problems),
        )
        for path, entry in read.mappings({"reservedFor": value}, "reservedFor", "status", problems)
    )


def _claim_spec(spec: Manifest, path: str, problems: Problems) -> dict[str, Any]:
    devices = read.mapping(spec, "devices", path, problems) or {}
    path = f"{path}.devices"
    return {
        "requests": tuple(
            _request(entry, at, problems)
            for at, entry in _read_limited_list(devices, "requests", path, problems, _MAX_ITEMS)
        ),
        "constraints": tuple(
            d.DeviceConstraint(
                read.texts(entry, "requests", at, problems),
                read.text(entry, "matchAttribute", at, problems),
                read.text(entry, "distinctAttribute", at, problems),
            )
            for at, entry in _read_limited_list(devices, "constraints", path, problems, _MAX_ITEMS)
        ),
        "config": tuple(entry for _, entry in _read_limited_list(devices, "config", path, problems, _MAX_ITEMS)),
    }


def _request(entry: Manifest, path: str, problems: Problems) -> d.DeviceRequest:
    name = read.required_text(entry, "name", path, problems)
    exactly = read.mapping(entry, "exactly", path, problems)
    alternatives = tuple(
        _exact_request(read.required_text(each, "name", at, problems), each, at, problems)
        for at, each in _read_limited_list(entry, "firstAvailable", path, problems, d.MAX_ALTERNATIVES)
    )
    if (exactly is None) == (not alternatives):
        problems.append(Problem(path, name, say("must have exactly one of exactly and firstAvailable")))
    if exactly is None:
        return d.DeviceRequest(name, alternatives=alternatives)
    return _exact_request(name, exactly, f"{path}.exactly", problems)


def _exact_request(name: str, entry: Manifest, path: str, problems: Problems) -> d.DeviceRequest:
    mode = read.choice(entry, "allocationMode", path, problems, _MODES, d.EXACT_COUNT)
    count = read.integer(entry, "count", path, problems, 1, read.INT64 - 1)
    wanted = read.mapping(entry, "capacity", path, problems) or {}
    return d.DeviceRequest(
        name=name,
        class_name=read.required_text(entry, "deviceClassName", path, problems),
        mode=mode,
        count=(1 if count is None else count) if mode == d.EXACT_COUNT else 0,
        selectors=_selectors(entry, path, problems),
        admin_access=None if entry.get("adminAccess") is None else read.boolean(entry, "adminAccess", path, problems),
        tolerations=tuple(
            d.DeviceToleration(
                read.text(each, "key", at, problems),
                read.choice(each, "operator", at, problems, _OPERATORS, "Equal"),
                read.text(each, "value", at, problems),
                read.choice(each, "effect", at, problems, _EFFECTS),
                {**{name: value for name, value in each.items() if value}, "operator": each.get("operator") or "Equal"},
            )
            for at, each in _read_limited_list(entry, "tolerations", path, problems, _MAX_ITEMS)
        ),
        capacity=_quantities(wanted, "requests", f"{path}.capacity", problems),
    )


def _selectors(parent: Manifest, path: str, problems: Problems) -> tuple[str, ...]:
    expressions = []
    for selector_path, entry in _read_limited_list(parent, "selectors", path, problems, _MAX_SELECTORS):
        cel = read.mapping(entry, "cel", selector_path, problems) or {}
        expression = read.required_text(cel, "expression", f"{selector_path}.cel", problems)
        if len(expression) > _MAX_EXPRESSION:
            rule = quoted("must be no more than {n} characters", n=_MAX_EXPRESSION)
            problems.append(Problem(f"{selector_path}.cel.expression", len(expression), rule))
        expressions.append(expression[:_MAX_EXPRESSION])
    return tuple(expressions)


def _device(entry: Manifest, path: str, problems: Problems) -> d.Device:
    if sum(len(read.mapping(entry, key, path, []) or {}) for key in ("attributes", "capacity")) > _MAX_VALUES:
        rule = say("must have at most {n} attributes and capacities", n=_MAX_VALUES)
        problems.append(Problem(path, None, rule))
        entry = {name: value for name, value in entry.items() if name not in ("attributes", "capacity")}
    return d.Device(
        name=read.required_text(entry, "name", path, problems),
        attributes=dict(_read_map(entry, "attributes", path, problems, _attribute)),
        capacity=dict(_read_map(entry, "capacity", path, problems, _capacity)),
        consumes_counters=tuple(
            d.CounterConsumption(read.required_text(each, "counterSet", at, problems), _counters(each, at, problems))
            for at, each in _read_limited_list(entry, "consumesCounters", path, problems, _MAX_ITEMS)
        ),
        taints=tuple(
            d.DeviceTaint(
                read.required_text(each, "key", at, problems),
                read.text(each, "value", at, problems),
                read.choice(each, "effect", at, problems, _EFFECTS),
            )
            for at, each in _read_limited_list(entry, "taints", path, problems, _MAX_ITEMS)
        ),
        node_name=read.text(entry, "nodeName", path, problems),
        node_selector=node_selector(entry, "nodeSelector", path, problems),
        all_nodes=read.boolean(entry, "allNodes", path, problems),
        allow_multiple_allocations=read.boolean(entry, "allowMultipleAllocations", path, problems),
        binds_to_node=read.boolean(entry, "bindsToNode", path, problems),
        binding_conditions=_conditions(entry, "bindingConditions", path, problems),
        binding_failure_conditions=_conditions(entry, "bindingFailureConditions", path, problems),
    )


def _attribute(entry: Manifest, path: str, problems: Problems) -> d.Attribute:
    present = [(name, entry[name]) for name in _ATTRIBUTE_TYPES if entry.get(name) is not None]
    if len(present) != 1:
        problems.append(Problem(path, None, say("must have exactly one of {names}", names=", ".join(_ATTRIBUTE_TYPES))))
        return d.Attribute("string", "")
    ((name, value),) = present
    if type(value) is not _ATTRIBUTE_TYPES[name]:
        problems.append(Problem(f"{path}.{name}", value, say("must be a {name}", name=_ATTRIBUTE_TYPES[name].__name__)))
    elif type(value) is str and len(value) > _MAX_TEXT:
        problems.append(Problem(f"{path}.{name}", value, quoted("must be no more than {n} characters", n=_MAX_TEXT)))
    return d.Attribute(name, value)


def _capacity(entry: Manifest, path: str, problems: Problems) -> d.DeviceCapacity:
    value = _quantity(entry, "value", path, problems)
    policy_fields = read.mapping(entry, "requestPolicy", path, problems)
    if policy_fields is None:
        return d.DeviceCapacity(value or Quantity(0))
    policy_path = f"{path}.requestPolicy"
    limits = read.mapping(policy_fields, "validRange", policy_path, problems)
    values = [
        _quantity_at(f"{policy_path}.validValues[{i}]", value_, problems)
        for i, value_ in enumerate(read.sequence(policy_fields, "validValues", policy_path, problems))
    ]
    policy = d.RequestPolicy(
        _quantity(policy_fields, "default", policy_path, problems),
        tuple(value_ for value_ in values if value_ is not None),
        None
        if limits is None
        else d.CapacityRange(
            *(_quantity(limits, key, f"{policy_path}.validRange", problems) for key in ("min", "max", "step"))
        ),
    )
    return d.DeviceCapacity(value or Quantity(0), policy)


def _counters(entry: Manifest, path: str, problems: Problems) -> dict[str, Quantity]:
    return dict(_read_map(entry, "counters", path, problems, _value))


def _value(entry: Manifest, path: str, problems: Problems) -> Quantity:
    return _quantity(entry, "value", path, problems) or Quantity(0)


def _quantities(parent: Manifest, key: str, path: str, problems: Problems) -> dict[str, Quantity]:
    fields = read.mapping(parent, key, path, problems) or {}
    fields_path = read.child(path, key)
    values = {name: _quantity(fields, name, fields_path, problems) for name in fields if type(name) is str}
    return {name: value for name, value in values.items() if value is not None}


def _quantity(parent: Manifest, key: str, path: str, problems: Problems) -> Quantity | None:
    return None if parent.get(key) is None else _quantity_at(read.child(path, key), parent[key], problems)


def _quantity_at(path: str, value: object, problems: Problems) -> Quantity | None:
    try:
        return parse_quantity(value if type(value) is str else repr(value))
    except QuantityError as error:
        problems.append(Problem(path, value, str(error), quantity_hint(value)))
        return None


def _read_map(
    parent: Manifest, key: str, path: str, problems: Problems, read_one: Callable[[Manifest, str, Problems], Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a mapping of mappings, by name."""
    entries = read.mapping(parent, key, path, problems) or {}
    for name in entries:
        entry = read.mapping(entries, name, read.child(path, key), problems)
        if entry is not None and type(name) is str:
            yield name, read_one(entry, read.child(read.child(path, key), name), problems)


def _read_limited_list(
    parent: Manifest, key: str, path: str, problems: Problems, most: int
) -> Iterator[tuple[str, Manifest]]:
    """Yield the paths and mappings of a list with at most `most` items."""
    if len(read.sequence(parent, key, path, [])) > most:
        problems.append(Problem(read.child(path, key), None, quoted("must have at most {n} items", n=most)))
        return
    yield from read.mappings(parent, key, path, problems)


def _allocated_device(entry: Manifest, path: str, problems: Problems) -> d.AllocatedDevice:
    return d.AllocatedDevice(
        request=read.required_text(entry, "request", path, problems),
        id=_device_id(entry, path, problems),
        admin_access=None if entry.get("adminAccess") is None else read.boolean(entry, "adminAccess", path, problems),
        share=read.text(entry, "shareID", path, problems),
        consumed=_quantities(entry, "consumedCapacity", path, problems),
        tolerations=tuple(each for _, each in read.mappings(entry, "tolerations", path, problems)),
        binding_conditions=_conditions(entry, "bindingConditions", path, problems),
        binding_failure_conditions=_conditions(entry, "bindingFailureConditions", path, problems),
    )


def _device_id(entry: Manifest, path: str, problems: Problems) -> d.DeviceId:
    return d.DeviceId(*(read.required_text(entry, key, path, problems) for key in ("driver", "pool", "device")))


def _conditions(entry: Manifest, key: str, path: str, problems: Problems) -> tuple[str, ...]:
    """Return the names of conditions. Upstream allows four."""
    names = read.texts(entry, key, path, problems)
    if len(names) > _MAX_BINDING_CONDITIONS:
        rule = quoted("must have at most {n} items", n=_MAX_BINDING_CONDITIONS)
        problems.append(Problem(read.child(path, key), None, rule))
    return names[:_MAX_BINDING_CONDITIONS]
