"""ResourceClaim. How its manifest is read is in `parsers/devices.py`."""

from typing import Any

from kube_objects.devices import AllocatedDevice, Allocation, Consumer, DeviceStatus, ResourceClaim
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.resource import checks
from kube_objects.kinds.written import Written
from kube_objects.parsers.devices import (
    parse_resource_claim,
    read_allocation,
    read_consumers,
    read_device_statuses,
)
from kube_objects.read import format_time
from kube_objects.read_fields import ALL, META_FIELDS, Fields
from kube_objects.selectors import node_selector_json

_REQUEST: Fields = {
    "deviceClassName": ALL,
    "allocationMode": ALL,
    "count": ALL,
    "selectors": {"cel": {"expression": ALL}},
    "tolerations": {"key": ALL, "operator": ALL, "value": ALL, "effect": ALL, "tolerationSeconds": ALL},
    "capacity": {"requests": ALL},
}
SPEC: Fields = {
    "devices": {
        "requests": {
            "name": ALL,
            "exactly": {**_REQUEST, "adminAccess": ALL},
            "firstAvailable": {"name": ALL, **_REQUEST},
        },
        "constraints": {"requests": ALL, "matchAttribute": ALL, "distinctAttribute": ALL},
        "config": ALL,
    }
}


def asks_for(spec: tuple[str | int, ...]) -> Section:
    """Return the part of a form for the spec of a claim."""
    return Section(
        "Asks for",
        (
            Input(
                "devices",
                (*spec, "devices", "requests"),
                "rows",
                columns=(
                    Input("name", ("name",), hint="gpu"),
                    Input("device class", ("exactly", "deviceClassName"), hint="gpu.example.com"),
                    Input("how many", ("exactly", "allocationMode"), "choice"),
                    Input("count", ("exactly", "count"), "number", "1"),
                    Input(
                        "CEL",
                        ("exactly", "selectors", 0, "cel", "expression"),
                        "expression",
                        hint='device.attributes["gpu.example.com"].model == "a100"',
                    ),
                ),
            ),
            Input(
                "all with the same",
                (*spec, "devices", "constraints"),
                "rows",
                columns=(
                    Input("attribute", ("matchAttribute",), hint="gpu.example.com/model"),
                    Input("requests", ("requests",), "words"),
                ),
            ),
        ),
    )


def _dump_allocation(allocation: Allocation | None, _: object) -> Any:
    if allocation is None:
        return None
    devices: dict[str, Any] = {"results": [_dump_device(device) for device in allocation.devices]}
    if allocation.config:
        devices["config"] = [dict(entry) for entry in allocation.config]
    selector = allocation.node_selector
    since = {} if allocation.timestamp is None else {"allocationTimestamp": format_time(allocation.timestamp)}
    where = {} if selector is None else {"nodeSelector": node_selector_json(selector)}
    return {**since, "devices": devices, **where}


def _dump_device(device: AllocatedDevice) -> dict[str, Any]:
    optional = {
        "adminAccess": device.admin_access,
        "shareID": device.share,
        "consumedCapacity": {name: str(amount) for name, amount in device.consumed.items()},
        "tolerations": [dict(toleration) for toleration in device.tolerations],
        "bindingConditions": list(device.binding_conditions),
        "bindingFailureConditions": list(device.binding_failure_conditions),
    }
    named = {"request": device.request, "driver": device.id.driver, "pool": device.id.pool, "device": device.id.device}
    return named | {name: value for name, value in optional.items() if value}


def _dump_statuses(statuses: tuple[DeviceStatus, ...], _: object) -> Any:
    return [dict(status.manifest) for status in statuses] or None


def _dump_consumers(consumers: tuple[Consumer, ...], _: object) -> Any:
    return [_dump_consumer(one) for one in consumers] or None


def _dump_consumer(one: Consumer) -> dict[str, str]:
    consumer = {"apiGroup": one.api_group, "resource": one.resource, "name": one.name, "uid": one.uid}
    return {name: value for name, value in consumer.items() if value}


KIND = Kind(
    name="ResourceClaim",
    group="resource.k8s.io",
    type=ResourceClaim,
    parse=parse_resource_claim,
    check=checks.claim,
    fields={
        "metadata": {**META_FIELDS, "finalizers": ALL},
        "spec": SPEC,
        "status": {
            "allocation": ALL,
            "devices": {"driver": ALL, "pool": ALL, "device": ALL, "shareID": ALL, "conditions": ALL},
            "reservedFor": {"apiGroup": ALL, "resource": ALL, "name": ALL, "uid": ALL},
        },
    },
    written=(
        Written("finalizers", "metadata", "finalizers", lambda json: tuple(json or ()), lambda v, _: list(v) or None),
        Written("allocation", "status", "allocation", lambda json: read_allocation(json, []), _dump_allocation),
        Written("device_statuses", "status", "devices", lambda json: read_device_statuses(json, []), _dump_statuses),
        Written("reserved_for", "status", "reservedFor", lambda json: read_consumers(json, []), _dump_consumers),
    ),
    wakes_pods=True,
    event_words={"Add": "new resource claim", "Update": "a resource claim was changed"},
    example="""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
  namespace: default
spec:
  devices:
    requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
""",
    form=(IDENTITY_IN_NAMESPACE, asks_for(("spec",))),
)
