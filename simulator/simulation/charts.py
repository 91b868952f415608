"""A simulation in numbers over virtual time: what is used, pods by phase, what waits and why, the price."""

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

# What every node has comes first; devices and the like are named by the nodes.
RESOURCES = ("cpu", "memory", "pods")
PHASES = ("Pending", "Running", "Succeeded", "Failed")
MOST_RESOURCES = 8
MOST_REASONS = 12
OTHERS = "others"
UNSCHEDULABLE, QUEUED = "Unschedulable", "Queued"


class Point(TypedDict):
    """The cluster at one time: `use` in per cent of what the nodes offer, `waiting` pods without a node by reason."""

    t: float
    nodes: int
    use: dict[str, float]
    phases: dict[str, int]
    waiting: dict[str, int]
    price: float


class _Seen(NamedTuple):
    phase: str
    reason: str  # "" for a pod that does not wait


class Meter:
    """Counts pods as records come, so that a point costs the same however many pods there are."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._count_anew()

    def _count_anew(self) -> None:
        self._cluster = self._simulation.cluster
        self._seen: dict[str, _Seen] = {}
        self._phases: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        for pod in self._cluster.store.list("Pod"):
            self._see(pod.key, lane_of(self._cluster, pod.key) if _waits(pod) else {})

    def follow(self, record: Record) -> None:
        """The simulation is as it was left by this record."""
        if self._simulation.cluster is not self._cluster:  # a reset makes a new one
            self._count_anew()
            return
        for key, lane in record.lanes.items():
            self._see(key, lane)
        for _, kind, key, _ in record.manifests:
            if kind == "Pod" and key not in record.lanes:
                self._see(key, {})

    def point(self) -> Point:
        cluster = self._cluster
        nodes = cluster.store.list("Node")
        return {
            "t": round(cluster.now, 3),
            "nodes": len(nodes),
            "use": self._use(),
            "phases": {phase: self._phases[phase] for phase in PHASES},
            "waiting": _most(self._reasons),
            "price": round(self._price(nodes), 6),
        }

    def _see(self, key: str, lane: dict[str, Any]) -> None:
        before = self._seen.pop(key, None)
        if before is not None:
            _count(self._phases, before.phase, -1)
            _count(self._reasons, before.reason, -1)
        pod = self._cluster.find_pod(key)
        if pod is None:
            return
        now = _seen(pod.phase or "Pending", _reason(pod, lane, before) if _waits(pod) else "")
        self._seen[key] = now
        _count(self._phases, now.phase, 1)
        _count(self._reasons, now.reason, 1)

    def _use(self) -> dict[str, float]:
        table = self._cluster.cache.table
        offered = {name: int(table.allocatable(name).values.sum()) for name in table.resources}
        names = [*RESOURCES, *sorted(name for name, whole in offered.items() if whole and name not in RESOURCES)]
        found = {}
        for name in names[:MOST_RESOURCES]:
            used = table.pod_count if name == "pods" else table.requested(name)
            whole = offered.get(name, 0)
            found[name] = round(100.0 * int(used.values.sum()) / whole, 3) if whole else 0.0
        return found

    def _price(self, nodes: Iterable[Any]) -> float:
        """Return the cost per hour of the Nodes whose NodeGroup has a price."""
        groups = self._cluster.store.list(GROUP)
        prices = {group.name: price_of(group.manifest) for group in groups}
        return sum(prices.get(node.labels.get(GROUP_LABEL, ""), 0.0) for node in nodes) if prices else 0.0


@lru_cache(1024)
def _seen(phase: str, reason: str) -> _Seen:
    """One for all pods that are so."""
    return _Seen(phase, reason)


def _waits(pod: Pod) -> bool:
    return not pod.node_name and not pod.finished


def _count(counter: Counter[str], name: str, by: int) -> None:
    if not name:
        return
    counter[name] += by
    if not counter[name]:
        del counter[name]


def _reason(pod: Pod, lane: dict[str, Any], before: _Seen | None) -> str:
    """The plugins that found no node; else upstream's reason of the condition PodScheduled, or that it is not tried."""
    scheduled = next((one for one in pod.conditions if one.type == "PodScheduled" and one.status == "False"), None)
    reason = scheduled.reason if scheduled is not None and scheduled.reason else QUEUED
    if reason != UNSCHEDULABLE:
        return reason
    if lane.get("plugins"):
        return " + ".join(lane["plugins"])
    # The group is tried again, or will be: its obstacle may still be there.
    return before.reason if before is not None and before.reason not in ("", QUEUED) else UNSCHEDULABLE


def _most(reasons: Counter[str]) -> dict[str, int]:
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    found = dict(ranked[:MOST_REASONS])
    rest = sum(count for _, count in ranked[MOST_REASONS:])
    return found | {OTHERS: rest} if rest else found


def write_csv(file: IO[str], points: Sequence[Point], line_end: str = "\n") -> None:
    """A row for each point; resources that any of them names have a column."""
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
