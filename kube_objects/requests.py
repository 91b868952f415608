"""The resource requests of a Pod, from its containers, sidecars, overhead, pod-level resources and resize status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kube_objects import names
from kube_objects.quantity import add, thousandths, whole_units

Milli = Mapping[str, int]

DEFAULT_CPU_MILLI = 100
DEFAULT_MEMORY_MILLI = 200 * 1024 * 1024 * 1000
NON_ZERO: Milli = {"cpu": DEFAULT_CPU_MILLI, "memory": DEFAULT_MEMORY_MILLI}
_NOTHING: Milli = {}


@dataclass(slots=True, frozen=True)
class ContainerAmounts:
    name: str
    requests: Milli
    limits: Milli
    sidecar: bool = False


@dataclass(slots=True, frozen=True)
class ContainerStatusAmounts:
    """`status.containerStatuses[]`: what the kubelet runs with, and what it has allocated."""

    requests: Milli
    allocated: Milli


@dataclass(slots=True)
class PodAmounts:
    """Everything in a manifest that a pod's request is computed from. `statuses` holds only those with resources."""

    containers: list[ContainerAmounts] = field(default_factory=list)
    init_containers: list[ContainerAmounts] = field(default_factory=list)
    overhead: Milli = field(default_factory=dict)
    pod_requests: Milli = field(default_factory=dict)
    pod_limits: Milli = field(default_factory=dict)
    statuses: Mapping[str, ContainerStatusAmounts] = field(default_factory=dict)
    resize_infeasible: bool = False

    @property
    def pod_level(self) -> bool:
        """Source: IsPodLevelRequestsSet."""
        return any(names.is_pod_level_resource(name) for name in self.pod_requests)


def pod_requests(pod: PodAmounts, use_status: bool = True, missing: Milli = _NOTHING) -> dict[str, int]:
    """Return the effective request. `missing` is used for resources that a container doesn't request."""
    total = _aggregate(
        [(_container_requests(pod, container, use_status, missing), False) for container in pod.containers],
        [
            (_container_requests(pod, container, use_status and container.sidecar, missing), container.sidecar)
            for container in pod.init_containers
        ],
    )
    for name, amount in pod.pod_requests.items():
        if names.is_pod_level_resource(name):
            total[name] = amount
    _add(total, pod.overhead)
    return total


def default_pod_level(pod: PodAmounts) -> None:
    """Fill in pod-level limits and requests as the API server does.

    Source: pkg/apis/core/v1/defaults.go defaultHugePagePodLimits, defaultPodRequests.
    """
    if not pod.pod_limits and not pod.pod_requests:
        return
    limits, requests = dict(pod.pod_limits), dict(pod.pod_requests)
    of_containers = _aggregate(
        [(container.limits, False) for container in pod.containers],
        [(container.limits, container.sidecar) for container in pod.init_containers],
    )
    for name, amount in of_containers.items():
        if name.startswith(names.HUGE_PAGES_PREFIX) and name not in requests:
            limits.setdefault(name, amount)
    if limits:
        of_containers = _aggregate(
            [(container.requests, False) for container in pod.containers],
            [(container.requests, container.sidecar) for container in pod.init_containers],
        )
        for name, amount in of_containers.items():
            if names.is_pod_level_resource(name) and names.is_overcommit_allowed(name):
                requests.setdefault(name, amount)
        for name, amount in limits.items():
            if names.is_pod_level_resource(name):
                requests.setdefault(name, amount)
    pod.pod_limits, pod.pod_requests = limits, requests


def node_non_zero(pod: PodAmounts, requests: Milli) -> Milli:
    """Return the defaults for missing requests of a Pod on a Node. Source: getNonMissingContainerRequests."""
    if not pod.pod_level:
        return NON_ZERO
    return {name: amount for name, amount in NON_ZERO.items() if name not in requests}


def in_units(amounts: Milli) -> dict[str, int]:
    """Return CPU in millicores, and all others in whole units rounded up."""
    return {name: thousandths(amount) if name == "cpu" else whole_units(amount) for name, amount in amounts.items()}


def counted(amounts: Milli) -> dict[str, int]:
    """Return the amounts like `in_units`, with only the resources that the scheduler counts. Source: framework.Resource
    Add.
    """
    return in_units(
        {
            name: amount
            for name, amount in amounts.items()
            if name in names.STANDARD_CONTAINER_RESOURCES or names.is_scalar_resource(name)
        }
    )


def _container_requests(pod: PodAmounts, container: ContainerAmounts, use_status: bool, missing: Milli) -> Milli:
    requests = container.requests
    status = pod.statuses.get(container.name) if use_status else None
    if status is not None:
        # While a resize is under way the larger counts; one that the node refused for good does not count at all.
        result: dict[str, int] = {} if pod.resize_infeasible else dict(requests)
        _raise(result, status.requests)
        _raise(result, status.allocated)
        requests = result
    return {**missing, **requests} if missing else requests


def _aggregate(
    containers: Iterable[tuple[Milli, bool]], init_containers: Iterable[tuple[Milli, bool]]
) -> dict[str, int]:
    """Containers run together; init containers one after the other, beside the sidecars started before them."""
    total: dict[str, int] = {}
    for requests, _ in containers:
        _add(total, requests)
    sidecars: dict[str, int] = {}
    largest: dict[str, int] = {}
    for requests, sidecar in init_containers:
        if sidecar:
            _add(total, requests)
            _add(sidecars, requests)
            running: dict[str, int] = sidecars
        else:
            running = dict(requests)
            _add(running, sidecars)
        _raise(largest, running)
    _raise(total, largest)
    return total


def _add(total: dict[str, int], more: Milli) -> None:
    for name, amount in more.items():
        total[name] = add(total[name], amount) if name in total else amount


def _raise(total: dict[str, int], other: Milli) -> None:
    for name, amount in other.items():
        if name not in total or amount > total[name]:
            total[name] = amount
