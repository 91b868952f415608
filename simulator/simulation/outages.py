"""Outages: nodes that a command made fail in a cluster without a taint-eviction controller.

An outage is the timetable of the pods that leave the node; how long each of them may stay is the controller's rule. A
taint that came with a node's manifest evicts nobody: it is a fact about the cluster as it was given.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.taints import NO_EXECUTE, NOT_READY, Taint, patience
from simulator.simulation.timers import Timer

_TAINT = Taint(NOT_READY, "", NO_EXECUTE)


class Outages(Timer):
    """Both in the order in which they came: names of failed nodes, and uid → virtual time of pods that have to go."""

    def __init__(self) -> None:
        self._failed: dict[str, None] = {}
        self._deadlines: dict[str, float] = {}

    def has(self, node: str) -> bool:
        return node in self._failed

    def begin(self, node: str, pods: Iterable[Pod], now: float) -> tuple[list[Pod], list[tuple[Pod, float]]]:
        """The node fails: the pods that go at once, and those that go later with the time when."""
        self._failed[node] = None
        due, later = [], []
        for pod in pods:
            seconds = _patience(pod)
            if seconds <= 0:
                due.append(pod)
            elif seconds < math.inf:
                self._deadlines[pod.uid] = now + seconds
                later.append((pod, now + seconds))
        return due, later

    def came(self, pod: Pod, now: float) -> None:
        """A pod came to a node; if that has failed, the pod tolerates it, for a while at least."""
        if pod.node_name in self._failed and pod.uid not in self._deadlines and _patience(pod) < math.inf:
            self._deadlines[pod.uid] = now + _patience(pod)

    def end(self, node: str, pods: Iterable[Pod]) -> None:
        """The node is well again, or gone."""
        del self._failed[node]
        for pod in pods:
            self.forget(pod)

    def forget(self, pod: Pod) -> None:
        self._deadlines.pop(pod.uid, None)

    def take_due(self, now: float) -> set[str]:
        """The uids of pods whose time is over; they are forgotten."""
        due = {uid for uid, at in self._deadlines.items() if at <= now}
        for uid in due:
            del self._deadlines[uid]
        return due

    def next_time(self, until: float = math.inf) -> float:
        return min(self._deadlines.values(), default=math.inf)

    def dump(self) -> dict[str, Any]:
        return {"failed": list(self._failed), "deadlines": self._deadlines}

    def load(self, data: Mapping[str, Any]) -> None:
        self._failed = dict.fromkeys(data["failed"])
        self._deadlines = dict(data["deadlines"])


def is_tainted(node: Node) -> bool:
    return _TAINT in node.taints


def _patience(pod: Pod) -> float:
    """Return the seconds for which the pod may stay on a failed node; inf for ever."""
    seconds = None if pod.finished else patience((_TAINT,), pod.tolerations)
    return math.inf if seconds is None else seconds
