"""A run as rows of numbers over virtual time, for a spreadsheet: what is used, what waits and why, what it costs."""

import argparse
from collections import Counter
from typing import IO, Any

from scheduler_core.actors.cluster_autoscaler.groups import GROUP, GROUP_LABEL
from scheduler_core.simulation import Record, Simulation
from scheduler_core.text.tables import row_writer

RESOURCES = ("cpu", "memory", "pods")
PHASES = ("Pending", "Running", "Succeeded", "Failed")
COLUMNS = (
    "seconds",
    "nodes",
    *(f"{resource}_requested_percent" for resource in RESOURCES),
    *(f"pods_{phase.lower()}" for phase in PHASES),
    "pods_without_node",
    "why",
    "price_per_hour",
)
_EVERY_SECONDS = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "write nodes, pods, what is requested and what it costs over time as CSV; - is stdout"
    parser.add_argument("--charts", metavar="FILE", help=told)
    every = "virtual seconds that are at least between two rows of --charts (default %(default)g)"
    parser.add_argument("--charts-every", type=_seconds, default=_EVERY_SECONDS, metavar="SECONDS", help=every)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds above 0")
    return found


class Charts:
    """A row for the first record of each period, as the cluster is after it, and one for the end."""

    def __init__(self, simulation: Simulation, file: IO[str], every: float) -> None:
        self.simulation, self.every = simulation, every
        self._write_row = row_writer(file, line_end="\n")
        self._write_row(COLUMNS)
        self._next, self._last = 0.0, -1.0

    def follow(self, record: Record) -> None:
        at = float(record.data["t"])
        if at >= self._next:
            self._next = at + self.every
            self._write()

    def end(self) -> None:
        if self.simulation.now > self._last:
            self._write()

    def _write(self) -> None:
        self._last = self.simulation.now
        self._write_row(row(self.simulation))


def row(simulation: Simulation) -> list[Any]:
    cluster = simulation.cluster
    pods = cluster.store.list("Pod")
    phases = Counter(pod.phase or "Pending" for pod in pods)
    waiting = [pod for pod in pods if not pod.node_name and not pod.finished]
    why = Counter(_reason(pod) for pod in waiting)
    return [
        round(cluster.now, 3),
        len(cluster.store.list("Node")),
        *(_percent(simulation, resource) for resource in RESOURCES),
        *(phases[phase] for phase in PHASES),
        len(waiting),
        "; ".join(f"{count} {reason}" for reason, count in sorted(why.items())),
        round(_price(simulation), 6),
    ]


def _reason(pod: Any) -> str:
    """Upstream's reason of the condition PodScheduled: Unschedulable, SchedulingGated, SchedulerError."""
    found = next((one for one in pod.conditions if one.type == "PodScheduled" and one.status == "False"), None)
    return found.reason if found is not None and found.reason else "Queued"


def _percent(simulation: Simulation, resource: str) -> float:
    table = simulation.cluster.cache.table
    whole = int(table.allocatable(resource).values.sum())
    used = table.pod_count if resource == "pods" else table.requested(resource)
    return round(100.0 * int(used.values.sum()) / whole, 3) if whole else 0.0


def _price(simulation: Simulation) -> float:
    """What the nodes of groups with a price cost in an hour."""
    store = simulation.cluster.store
    prices = {group.name: (group.manifest.get("spec") or {}).get("price") or 0.0 for group in store.list(GROUP)}
    return sum(float(prices.get(node.labels.get(GROUP_LABEL, ""), 0.0)) for node in store.list("Node"))
