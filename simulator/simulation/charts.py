"""Metrics of a simulation over virtual time: used resources, pods by phase, waiting pods by reason, the price."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import IO, Any, NamedTuple, TypedDict

from kube_controllers.cluster_autoscaler.node_groups import GROUP, GROUP_LABEL, price_of
from kube_objects.pod import Pod
from kube_objects.text.tables import row_writer
from simulator.simulation.journal import Record
from simulator.simulation.records import lane_of
from simulator.simulation.simulation import Simulation

# The resources of every node come first; extended resources follow by name.
RESOURCES = ("cpu", "memory", "pods")
PHASES = ("Pending", "Running", "Succeeded", "Failed")
MOST_RESOURCES = 8
MOST_REASONS = 12
OTHERS = "others"
UNSCHEDULABLE, QUEUED = "Unschedulable", "Queued"


class Point(TypedDict):
    """The metrics of a cluster at virtual time `t` in seconds.

    `use` is the requested share of the nodes' allocatable resources in percent. `waiting` counts pods without a node
    by reason. `price` is per hour.
    """

    t: float
    nodes: int
    use: dict[str, float]
    phases: dict[str, int]
    waiting: dict[str, int]
    price: float


class _PodState(NamedTuple):
    phase: str
    reason: str  # why the pod has no node; "" for pods that have one or have ended


class Meter:
    """A counter of pods that is updated with each record, so that `point` need not count all pods."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._recount()

    def _recount(self) -> None:
        self._cluster = self._simulation.cluster
        self._states: dict[str, _PodState] = {}
        self._phases: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        for pod in self._cluster.store.list("Pod"):
            self._count_pod(pod.key, lane_of(self._cluster, pod.key) if _waits(pod) else {})

    def count_record(self, record: Record) -> None:
        """Update the counts with the last record of the simulation."""
        if self._simulation.cluster is not self._cluster:  # a reset creates a new cluster
            self._recount()
            return
        for key, lane in record.lanes.items():
            self._count_pod(key, lane)
        for _, kind, key, _ in record.manifests:
            if kind == "Pod" and key not in record.lanes:
                self._count_pod(key, {})

    def point(self) -> Point:
        cluster = self._cluster
        nodes = cluster.store.list("Node")
        return {
            "t": round(cluster.now, 3),
            "nodes": len(nodes),
            "use": self._requested_percentages(),
            "phases": {phase: self._phases[phase] for phase in PHASES},
            "waiting": _most_frequent(self._reasons),
            "price": round(self._price(nodes), 6),
        }

    def _count_pod(self, key: str, lane: dict[str, Any]) -> None:
        before = self._states.pop(key, None)
        if before is not None:
            _count(self._phases, before.phase, -1)
            _count(self._reasons, before.reason, -1)
        pod = self._cluster.find_pod(key)
        if pod is None:
            return
        now = _shared_state(pod.phase or "Pending", _reason(pod, lane, before) if _waits(pod) else "")
        self._states[key] = now
        _count(self._phases, now.phase, 1)
        _count(self._reasons, now.reason, 1)

    def _requested_percentages(self) -> dict[str, float]:
        table = self._cluster.cache.table
        allocatable = {name: int(table.allocatable(name).values.sum()) for name in table.resources}
        names = [*RESOURCES, *sorted(name for name, total in allocatable.items() if total and name not in RESOURCES)]
        percentages = {}
        for name in names[:MOST_RESOURCES]:
            requested = table.pod_count if name == "pods" else table.requested(name)
            total = allocatable.get(name, 0)
            percentages[name] = round(100.0 * int(requested.values.sum()) / total, 3) if total else 0.0
        return percentages

    def _price(self, nodes: Iterable[Any]) -> float:
        """Return the cost per hour of the Nodes whose NodeGroup has a price."""
        groups = self._cluster.store.list(GROUP)
        prices = {group.name: price_of(group.manifest) for group in groups}
        return sum(prices.get(node.labels.get(GROUP_LABEL, ""), 0.0) for node in nodes) if prices else 0.0


@lru_cache(1024)
def _shared_state(phase: str, reason: str) -> _PodState:
    """Return one object for all pods with this phase and reason, to save memory."""
    return _PodState(phase, reason)


def _waits(pod: Pod) -> bool:
    return not pod.node_name and not pod.finished


def _count(counter: Counter[str], name: str, change: int) -> None:
    if not name:
        return
    counter[name] += change
    if not counter[name]:
        del counter[name]


def _reason(pod: Pod, lane: dict[str, Any], before: _PodState | None) -> str:
    """Return why the pod has no node.

    This is the plugins that rejected it, else the reason of its condition PodScheduled, else QUEUED before its first
    attempt.
    """
    unscheduled = next(
        (item for item in pod.conditions if item.type == "PodScheduled" and item.status == "False"), None
    )
    reason = unscheduled.reason if unscheduled is not None and unscheduled.reason else QUEUED
    if reason != UNSCHEDULABLE:
        return reason
    if lane.get("plugins"):
        return " + ".join(lane["plugins"])
    # The pod is in the active queue or in backoff. Its earlier obstacle may still exist.
    return before.reason if before is not None and before.reason not in ("", QUEUED) else UNSCHEDULABLE


def _most_frequent(reasons: Counter[str]) -> dict[str, int]:
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    first = dict(ranked[:MOST_REASONS])
    rest = sum(count for _, count in ranked[MOST_REASONS:])
    return first | {OTHERS: rest} if rest else first


def write_csv(file: IO[str], points: Sequence[Point], line_end: str = "\n") -> None:
    """Write a row for each point, with a column for each resource that any point names."""
    resources = [*RESOURCES, *sorted({name for point in points for name in point["use"]}.difference(RESOURCES))]
    write = row_writer(file, line_end=line_end)
    write(
        [
            "seconds",
            "nodes",
            *(f"{resource}_requested_percent" for resource in resources),
            *(f"pods_{phase.lower()}" for phase in PHASES),
            "pods_without_node",
            "why",
            "price_per_hour",
        ]
    )
    for point in points:
        write(
            [
                point["t"],
                point["nodes"],
                *(point["use"].get(resource, 0.0) for resource in resources),
                *(point["phases"][phase] for phase in PHASES),
                sum(point["waiting"].values()),
                "; ".join(f"{count} {reason}" for reason, count in sorted(point["waiting"].items())),
                point["price"],
            ]
        )
