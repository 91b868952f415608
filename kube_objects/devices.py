"""Dynamic resource allocation: devices in slices, classes of them, and claims. Source: k8s.io/api/resource/v1."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.quantity import Quantity
from kube_objects.selectors import NodeSelector

EXACT_COUNT, ALL = "ExactCount", "All"
NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
DELETE_PROTECTION = "resource.kubernetes.io/delete-protection"
EXTENDED_RESOURCE_CLAIM = "resource.kubernetes.io/extended-resource-claim"
EXTENDED_RESOURCE_PREFIX = "deviceclass.resource.kubernetes.io/"
# The most devices that a claim can be given, and alternatives that a request can have.
MAX_RESULTS, MAX_ALTERNATIVES = 32, 8

Manifest = Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class Attribute:
    """An attribute of a device. `type` is the name of its field: string, int, bool or version."""

    type: str
    value: str | int | bool


@dataclass(slots=True, frozen=True)
class CapacityRange:
    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


@dataclass(slots=True, frozen=True)
class RequestPolicy:
    """The amounts of a capacity that a request can consume. Requests are rounded up to them."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    valid_range: CapacityRange | None = None


@dataclass(slots=True, frozen=True)
class DeviceCapacity:
    value: Quantity
    policy: RequestPolicy | None = None


@dataclass(slots=True, frozen=True)
class CounterConsumption:
    counter_set: str
    counters: Mapping[str, Quantity]


@dataclass(slots=True, frozen=True)
class DeviceTaint:
    key: str
    value: str
    effect: str


@dataclass(slots=True, frozen=True)
class DeviceToleration:
    """A toleration of device taints. `manifest` is copied into the result of a claim."""

    key: str
    operator: str
    value: str
    effect: str
    manifest: Manifest = field(compare=False)


@dataclass(slots=True, frozen=True)
class Device:
    """One device of a slice. `answers` caches the results of selectors by expression and driver (`dra.selectors`)."""

    name: str
    attributes: Mapping[str, Attribute]
    capacity: Mapping[str, DeviceCapacity]
    consumes_counters: tuple[CounterConsumption, ...] = ()
    taints: tuple[DeviceTaint, ...] = ()
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    allow_multiple_allocations: bool = False
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    answers: dict[tuple[str, str], bool] = field(default_factory=dict, compare=False, repr=False)


@dataclass(slots=True, kw_only=True)
class ResourceSlice(KubeObject):
    """The devices of one driver and pool. `counters` are the pool's shared counter sets by name."""

    driver: str
    pool: str
    generation: int
    slice_count: int
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    per_device_node_selection: bool = False
    devices: tuple[Device, ...] = ()
    counters: tuple[tuple[str, Mapping[str, Quantity]], ...] = ()


@dataclass(slots=True, kw_only=True)
class DeviceClass(KubeObject):
    """A class of devices. `selectors` are CEL expressions; `config` are the entries of `spec.config` as written."""

    selectors: tuple[str, ...] = ()
    config: tuple[Manifest, ...] = ()
    extended_resource_name: str = ""


@dataclass(slots=True, frozen=True)
class DeviceRequest:
    """One request of a claim; with `alternatives` it is the first of those that can be satisfied.

    `admin_access` None says that the field is absent.
    """

    name: str
    class_name: str = ""
    mode: str = EXACT_COUNT
    count: int = 1
    selectors: tuple[str, ...] = ()
    admin_access: bool | None = None
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: Mapping[str, Quantity] = field(default_factory=dict)
    alternatives: tuple["DeviceRequest", ...] = ()


@dataclass(slots=True, frozen=True)
class DeviceConstraint:
    """All (or no two) devices of these requests have the same value of an attribute; no requests means all."""

    requests: tuple[str, ...] = ()
    match_attribute: str = ""
    distinct_attribute: str = ""


@dataclass(slots=True, frozen=True)
class DeviceId:
    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


@dataclass(slots=True, frozen=True)
class AllocatedDevice:
    """One result of an allocation. `request` is `name/alternative` where one was chosen; `share` its share ID or "".

    A pod is bound only when all `binding_conditions` are true of the device, and not while a failure condition is.
    """

    request: str
    id: DeviceId
    admin_access: bool | None = None
    share: str = ""
    consumed: Mapping[str, Quantity] = field(default_factory=dict)
    tolerations: tuple[Manifest, ...] = ()
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class Allocation:
    """The result of an allocation. `config` are its entries as written. No node selector means any Node.

    `timestamp` is the time of the allocation in seconds since 1970.
    """

    devices: tuple[AllocatedDevice, ...] = ()
    config: tuple[Manifest, ...] = ()
    node_selector: NodeSelector | None = None
    timestamp: float | None = None


@dataclass(slots=True, frozen=True)
class DeviceCondition:
    """A condition of a device that its driver reports in the claim's status."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


@dataclass(slots=True, frozen=True)
class DeviceStatus:
    """The status of an allocated device. `manifest` is the entry as written."""

    id: DeviceId
    conditions: tuple[DeviceCondition, ...] = ()
    manifest: Manifest = field(default_factory=dict)

    def condition(self, type_: str) -> DeviceCondition | None:
        return next((listed for listed in self.conditions if listed.type == type_), None)

    def is_true(self, type_: str) -> bool:
        listed = self.condition(type_)
        return listed is not None and listed.status == "True"


@dataclass(slots=True, frozen=True)
class Consumer:
    """An object for which a claim is reserved."""

    resource: str
    name: str
    uid: str
    api_group: str = ""


@dataclass(slots=True, kw_only=True)
class ResourceClaim(KubeObject):
    """A claim for devices. `config` are the entries of `spec.devices.config` as written."""

    requests: tuple[DeviceRequest, ...] = ()
    constraints: tuple[DeviceConstraint, ...] = ()
    config: tuple[Manifest, ...] = ()
    finalizers: tuple[str, ...] = ()
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    device_statuses: tuple[DeviceStatus, ...] = ()

    def status_of(self, device: DeviceId) -> DeviceStatus | None:
        return next((listed for listed in self.device_statuses if listed.id == device), None)

    def is_reserved_for(self, uid: str) -> bool:
        return any(consumer.uid == uid for consumer in self.reserved_for)


@dataclass(slots=True, kw_only=True)
class ResourceClaimTemplate(KubeObject):
    """A template of claims. `template` is its `spec`: `metadata` and `spec` of the claims."""

    template: Manifest = field(default_factory=dict)
