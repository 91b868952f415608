"""Capacity: copies of a pod that fit, nodes to add for pending pods, drainable nodes, and effects of node failures.

Each answer comes from one or more runs of the scheduler in a fork, not from estimates.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import mutable_copy
from simulator.repair.node_shapes import new_names, new_node, nodes_by_shape
from simulator.simulation.evictions import drain_skip_reason, eviction_refusal
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation

RUN: Mapping[str, Any] = {"kind": "run", "until": "idle"}
MOST_COPIES = 1_000_000


class CapacityAnswer(TypedDict):
    placed: int
    nodes: dict[str, int]
    stopped: str


@dataclass(slots=True)
class Capacity:
    """Copies that fit, with the number on each node.

    `stopped` is upstream's message for the first copy without a node, "" if the limit was reached.
    """

    placed: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    stopped: str = ""

    def as_dict(self) -> CapacityAnswer:
        return {"placed": self.placed, "nodes": dict(sorted(self.nodes.items())), "stopped": self.stopped}


def count_copies(simulation: Simulation, template: Mapping[str, Any], limit: int = MOST_COPIES) -> Capacity:
    """Return the result of placing copies of a pod until one finds no node, without the pods that are pending."""
    *_, result = copy_steps(simulation, template, limit)
    return result


def copy_steps(simulation: Simulation, template: Mapping[str, Any], limit: int = MOST_COPIES) -> Iterator[Capacity]:
    """Yield the result so far after each copy; the object is always the same one."""
    trial, result = fork(simulation), Capacity()
    _delete_pods(trial, pending_pods(trial))
    yield result
    for number in range(limit):
        manifest = copy_of(template, number)
        key = f"{manifest['metadata']['namespace']}/{manifest['metadata']['name']}"
        _apply(trial, {"kind": "create", "objects": [manifest]})
        stopped = ""
        while trial.cluster.queue.can_pop and not _node(trial, key):
            for record in trial.apply({"kind": "schedule_one"}):
                cycle = record.data.get("cycle", {})
                stopped = cycle.get("message", "") if cycle.get("pod") == key else stopped
            if stopped:
                break
        node = _node(trial, key)
        if not node:
            result.stopped = stopped or "the pod is gated"
            yield result
            return
        result.placed += 1
        result.nodes[node] += 1
        yield result


def copy_of(template: Mapping[str, Any], number: int) -> dict[str, Any]:
    manifest: dict[str, Any] = mutable_copy(template)
    metadata = manifest.get("metadata") or {}
    name = metadata.get("name") or "pod"
    copied = {key: value for key, value in metadata.items() if key in ("labels", "annotations", "ownerReferences")}
    manifest["metadata"] = {"name": f"{name}-{number}", "namespace": metadata.get("namespace") or "default", **copied}
    manifest.pop("status", None)
    (manifest.get("spec") or {}).pop("nodeName", None)
    return manifest


# Nodes to add


@dataclass(frozen=True, slots=True)
class Group:
    """A type of node that can be added: a copy of `node` for `price`."""

    node: Node
    price: float = 1.0


@dataclass(slots=True)
class Addition:
    """Nodes to add, by group; `pending` are the pods that stay pending."""

    nodes: dict[str, int] = field(default_factory=dict)
    price: float = 0.0
    placed: int = 0
    pending: list[str] = field(default_factory=list)


def add_nodes(simulation: Simulation, groups: Sequence[Group] | None = None, most: int = 10_000) -> Addition:
    """Return the fewest nodes of the cheapest group that is enough for all pending pods.

    If no group alone is enough, the result mixes groups, the one that places the most pods per price first; the mix is
    not always the cheapest. Each result is verified by runs with these nodes. Without `groups`, the groups are the
    cluster's node shapes for a price of 1.
    """
    steps = add_nodes_stepwise(simulation, groups, most)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            addition: Addition = end.value
            return addition


Adding = Generator[None, None, Addition]


def add_nodes_stepwise(simulation: Simulation, groups: Sequence[Group] | None = None, most: int = 10_000) -> Adding:
    """Return the same addition as `add_nodes`, but yield after each run so that callers can pause."""
    known = groups if groups is not None else [Group(node) for node in nodes_by_shape(simulation.cluster.store)]
    wanted = pending_pods(_settled(simulation))
    if not wanted or not known:
        return Addition(pending=wanted)
    tried = []
    for group in known:
        tried.append((yield from _add_of_group(simulation, group, wanted, most)))
    complete = [addition for addition in tried if addition is not None and not addition.pending]
    if complete:
        return min(complete, key=lambda addition: (addition.price, sorted(addition.nodes)))
    return (yield from _add_of_all_groups(simulation, known, wanted, most))


def _add_of_all_groups(simulation: Simulation, groups: Sequence[Group], wanted: list[str], most: int) -> Adding:
    """Add nodes group by group, the one that places the most pods per price first, until nothing more is placed."""
    total, trial, left = Addition(), simulation, wanted
    while left:
        better: list[tuple[Group, Addition]] = []
        for group in groups:
            addition = yield from _add_of_group(trial, group, left, most)
            if addition is not None and addition.placed:
                better.append((group, addition))
        if not better:
            break
        group, best = min(better, key=lambda entry: (entry[1].price / entry[1].placed, entry[0].node.name))
        count = best.nodes[group.node.name]
        trial = _with_added(trial, group, count)
        _apply(trial, RUN)
        total.nodes[group.node.name] = total.nodes.get(group.node.name, 0) + count
        total.price += best.price
        left = [key for key in left if not _node(trial, key)]
    total.pending, total.placed = left, len(wanted) - len(left)
    return total


def _add_of_group(
    simulation: Simulation, group: Group, wanted: list[str], most: int
) -> Generator[None, None, Addition | None]:
    """Return the fewest nodes of the group that place as many pods as any number would, None if none is placed."""

    def left_with(count: int) -> list[str]:
        trial = _with_added(simulation, group, count)
        _apply(trial, RUN)
        return [key for key in wanted if not _node(trial, key)]

    high = min(len(wanted), most)
    least = left_with(high)
    yield
    if len(least) == len(wanted):
        return None
    low = 1
    while low < high:
        middle = (low + high) // 2
        if len(left_with(middle)) <= len(least):
            high = middle
        else:
            low = middle + 1
        yield
    return Addition({group.node.name: high}, group.price * high, len(wanted) - len(least), least)


def _with_added(simulation: Simulation, group: Group, count: int) -> Simulation:
    trial = fork(simulation)
    names = new_names(trial.cluster.store, group.node.name)
    _apply(trial, {"kind": "create", "objects": [new_node(group.node, next(names)) for _ in range(count)]})
    return trial


def added_manifests(simulation: Simulation, addition: Addition) -> list[dict[str, Any]]:
    """Return the manifests of an addition, as its runs used them."""
    store, manifests = simulation.cluster.store, []
    for name, count in addition.nodes.items():
        node, names = store.get("Node", name), new_names(store, name)
        assert isinstance(node, Node)
        manifests += [new_node(node, next(names)) for _ in range(count)]
    return manifests


# Drainable nodes


@dataclass(frozen=True, slots=True)
class Drained:
    """A drained node: `moved` maps pods to their new nodes; `stays` are pods deleted with it, such as a DaemonSet's."""

    node: str
    moved: dict[str, str]
    stays: list[str]


def drainable_nodes(simulation: Simulation, stopped: Callable[[], bool] = lambda: False) -> Iterator[Drained]:
    """Yield nodes that can be drained one after the other, the emptiest first.

    Every pod finds another node, no PodDisruptionBudget is violated, and no other pod becomes pending. Each step
    includes those before it.
    """
    trial = _settled(simulation)
    waited = set(pending_pods(trial))
    table = trial.cluster.cache.table
    names = sorted((node.name for node in table.nodes), key=lambda name: (len(trial.cluster.pods_on(name)), name))
    for name in names:
        if stopped():
            return
        after = _drain(trial, name)
        if after is not None and set(pending_pods(after[0])) <= waited:
            trial, moved, stays = after
            yield Drained(name, moved, stays)


def _drain(simulation: Simulation, name: str) -> tuple[Simulation, dict[str, str], list[str]] | None:
    """Drain and delete the node, and schedule its recreated pods. Return None if a PodDisruptionBudget refuses."""
    trial = fork(simulation)
    pods = [pod for pod in trial.cluster.pods_on(name) if not pod.finished]
    stays = [pod for pod in pods if drain_skip_reason(pod)]
    leaving = [pod for pod in pods if pod not in stays]
    _apply(trial, {"kind": "cordon", "node": name})
    for pod in leaving:
        if eviction_refusal(pod, trial.cluster):
            return None
        _apply(trial, {"kind": "evict", "pod": pod.key})
    _remove(trial, name, stays)
    _recreate(trial, leaving)
    moved = {pod.key: _node(trial, pod.key) for pod in leaving}
    return trial, moved, [pod.key for pod in stays]


# Failures


@dataclass(frozen=True, slots=True)
class Failure:
    """Effects of the failure of the nodes `names`.

    `lost` counts their pods. `pending` are pods that find no node, among them pods that lost pods preempted.
    """

    what: str
    nodes: int
    lost: int
    pending: list[str]
    names: list[str]


def domains_of(simulation: Simulation, key: str | None = None) -> dict[str, list[str]]:
    """Return the nodes' names by the value of a topology key, or each node alone if the key is None."""
    domains: dict[str, list[str]] = {}
    for node in simulation.cluster.store.list("Node"):
        value = node.name if key is None else node.labels.get(key)
        if value is not None:
            domains.setdefault(value, []).append(node.name)
    return dict(sorted(domains.items()))


class FailureSimulation:
    """A simulation of failures: each value of a topology key fails alone, or each node if the key is None."""

    def __init__(self, simulation: Simulation, key: str | None, between: Callable[[], None] = lambda: None) -> None:
        """Schedule all pending pods first. `between` is called between attempts; it may raise to stop them."""
        self._start = _settled(simulation, between)
        self._waited = set(pending_pods(self._start))
        self.domains = domains_of(self._start, key)

    def once(self, value: str, between: Callable[[], None] = lambda: None) -> Failure:
        """Return the effects if this domain fails. PodDisruptionBudgets do not apply. `between` may raise to stop."""
        names = self.domains[value]
        trial = fork(self._start)
        lost = [pod for name in names for pod in trial.cluster.pods_on(name) if not pod.finished]
        for name in names:
            _remove(trial, name, trial.cluster.pods_on(name))
        again = [pod for pod in lost if not drain_skip_reason(pod)]
        _recreate(trial, again, between)
        return Failure(value, len(names), len(lost), sorted(set(pending_pods(trial)) - self._waited), names)


def simulate_failures(
    simulation: Simulation, key: str | None = None, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Failure]:
    """Yield the effects of each domain's failure, in order."""
    failing = FailureSimulation(simulation, key)
    for value in failing.domains:
        if stopped():
            return
        yield failing.once(value)


def pending_pods(simulation: Simulation) -> list[str]:
    """Return the keys of pods without a node that a profile would schedule, except gated ones."""
    frameworks = simulation.cluster.scheduler.frameworks
    pods: Sequence[Pod] = simulation.cluster.store.list("Pod")
    return [
        pod.key
        for pod in pods
        if not pod.node_name and not pod.finished and not pod.scheduling_gates and pod.scheduler_name in frameworks
    ]


def _settled(simulation: Simulation, between: Callable[[], None] = lambda: None) -> Simulation:
    trial = fork(simulation)
    for _ in trial.apply(RUN):
        between()
    return trial


def _recreate(trial: Simulation, pods: Sequence[Pod], between: Callable[[], None] = lambda: None) -> None:
    """Create the pods again without nodes, as their controllers would, and schedule all pending pods."""
    fresh = []
    for pod in pods:
        manifest = copy_of(manifest_of(pod), 0)
        manifest["metadata"]["name"] = pod.name
        fresh.append(manifest)
    if fresh:
        _apply(trial, {"kind": "create", "objects": fresh})
    for _ in trial.apply(RUN):
        between()


def _remove(trial: Simulation, node: str, pods: Sequence[Pod]) -> None:
    gone = [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name} for pod in pods]
    _apply(trial, {"kind": "delete", "objects": [*gone, {"kind": "Node", "name": node}]})


def _delete_pods(trial: Simulation, keys: Sequence[str]) -> None:
    gone = [{"kind": "Pod", "namespace": key.split("/")[0], "name": key.split("/")[1]} for key in keys]
    if gone:
        _apply(trial, {"kind": "delete", "objects": gone})


def _apply(trial: Simulation, command: Mapping[str, Any]) -> None:
    for _ in trial.apply(command):
        pass


def _node(trial: Simulation, key: str) -> str:
    pod = trial.cluster.find_pod(key)
    return pod.node_name if pod is not None else ""
