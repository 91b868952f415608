"""Current devices of nodes, each free, taken, shared, or blocked because shared counters are used up."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from kube_objects.devices import NO_EXECUTE, NO_SCHEDULE, Device, DeviceId
from kube_objects.node import Node
from kube_objects.quantity import BINARY_SI, Quantity
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.pools import Pool, is_on
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from simulator.explain.devices.holders import DeviceHolder, ExplainedHolder, holders_by_device
from simulator.explain.devices.watched_search import attribute_text, taint_text
from simulator.simulation.simulation import Simulation

PLUGIN = "DynamicResources"
State = Literal["free", "taken", "shared", "blocked"]
STATES: tuple[State, ...] = ("free", "taken", "shared", "blocked")
FREE, TAKEN, SHARED, BLOCKED = STATES
# Limits per node: devices in the short form (cells), and devices with all fields.
MAX_CELLS, MAX_DEVICES = 64, 256

Holders = Mapping[DeviceId, Sequence[DeviceHolder]]


class CellAnswer(TypedDict):
    device: str
    state: State
    tainted: bool
    partition: bool
    by: list[str]


class ExplainedDevicesOfNode(TypedDict):
    node: str
    total: int
    counts: dict[str, int]
    tainted: int
    devices: list[CellAnswer]
    omitted: int


class ExplainedDevices(TypedDict):
    nodes: list[ExplainedDevicesOfNode]


class ExplainedCapacity(TypedDict):
    name: str
    total: str
    used: str


class ExplainedConsumes(TypedDict):
    set: str
    counter: str
    amount: str


class DeviceAnswer(CellAnswer):
    attributes: dict[str, str]
    capacity: list[ExplainedCapacity]
    consumes: list[ExplainedConsumes]
    taints: list[str]
    holders: list[ExplainedHolder]


class ExplainedCounter(TypedDict):
    set: str
    counter: str
    total: str
    left: str


class ExplainedPool(TypedDict):
    driver: str
    pool: str
    problem: str
    counters: list[ExplainedCounter]
    devices: list[DeviceAnswer]


class ExplainedNodeDevices(TypedDict):
    node: str
    pools: list[ExplainedPool]
    omitted: int


def devices_of_nodes(simulation: Simulation, names: Sequence[str]) -> ExplainedDevices:
    """Return short forms of the nodes' devices, without nodes that have none or do not exist.

    A device is `driver/pool/name`; `by` are the claims that hold it.
    """
    nodes: list[ExplainedDevicesOfNode] = []
    for node_devices in _devices_of(simulation, names):
        cells = [_cell(node_devices, pool, device) for pool, device in node_devices.devices()]
        if not cells:
            continue
        states = [cell["state"] for cell in cells]
        nodes.append(
            {
                "node": node_devices.node.name,
                "total": len(cells),
                "counts": {state: states.count(state) for state in (FREE, TAKEN, SHARED, BLOCKED)},
                "tainted": sum(cell["tainted"] for cell in cells),
                "devices": cells[:MAX_CELLS],
                "omitted": max(len(cells) - MAX_CELLS, 0),
            }
        )
    return {"nodes": nodes}


def devices_of_node(simulation: Simulation, name: str) -> ExplainedNodeDevices | None:
    """Return all devices of one node with all fields, or None if the node does not exist."""
    node_devices = next(_devices_of(simulation, [name]), None)
    if node_devices is None:
        return None
    pools: list[ExplainedPool] = []
    remaining, omitted = MAX_DEVICES, 0
    for pool in node_devices.pools:
        own = [device for of_pool, device in node_devices.devices() if of_pool is pool]
        pools.append(
            {
                "driver": pool.driver,
                "pool": pool.name,
                "problem": pool.invalid or ("incomplete" if pool.is_incomplete else ""),
                "counters": _counters(node_devices.allocator, pool),
                "devices": [_full_entry(node_devices, pool, device) for device in own[:remaining]],
            }
        )
        omitted += max(len(own) - remaining, 0)
        remaining = max(remaining - len(own), 0)
    return {"node": name, "pools": pools, "omitted": omitted}


class _NodeDevices:
    """A node with the device pools that it can use."""

    def __init__(self, allocator: Allocator, held: Holders, node: Node) -> None:
        self.allocator, self.held, self.node = allocator, held, node
        self.pools = allocator.pools_of(node)

    def devices(self) -> Iterator[tuple[Pool, Device]]:
        for pool in self.pools:
            for resource_slice, device in pool.devices():
                if not resource_slice.per_device_node_selection or is_on(
                    self.node, device.node_name, device.all_nodes, device.node_selector
                ):
                    yield pool, device


def _devices_of(simulation: Simulation, names: Sequence[str]) -> Iterator[_NodeDevices]:
    """Yield the devices of the nodes that exist; none if no profile runs DynamicResources."""
    cluster = simulation.cluster
    plugins = (framework.plugins.get(PLUGIN) for framework in cluster.scheduler.frameworks.values())
    plugin = next((plugin for plugin in plugins if isinstance(plugin, DynamicResources)), None)
    if plugin is None:
        return
    allocator, held = plugin.allocator(), holders_by_device(cluster.store, cluster.in_flight)
    for name in names:
        node = cluster.store.get("Node", name)
        if isinstance(node, Node):
            yield _NodeDevices(allocator, held, node)


def _cell(node_devices: _NodeDevices, pool: Pool, device: Device) -> CellAnswer:
    identity = pool.id_of(device)
    holders = [holder for holder in node_devices.held.get(identity, ()) if not holder.device.admin_access]
    return {
        "device": str(identity),
        "state": _state(node_devices.allocator, pool, device),
        "tainted": any(taint.effect in (NO_SCHEDULE, NO_EXECUTE) for taint in device.taints),
        "partition": bool(device.consumes_counters),
        "by": [holder.claim.key for holder in holders],
    }


def _state(allocator: Allocator, pool: Pool, device: Device) -> State:
    identity = pool.id_of(device)
    if identity in allocator.state.devices:
        return TAKEN
    if identity in allocator.state.shared:
        return SHARED
    left = allocator.available(pool) if device.consumes_counters else {}
    for consumed in device.consumes_counters:
        for name, amount in consumed.counters.items():
            if amount.nano > left.get((consumed.counter_set, name), 0):
                return BLOCKED
    return FREE


def _full_entry(node_devices: _NodeDevices, pool: Pool, device: Device) -> DeviceAnswer:
    in_use = node_devices.allocator.state.shared.get(pool.id_of(device), {})
    return {
        **_cell(node_devices, pool, device),
        "attributes": {name: attribute_text(attribute.value) for name, attribute in sorted(device.attributes.items())},
        "capacity": [
            {
                "name": name,
                "total": str(capacity.value),
                "used": str(Quantity(in_use.get(name, 0), capacity.value.format)) if name in in_use else "",
            }
            for name, capacity in sorted(device.capacity.items())
        ],
        "consumes": [
            {"set": consumed.counter_set, "counter": name, "amount": str(amount)}
            for consumed in device.consumes_counters
            for name, amount in sorted(consumed.counters.items())
        ],
        "taints": [taint_text(taint.key, taint.value, taint.effect) for taint in device.taints],
        "holders": [holder.as_dict() for holder in node_devices.held.get(pool.id_of(device), ())],
    }


def _counters(allocator: Allocator, pool: Pool) -> list[ExplainedCounter]:
    left = allocator.available(pool) if pool.counters else {}
    return [
        {
            "set": group,
            "counter": name,
            "total": str(amount),
            "left": str(Quantity(max(left.get((group, name), 0), 0), amount.format or BINARY_SI)),
        }
        for group, all_ in sorted(pool.counters.items())
        for name, amount in sorted(all_.items())
    ]
