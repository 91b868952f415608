"""The pools with devices for a node. Source: structured/internal/{stable,incubating}/pools_*.go."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from kube_objects.devices import Device, DeviceId, ResourceSlice
from kube_objects.node import Node
from kube_objects.quantity import Quantity
from kube_objects.selectors import NodeSelector
from scheduler_core.dra.rules import AllocatorRules

Counters = Mapping[str, Mapping[str, Quantity]]


@dataclass(slots=True)
class Pool:
    """A resource pool.

    `slices` have devices for the node, `elsewhere` the pool's other devices, which share its counters. `invalid` is why
    the pool can't be used; a driver is updating an incomplete one.
    """

    driver: str
    name: str
    slices: Sequence[ResourceSlice] = ()
    elsewhere: Sequence[ResourceSlice] = ()
    counters: Counters = field(default_factory=dict)
    is_incomplete: bool = False
    invalid: str = ""

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"

    def id_of(self, device: Device) -> DeviceId:
        return DeviceId(self.driver, self.name, device.name)

    def devices(self) -> Iterator[tuple[ResourceSlice, Device]]:
        for resource_slice in self.slices:
            for device in resource_slice.devices:
                yield resource_slice, device


def is_on(node: Node, name: str, all_nodes: bool, selector: NodeSelector | None) -> bool:
    """Return True if something with this node selection is available on the node."""
    if name:
        return name == node.name
    return all_nodes or (selector is not None and selector.matches(node.labels, node.name))


def gather_pools(
    slices: Iterable[ResourceSlice], node: Node, everything: Sequence[ResourceSlice], rules: AllocatorRules
) -> list[Pool]:
    """Return the pools of the slices for the node, in the order in which the allocator uses them.

    `everything` is all slices of the cluster.
    """
    by_pool: dict[tuple[str, str], list[ResourceSlice]] = {}
    for resource_slice in slices:
        if _is_for(resource_slice, node, rules):
            _add(by_pool.setdefault((resource_slice.driver, resource_slice.pool), []), resource_slice)
    pools = []
    for (driver, name), own in sorted(by_pool.items()):
        own.sort(key=attrgetter("name"))
        pool = _pool(driver, name, own, everything, rules)
        if pool is not None:
            pools.append(pool)
    if rules.skips_bad_pools:
        # Pools with binding conditions are used last.
        pools.sort(key=lambda pool: any(device.binding_conditions for _, device in pool.devices()))
    return pools


def _is_for(resource_slice: ResourceSlice, node: Node, rules: AllocatorRules) -> bool:
    if not rules.partitionable_devices and (resource_slice.per_device_node_selection or resource_slice.counters):
        return False
    if resource_slice.counters:
        return True
    if resource_slice.per_device_node_selection:
        return any(
            is_on(node, device.node_name, device.all_nodes, device.node_selector) for device in resource_slice.devices
        )
    return is_on(node, resource_slice.node_name, resource_slice.all_nodes, resource_slice.node_selector)


def _add(own: list[ResourceSlice], resource_slice: ResourceSlice) -> None:
    """Add a slice; only the newest generation of a pool counts."""
    if own and resource_slice.generation > own[0].generation:
        own.clear()
    if not own or resource_slice.generation == own[0].generation:
        own.append(resource_slice)


def _pool(
    driver: str, name: str, own: list[ResourceSlice], everything: Sequence[ResourceSlice], rules: AllocatorRules
) -> Pool | None:
    is_complete = len(own) == own[0].slice_count
    if not rules.skips_bad_pools:
        return Pool(driver, name, own, is_incomplete=not is_complete, invalid=_duplicate(own))
    whole: Sequence[ResourceSlice] = own
    if not is_complete:
        mine = [each for each in everything if (each.driver, each.pool) == (driver, name)]
        if any(each.generation > own[0].generation for each in mine):
            return None
        whole = [each for each in mine if each.generation == own[0].generation]
        if len(whole) != own[0].slice_count:
            return Pool(driver, name, is_incomplete=True)
    usable = [each for each in own if not each.counters]
    names = {each.name for each in own}
    elsewhere = [each for each in whole if each.name not in names]
    counters = {set_name: amounts for each in own for set_name, amounts in each.counters}
    invalid = _duplicate(usable)
    if rules.partitionable_devices:
        invalid = invalid or _wrong_counters(own, counters) or _wrong_counters(elsewhere, counters)
    return Pool(driver, name, invalid=invalid) if invalid else Pool(driver, name, usable, elsewhere, counters)


def _duplicate(slices: Iterable[ResourceSlice]) -> str:
    names: set[str] = set()
    for resource_slice in slices:
        for device in resource_slice.devices:
            if device.name in names:
                return f"duplicate device name {device.name}"
            names.add(device.name)
    return ""


def _wrong_counters(slices: Iterable[ResourceSlice], counters: Counters) -> str:
    sets = [set_name for each in slices for set_name, _ in each.counters]
    if twice := next((name for name in sets if sets.count(name) > 1), ""):
        return f"duplicate counter set name {twice}"
    for resource_slice in slices:
        for device in resource_slice.devices:
            for consumed in device.consumes_counters:
                if consumed.counter_set not in counters:
                    return f"counter set {consumed.counter_set} not found"
                for name in consumed.counters:
                    if name not in counters[consumed.counter_set]:
                        return f"counter {name} not found in counter set {consumed.counter_set}"
    return ""


@dataclass(slots=True, frozen=True)
class NodePools:
    """The pools with devices for a node."""

    node: Node
    pools: Sequence[Pool]
    share_counters: bool


class PoolIndex:
    """The pools of every requested node, for one state of the slices."""

    def __init__(self, rules: AllocatorRules, slices: Sequence[ResourceSlice]) -> None:
        self._rules = rules
        self._slices = slices
        self._on_node: dict[str, list[ResourceSlice]] = {}
        self._shared: list[ResourceSlice] = []
        self._known: dict[str, NodePools] = {}
        self._users: dict[tuple[str, str], set[str]] = {}
        for resource_slice in slices:
            if resource_slice.node_name and not resource_slice.counters:
                self._on_node.setdefault(resource_slice.node_name, []).append(resource_slice)
            else:
                self._shared.append(resource_slice)

    def pools_of(self, node: Node) -> NodePools:
        """Return the node's pools, cached."""
        known = self._known.get(node.name)
        if known is None or known.node is not node:
            slices = [*self._on_node.get(node.name, ()), *self._shared]
            pools = gather_pools(slices, node, self._slices, self._rules)
            for pool in pools:
                self._users.setdefault((pool.driver, pool.name), set()).add(node.name)
            known = self._known[node.name] = NodePools(node, pools, any(pool.counters for pool in pools))
        return known

    def users(self, driver: str, pool: str) -> Collection[str]:
        """Return the names of requested nodes that can use the pool."""
        return self._users.get((driver, pool), ())
