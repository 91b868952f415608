"""Outages: nodes that a command made fail in a cluster without the taint-eviction controller.

An outage schedules the eviction of each pod on the node; the controller's rule sets the time. A taint in a submitted
Node manifest evicts no pod, because it is part of the submitted state.
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
    """The names of failed nodes, and the eviction times of their pods (uid → virtual seconds), in order of arrival."""

    def __init__(self) -> None:
        self._failed: dict[str, None] = {}
        self._deadlines: dict[str, float] = {}

    def has(self, node: str) -> bool:
        return node in self._failed

    def begin(self, node: str, pods: Iterable[Pod], now: float) -> tuple[list[Pod], list[tuple[Pod, float]]]:
        """Mark the node as failed; return the pods to evict now, and those to evict later with their times."""
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

    def schedule_eviction(self, pod: Pod, now: float) -> None:
        """Schedule the eviction of a pod that tolerates its failed node for a limited time."""
        if pod.node_name in self._failed and pod.uid not in self._deadlines and _patience(pod) < math.inf:
            self._deadlines[pod.uid] = now + _patience(pod)

    def end(self, node: str, pods: Iterable[Pod]) -> None:
        """Mark the node as recovered or deleted, and cancel the evictions of its pods."""
        del self._failed[node]
        for pod in pods:
            self.cancel_eviction(pod)

    def cancel_eviction(self, pod: Pod) -> None:
        self._deadlines.pop(pod.uid, None)

    def pop_due(self, now: float) -> set[str]:
        """Remove the pods whose eviction is due, and return their uids."""
        due = {uid for uid, deadline in self._deadlines.items() if deadline <= now}
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


def has_not_ready_taint(node: Node) -> bool:
    return _TAINT in node.taints


def _patience(pod: Pod) -> float:
    """Return the seconds for which the pod may stay on a failed node; inf without a limit."""
    seconds = None if pod.finished else patience((_TAINT,), pod.tolerations)
    return math.inf if seconds is None else seconds
