"""The devices of nodes as they are now: free, taken, shared, or without what they would share with others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict

from kube_objects.devices import NO_EXECUTE, NO_SCHEDULE, Device, DeviceId
from kube_objects.node import Node
from kube_objects.quantity import BINARY_SI, Quantity
from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.pools import Pool, is_on
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from simulator.explain.devices.holders import ExplainedHolder, Held, holders
from simulator.explain.devices.watching import attribute_text, taint_text
from simulator.simulation.simulation import Simulation

PLUGIN = "DynamicResources"
State = Literal["free", "taken", "shared", "blocked"]
STATES: tuple[State, ...] = ("free", "taken", "shared", "blocked")
FREE, TAKEN, SHARED, BLOCKED = STATES
# Devices of one node that are told in short (as cells), and with all that is known of them.
MAX_CELLS, MAX_DEVICES = 64, 256

Holders = Mapping[DeviceId, Sequence[Held]]


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
    """In short. A device is `driver/pool/name`, `by` are the claims that have it.

    Nodes without devices, and those that are not there, are left out.
    """
    found: list[ExplainedDevicesOfNode] = []
    for view in _Views(simulation).of(names):
        cells = [_cell(view, pool, device) for pool, device in view.devices()]
        if not cells:
            continue
        states = [cell["state"] for cell in cells]
        found.append(
            {
                "node": view.node.name,
                "total": len(cells),
                "counts": {state: states.count(state) for state in (FREE, TAKEN, SHARED, BLOCKED)},
                "tainted": sum(cell["tainted"] for cell in cells),
                "devices": cells[:MAX_CELLS],
                "omitted": max(len(cells) - MAX_CELLS, 0),
            }
        )
    return {"nodes": found}


def devices_of_node(simulation: Simulation, name: str) -> ExplainedNodeDevices | None:
    """All of one node; None without such a node."""
    view = next(_Views(simulation).of([name]), None)
    if view is None:
        return None
    pools: list[ExplainedPool] = []
    room, omitted = MAX_DEVICES, 0
    for pool in view.pools:
        own = [device for of_pool, device in view.devices() if of_pool is pool]
        pools.append(
            {
                "driver": pool.driver,
                "pool": pool.name,
                "problem": pool.invalid or ("incomplete" if pool.is_incomplete else ""),
                "counters": _counters(view.allocator, pool),
                "devices": [_whole(view, pool, device) for device in own[:room]],
            }
        )
        omitted += max(len(own) - room, 0)
        room = max(room - len(own), 0)
    return {"node": name, "pools": pools, "omitted": omitted}


class _View:
    """One node with the pools that it can use devices of."""

    def __init__(self, allocator: Allocator, held: Holders, node: Node) -> None:
        self.allocator, self.held, self.node = allocator, held, node
        self.pools = allocator.pools_of(node)

    def devices(self) -> Iterator[tuple[Pool, Device]]:
        for pool in self.pools:
            for each, device in pool.devices():
                if not each.per_device_node_selection or is_on(
                    self.node, device.node_name, device.all_nodes, device.node_selector
                ):
                    yield pool, device


class _Views:
    def __init__(self, simulation: Simulation) -> None:
        cluster = simulation.cluster
        self._store = cluster.store
        frameworks = cluster.scheduler.frameworks.values()
        plugins = (framework.plugins.get(PLUGIN) for framework in frameworks)
        self._plugin = next((one for one in plugins if isinstance(one, DynamicResources)), None)
        self._held = holders(cluster.store, cluster.in_flight)

    def of(self, names: Sequence[str]) -> Iterator[_View]:
        """Nothing where no profile has the plugin: then devices mean nothing to the scheduler."""
        if self._plugin is None:
            return
        allocator = self._plugin.allocator()
        for name in names:
            node = self._store.get("Node", name)
            if isinstance(node, Node):
                yield _View(allocator, self._held, node)


def _cell(view: _View, pool: Pool, device: Device) -> CellAnswer:
    identity = pool.id_of(device)
    held = [one for one in view.held.get(identity, ()) if not one.device.admin_access]
    return {
        "device": str(identity),
        "state": _state(view.allocator, pool, device),
        "tainted": any(taint.effect in (NO_SCHEDULE, NO_EXECUTE) for taint in device.taints),
        "partition": bool(device.consumes_counters),
        "by": [one.claim.key for one in held],
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


def _whole(view: _View, pool: Pool, device: Device) -> DeviceAnswer:
    in_use = view.allocator.state.shared.get(pool.id_of(device), {})
    return {
        **_cell(view, pool, device),
        "attributes": {name: attribute_text(found.value) for name, found in sorted(device.attributes.items())},
        "capacity": [
            {
                "name": name,
                "total": str(found.value),
                "used": str(Quantity(in_use.get(name, 0), found.value.format)) if name in in_use else "",
            }
            for name, found in sorted(device.capacity.items())
        ],
        "consumes": [
            {"set": consumed.counter_set, "counter": name, "amount": str(amount)}
            for consumed in device.consumes_counters
            for name, amount in sorted(consumed.counters.items())
        ],
        "taints": [taint_text(taint.key, taint.value, taint.effect) for taint in device.taints],
        "holders": [one.as_dict() for one in view.held.get(pool.id_of(device), ())],
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
