"""Extended resources that DeviceClasses provide: `requests: {example.com/gpu: 2}` becomes a ResourceClaim.

Source (v1.36): dynamicresources/extendeddynamicresources.go, deviceclass/extendedresourcecache.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_objects.devices import EXTENDED_RESOURCE_PREFIX, DeviceClass, DeviceId, DeviceRequest, ResourceSlice
from kube_objects.names import STANDARD_CONTAINER_RESOURCES, is_extended_resource
from kube_objects.node import Node
from kube_objects.pod import Container, Pod
from kube_objects.text.errors import SelectorError
from scheduler_core.dra import selectors
from scheduler_core.dra.pools import is_on
from scheduler_core.dra.state import AllocatedState

Mappings = list[dict[str, Any]]


@lru_cache(maxsize=1024)
def may_be_devices(resource: str) -> bool:
    """Return True if a DeviceClass can provide the resource. Source: IsDRAExtendedResourceName."""
    return is_extended_resource(resource) or resource.startswith(EXTENDED_RESOURCE_PREFIX)


def any_may_be_devices(requests: Mapping[str, int]) -> bool:
    """Return True if a DeviceClass can provide one of the resources; the first check is cheap for most pods."""
    return not requests.keys() <= STANDARD_CONTAINER_RESOURCES and any(map(may_be_devices, requests))


def classes_by_resource(classes: Iterable[DeviceClass]) -> dict[str, DeviceClass]:
    """Return DeviceClasses by the resource they provide, and by their implicit resource. The newest one wins."""
    by_resource: dict[str, DeviceClass] = {}
    for device_class in classes:
        resource = device_class.extended_resource_name
        other = by_resource.get(resource) if resource else None
        if other is not None:
            age, other_age = device_class.creation_timestamp or 0.0, other.creation_timestamp or 0.0
            if age < other_age or (age == other_age and device_class.name >= other.name):
                continue
        if resource:
            by_resource[resource] = device_class
        by_resource[f"{EXTENDED_RESOURCE_PREFIX}{device_class.name}"] = device_class
    return by_resource


def count_devices(
    node: Node, device_class: DeviceClass, slices: Iterable[ResourceSlice], state: AllocatedState
) -> tuple[int, int]:
    """Return how many devices of a class the node has, and how many are allocated; (0, 0) if a selector fails."""
    capacity = allocated = 0
    for resource_slice in slices:
        if not resource_slice.per_device_node_selection and not _is_near(resource_slice, node):
            continue
        for device in resource_slice.devices:
            if resource_slice.per_device_node_selection and not is_on(
                node, device.node_name, device.all_nodes, device.node_selector
            ):
                continue
            try:
                if not all(
                    selectors.device_matches(one, resource_slice.driver, device) for one in device_class.selectors
                ):
                    continue
            except SelectorError:
                return 0, 0
            capacity += 1
            allocated += DeviceId(resource_slice.driver, resource_slice.pool, device.name) in state
    return capacity, allocated


def _is_near(each: ResourceSlice, node: Node) -> bool:
    """Return True if the slice counts for the node; upstream counts a slice without node selection for every node."""
    says_nothing = not each.node_name and each.node_selector is None
    return says_nothing or is_on(node, each.node_name, each.all_nodes, each.node_selector)


def build_requests(
    pod: Pod, resources: Iterable[str], classes: Mapping[str, DeviceClass]
) -> tuple[list[DeviceRequest], Mappings]:
    """Return the requests of the claim for these resources of a pod, and the containers' mappings to them.

    Devices of init containers that end are reused by later containers. Source: createRequestsAndMappings.
    """
    containers = [*pod.init_containers, *pod.containers]
    inits = len(pod.init_containers)
    is_short = [i < inits and container.restart_policy != "Always" for i, container in enumerate(containers)]
    requests: list[DeviceRequest] = []
    mappings: Mappings = []
    for resource in sorted(resources):
        device_class = classes[resource].name
        lasting: list[DeviceRequest | None] = [None] * len(containers)
        for i, container in enumerate(containers):
            if not is_short[i]:
                lasting[i], own = _request_of_container(i, container, resource, device_class, ())
                mappings += own
        largest, passing = _requests_of_short_containers(containers, is_short, resource, device_class, lasting)
        requests += [request for request in (largest, *lasting) if request is not None]
        mappings += passing
    return sorted(requests, key=lambda request: request.name), mappings


def _requests_of_short_containers(
    containers: Sequence[Container],
    is_short: Sequence[bool],
    resource: str,
    device_class: str,
    lasting: Sequence[DeviceRequest | None],
) -> tuple[DeviceRequest | None, Mappings]:
    """Return the largest request of the init containers that end, which they use in turn."""
    largest: DeviceRequest | None = None
    names: set[str] = set()
    mappings: Mappings = []
    for i, container in enumerate(containers):
        if not is_short[i]:
            continue
        request, own = _request_of_container(i, container, resource, device_class, lasting[i:])
        if request is not None:
            names.add(request.name)
            if largest is None or largest.count < request.count:
                largest = request
        mappings += own
    if largest is not None:
        for mapping in mappings:
            if mapping["request"] in names:
                mapping["request"] = largest.name
    return largest, mappings


def _request_of_container(
    index: int, container: Container, resource: str, device_class: str, reusable: Iterable[DeviceRequest | None]
) -> tuple[DeviceRequest | None, Mappings]:
    wanted = container.requests.get(resource, 0)
    if not wanted:
        return None, []
    mappings: Mappings = []
    had = 0
    for request in reusable:
        if request is not None:
            had += request.count
            mappings.append(_mapping(container, resource, request.name))
            if had >= wanted:
                return None, mappings
    name = f"container-{index}-request-{sorted(container.requests).index(resource)}"
    mappings.append(_mapping(container, resource, name))
    return DeviceRequest(name, device_class, count=wanted - had), mappings


def _mapping(container: Container, resource: str, request: str) -> dict[str, Any]:
    return {"container": container.name, "resource": resource, "request": request}
