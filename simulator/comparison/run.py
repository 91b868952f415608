"""One run of a comparison: every attempt in order, and the final nodes of the workload's pods."""

from typing import Any

from kube_objects.sentences import say
from scheduler_core.queue.moves import SubQueue
from simulator.comparison.metrics import measure
from simulator.comparison.reasons import reason_kind
from simulator.simulation import Record, Simulation
from simulator.simulation.journal import GONE, IGNORED, WAITING
from simulator.simulation.records import lane_of

NOT_TRIED = "not tried yet"
_WORDS = {WAITING: "waits for its binding", IGNORED: say("no profile has the pod's schedulerName"), GONE: "evicted"}


class ComparedRun:
    """A collector of a run's records; the workload are the pods that are pending when it starts.

    1. Create it before the run, which stores the workload and the nodes of running pods.
    2. Call `follow` with each record, which collects attempts, preemptions and messages.
    3. Call `result` at the end, which measures the cluster. The JSON depends only on the simulation.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._began = simulation.now
        self._first_cycle = simulation.cycle + 1
        pods = simulation.cluster.store.list("Pod")
        self._workload = [pod for pod in pods if not pod.node_name and not pod.finished]
        self._initial_nodes = {pod.key: pod.node_name for pod in pods if pod.node_name}
        self._pods: list[str] = []
        self._nodes: list[str | None] = []
        self._outcomes: list[str] = []
        self._messages: list[str] = []
        self._last_message: dict[str, str] = {}
        self._preemptions = 0
        self._victims = 0

    @property
    def waiting(self) -> int:
        """Return the number of pods in the workload."""
        return len(self._workload)

    @property
    def attempts(self) -> int:
        return len(self._pods)

    def follow(self, record: Record) -> None:
        """Add the attempt and the evictions of the next record."""
        data = record.data
        evicted = sum(event["reason"] == "Preempted" for event in data.get("events", ()))
        self._victims += evicted
        self._preemptions += evicted > 0
        if "cycle" not in data:
            return
        cycle = data["cycle"]
        if data["kind"] == "binding":
            # An attempt that waited at Permit ends; its outcome is final now.
            index = cycle["number"] - self._first_cycle
            if 0 <= index < len(self._pods):
                self._nodes[index], self._outcomes[index] = cycle["node"], cycle["outcome"]
        else:
            self._pods.append(cycle["pod"])
            self._nodes.append(cycle["node"])
            self._outcomes.append(cycle["outcome"])
            self._messages.append(cycle["message"])
        self._last_message[cycle["pod"]] = cycle["message"]

    def result(self) -> dict[str, Any]:
        """Return `{metrics, decisions, placements}`.

        `decisions` has columns of all attempts; `placements` maps each pod that changed its node to the node or null.
        """
        cluster = self._simulation.cluster
        pending: dict[str, int] = {}
        placed: dict[str, str] = {}
        placements: dict[str, str | None] = {}
        for pod in self._workload:
            live = cluster.find_pod(pod.key)
            node = live.node_name if live is not None else ""
            placements[pod.key] = node or None
            if node:
                placed[pod.key] = node
            else:
                reason = self._why(pod.key)
                pending[reason] = pending.get(reason, 0) + 1
        for key, before in self._initial_nodes.items():
            live = cluster.find_pod(key)
            after = live.node_name if live is not None else None
            if after != before:
                placements[key] = after
        metrics = {
            "pods": len(self._workload),
            "placed": len(placed),
            "pending": sum(pending.values()),
            "pending_by_reason": dict(sorted(pending.items(), key=lambda entry: (-entry[1], entry[0]))),
            "attempts": len(self._pods),
            "preemptions": self._preemptions,
            "victims": self._victims,
            "virtual_seconds": round(self._simulation.now - self._began, 6),
            **measure(cluster.cache.table, self._workload, placed),
        }
        decisions = {
            "first_cycle": self._first_cycle,
            "pod": self._pods,
            "node": self._nodes,
            "outcome": self._outcomes,
            "message": self._messages,
        }
        return {"metrics": metrics, "decisions": decisions, "placements": placements}

    def _why(self, key: str) -> str:
        """Return the reason why a pod of the workload has no node."""
        lane = lane_of(self._simulation.cluster, key)
        if lane["lane"] == SubQueue.GATED.value:
            return f"gated by {lane['gate']}"
        if lane["lane"] in _WORDS:
            return _WORDS[lane["lane"]]
        return reason_kind(self._last_message[key]) if self._last_message.get(key) else NOT_TRIED
