"""The requests of claims, checked for one node before the search for devices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kube_objects.devices import (
    ALL,
    MAX_RESULTS,
    Device,
    DeviceClass,
    DeviceId,
    DeviceRequest,
    ResourceClaim,
    ResourceSlice,
)
from kube_objects.quantity import Quantity
from scheduler_core.dra.errors import AllocationError
from scheduler_core.dra.pools import Pool


@dataclass(slots=True, frozen=True)
class Candidate:
    """A device with its pool and slice."""

    pool: Pool
    slice: ResourceSlice
    device: Device


@dataclass(slots=True, frozen=True)
class RequestData:
    """One request, or one alternative of `parent`. `every` holds all devices of a request with mode All."""

    request: DeviceRequest
    device_class: DeviceClass
    count: int
    every: Sequence[Candidate] = ()
    parent: DeviceRequest | None = None

    @property
    def name(self) -> str:
        return f"{self.parent.name}/{self.request.name}" if self.parent else self.request.name


@dataclass(slots=True, frozen=True)
class Taken:
    """A device that the search allocated to a request; `consumed` is set if it uses only a part of the device."""

    data: RequestData
    candidate: Candidate
    id: DeviceId
    is_shared: bool
    consumed: Mapping[str, Quantity] = field(default_factory=dict)


# Positions of (claim, request, alternative); a request without alternatives has alternative 0.
Key = tuple[int, int, int]
Selectable = Callable[[Key, RequestData, Candidate], bool]


def check_requests(
    index: int,
    claim: ResourceClaim,
    pools: Sequence[Pool],
    classes: Mapping[str, DeviceClass],
    is_selectable: Selectable,
    shifted: bool,
) -> dict[Key, RequestData]:
    """Return all requests of claim number `index`. Raises AllocationError.

    `shifted`: results for the devices of an alternative are stored under the alternative before it (a bug in v1.34).
    """
    requests: dict[Key, RequestData] = {}
    least = 0
    for position, request in enumerate(claim.requests):
        if not request.alternatives:
            data = _check_one((index, position, 0), claim, request, None, pools, classes, is_selectable)
            requests[index, position, 0] = data
            least += data.count
            continue
        counts = []
        for number, alternative in enumerate(request.alternatives):
            key = (index, position, max(number - 1, 0) if shifted else number)
            data = _check_one(key, claim, alternative, request, pools, classes, is_selectable)
            requests[index, position, number] = data
            counts.append(data.count)
        least += min(counts)
    if least > MAX_RESULTS:
        raise AllocationError(
            f"claim {claim.key}: number of requested devices {least} exceeds the claim limit of {MAX_RESULTS}"
        )
    return requests


def _check_one(
    key: Key,
    claim: ResourceClaim,
    request: DeviceRequest,
    parent: DeviceRequest | None,
    pools: Sequence[Pool],
    classes: Mapping[str, DeviceClass],
    is_selectable: Selectable,
) -> RequestData:
    device_class = classes.get(request.class_name)
    if device_class is None:
        raise AllocationError(
            f"claim {claim.key}, request {request.name}: could not retrieve device class {request.class_name}: "
            f'deviceclass.resource.k8s.io "{request.class_name}" not found'
        )
    if request.mode != ALL:
        return RequestData(request, device_class, request.count, parent=parent)
    data = RequestData(request, device_class, 0, parent=parent)
    every = []
    for pool in pools:
        wrong = "currently being updated" if pool.is_incomplete else "currently invalid" if pool.invalid else ""
        if wrong:
            raise AllocationError(
                f"claim {claim.key}, request {request.name}: asks for all devices, but resource pool {pool} is {wrong}"
            )
        for resource_slice, device in pool.devices():
            candidate = Candidate(pool, resource_slice, device)
            if is_selectable(key, data, candidate):
                every.append(candidate)
    return RequestData(request, device_class, len(every), every, parent)
