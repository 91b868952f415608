"""Capacity: how many copies of a pod fit, what must be added for what waits, what can go, what breaks when it fails.

Each answer is a run of the scheduler in a fork, or many of them; nothing is estimated.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import thawed
from simulator.comparison.reasons import kind_of
from simulator.repair.shapes import another, new_names, shapes
from simulator.simulation.evictions import refusal_of, stays_when_drained
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation

RUN: Mapping[str, Any] = {"kind": "run", "until": "idle"}
MOST_COPIES = 1_000_000


class ExplainedCapacity(TypedDict):
    placed: int
    nodes: dict[str, int]
    stopped: str


@dataclass(slots=True)
class Capacity:
    """`nodes`: how many copies each got; `stopped`: upstream's message for the first that found none, "" at a limit."""

    placed: int = 0
    nodes: Counter[str] = field(default_factory=Counter)
    stopped: str = ""

    def as_dict(self) -> ExplainedCapacity:
        return {"placed": self.placed, "nodes": dict(sorted(self.nodes.items())), "stopped": self.stopped}


def capacity(simulation: Simulation, template: Mapping[str, Any], limit: int = MOST_COPIES) -> Capacity:
    """Copies of a pod one after the other, until one finds no node. What waits already is left out."""
    *_, found = copies(simulation, template, limit)
    return found


def copies(simulation: Simulation, template: Mapping[str, Any], limit: int = MOST_COPIES) -> Iterator[Capacity]:
    """The same, as far as it is known, after each copy; the object is always the same one."""
    trial, found = fork(simulation), Capacity()
    _drop(trial, waiting(trial))
    yield found
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
            found.stopped = stopped or "the pod is gated"
            yield found
            return
        found.placed += 1
        found.nodes[node] += 1
        yield found


def copy_of(template: Mapping[str, Any], number: int) -> dict[str, Any]:
    manifest: dict[str, Any] = thawed(template)
    metadata = manifest.get("metadata") or {}
    name = metadata.get("name") or "pod"
    copied = {key: value for key, value in metadata.items() if key in ("labels", "annotations", "ownerReferences")}
    manifest["metadata"] = {"name": f"{name}-{number}", "namespace": metadata.get("namespace") or "default", **copied}
    manifest.pop("status", None)
    (manifest.get("spec") or {}).pop("nodeName", None)
    return manifest


# What must be added


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that can be had: like `node`, for `price` each."""

    node: Node
    price: float = 1.0


@dataclass(slots=True)
class Addition:
    """`nodes`: how many of each group; None where not even many of them would do for all that waits."""

    nodes: dict[str, int] = field(default_factory=dict)
    price: float = 0.0
    placed: int = 0
    pending: list[str] = field(default_factory=list)


def add_nodes(simulation: Simulation, groups: Sequence[Group] | None = None, most: int = 10_000) -> Addition:
    """The fewest nodes of the cheapest group that does for all that waits; where none does alone, a mix, not always the
    cheapest: the group that places the most for its price first.

    Verified: the answer is what runs with these nodes came to. Without `groups` those of the cluster's shapes, for 1.
    """
    steps = adding(simulation, groups, most)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Addition = end.value
            return found


Adding = Generator[None, None, Addition]


def adding(simulation: Simulation, groups: Sequence[Group] | None = None, most: int = 10_000) -> Adding:
    """The same, with a rest after each run; returns the addition."""
    known = groups if groups is not None else [Group(node) for node in shapes(simulation.cluster.store)]
    wanted = waiting(_settled(simulation))
    if not wanted or not known:
        return Addition(pending=wanted)
    tried = []
    for group in known:
        tried.append((yield from _of_one_group(simulation, group, wanted, most)))
    whole = [found for found in tried if found is not None and not found.pending]
    if whole:
        return min(whole, key=lambda found: (found.price, sorted(found.nodes)))
    return (yield from _mixed(simulation, known, wanted, most))


def _mixed(simulation: Simulation, groups: Sequence[Group], wanted: list[str], most: int) -> Adding:
    """Group by group, the one that places the most for its price first, until nothing more is placed."""
    total, trial, left = Addition(), simulation, wanted
    while left:
        better: list[tuple[Group, Addition]] = []
        for group in groups:
            one = yield from _of_one_group(trial, group, left, most)
            if one is not None and one.placed:
                better.append((group, one))
        if not better:
            break
        group, best = min(better, key=lambda entry: (entry[1].price / entry[1].placed, entry[0].node.name))
        count = best.nodes[group.node.name]
        trial = _with(trial, group, count)
        _apply(trial, RUN)
        total.nodes[group.node.name] = total.nodes.get(group.node.name, 0) + count
        total.price += best.price
        left = [key for key in left if not _node(trial, key)]
    total.pending, total.placed = left, len(wanted) - len(left)
    return total


def _of_one_group(
    simulation: Simulation, group: Group, wanted: list[str], most: int
) -> Generator[None, None, Addition | None]:
    """As few as place as many as any number would. None where none of them is placed."""

    def left_with(count: int) -> list[str]:
        trial = _with(simulation, group, count)
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


def _with(simulation: Simulation, group: Group, count: int) -> Simulation:
    trial = fork(simulation)
    names = new_names(trial.cluster.store, group.node.name)
    _apply(trial, {"kind": "create", "objects": [another(group.node, next(names)) for _ in range(count)]})
    return trial


def added_manifests(simulation: Simulation, addition: Addition) -> list[dict[str, Any]]:
    """The nodes of an addition, as they were tried."""
    store, found = simulation.cluster.store, []
    for name, count in addition.nodes.items():
        node, names = store.get("Node", name), new_names(store, name)
        assert isinstance(node, Node)
        found += [another(node, next(names)) for _ in range(count)]
    return found


# What can go


@dataclass(frozen=True, slots=True)
class Drained:
    """`moved`: where the node's pods went; `stays`: those that go with the node, like a DaemonSet's."""

    node: str
    moved: dict[str, str]
    stays: list[str]


def drainable(simulation: Simulation, stopped: Callable[[], bool] = lambda: False) -> Iterator[Drained]:
    """Nodes that can be drained one after the other, the emptiest first, with every pod finding another node.

    No budget is broken, and nobody else becomes pending; each step is verified with those before it done.
    """
    trial = _settled(simulation)
    waited = set(waiting(trial))
    table = trial.cluster.cache.table
    names = sorted((node.name for node in table.nodes), key=lambda name: (len(trial.cluster.pods_on(name)), name))
    for name in names:
        if stopped():
            return
        after = _without(trial, name)
        if after is not None and set(waiting(after[0])) <= waited:
            trial, moved, stays = after
            yield Drained(name, moved, stays)


def _without(simulation: Simulation, name: str) -> tuple[Simulation, dict[str, str], list[str]] | None:
    """The node drained and gone, its pods made again and scheduled. None where a budget keeps one of them."""
    trial = fork(simulation)
    pods = [pod for pod in trial.cluster.pods_on(name) if not pod.finished]
    stays = [pod for pod in pods if stays_when_drained(pod)]
    leaving = [pod for pod in pods if pod not in stays]
    _apply(trial, {"kind": "cordon", "node": name})
    for pod in leaving:
        if refusal_of(pod, trial.cluster):
            return None
        _apply(trial, {"kind": "evict", "pod": pod.key})
    _remove(trial, name, stays)
    _make_again(trial, leaving)
    moved = {pod.key: _node(trial, pod.key) for pod in leaving}
    return trial, moved, [pod.key for pod in stays]


# What breaks


@dataclass(frozen=True, slots=True)
class Failure:
    """`pending`: pods that find no node, of those that were there (`lost`) or elsewhere (evicted by them).

    `names` are those of its `nodes`.
    """

    what: str
    nodes: int
    lost: int
    pending: list[str]
    names: list[str]


def domains_of(simulation: Simulation, key: str | None = None) -> dict[str, list[str]]:
    """The nodes by the values of a topology key, or (None) each by itself; by name."""
    domains: dict[str, list[str]] = {}
    for node in simulation.cluster.store.list("Node"):
        value = node.name if key is None else node.labels.get(key)
        if value is not None:
            domains.setdefault(value, []).append(node.name)
    return dict(sorted(domains.items()))


class Failing:
    """What breaks: each value of a topology key fails by itself, or (None) each node. `domains` are those values."""

    def __init__(self, simulation: Simulation, key: str | None, between: Callable[[], None] = lambda: None) -> None:
        """`between` is called between the attempts of what waits already; it may end them by raising."""
        self._start = _settled(simulation, between)
        self._waited = set(waiting(self._start))
        self.domains = domains_of(self._start, key)

    def once(self, value: str, between: Callable[[], None] = lambda: None) -> Failure:
        """Who finds no node when this one fails? Budgets save nobody. `between` attempts it may be ended by raising."""
        names = self.domains[value]
        trial = fork(self._start)
        lost = [pod for name in names for pod in trial.cluster.pods_on(name) if not pod.finished]
        for name in names:
            _remove(trial, name, trial.cluster.pods_on(name))
        again = [pod for pod in lost if not stays_when_drained(pod)]
        _make_again(trial, again, between)
        return Failure(value, len(names), len(lost), sorted(set(waiting(trial)) - self._waited), names)


def failures(
    simulation: Simulation, key: str | None = None, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Failure]:
    """Of every value, in their order."""
    failing = Failing(simulation, key)
    for value in failing.domains:
        if stopped():
            return
        yield failing.once(value)


def waiting(simulation: Simulation) -> list[str]:
    """Keys of the pods without a node that a profile would schedule, gated ones left out."""
    frameworks = simulation.cluster.scheduler.frameworks
    pods: Sequence[Pod] = simulation.cluster.store.list("Pod")
    return [
        pod.key
        for pod in pods
        if not pod.node_name and not pod.finished and not pod.scheduling_gates and pod.scheduler_name in frameworks
    ]


def why(simulation: Simulation, pod_key: str) -> str:
    """The kind of reason for which a pod waits."""
    pod = simulation.cluster.find_pod(pod_key)
    messages = [one.message for one in pod.conditions if one.type == "PodScheduled"] if pod is not None else []
    return kind_of(messages[0]) if messages and messages[0] else ""


def _settled(simulation: Simulation, between: Callable[[], None] = lambda: None) -> Simulation:
    trial = fork(simulation)
    for _ in trial.apply(RUN):
        between()
    return trial


def _make_again(trial: Simulation, pods: Sequence[Pod], between: Callable[[], None] = lambda: None) -> None:
    """What a controller does: the pods once more, without a node; then all that waits is tried."""
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


def _drop(trial: Simulation, keys: Sequence[str]) -> None:
    gone = [{"kind": "Pod", "namespace": key.split("/")[0], "name": key.split("/")[1]} for key in keys]
    if gone:
        _apply(trial, {"kind": "delete", "objects": gone})


def _apply(trial: Simulation, command: Mapping[str, Any]) -> None:
    for _ in trial.apply(command):
        pass


def _node(trial: Simulation, key: str) -> str:
    pod = trial.cluster.find_pod(key)
    return pod.node_name if pod is not None else ""
