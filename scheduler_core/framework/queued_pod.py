"""QueuedPod: a pod in the queue with what the queue knows of it.

Source: pkg/scheduler/framework/types.go QueuedPodInfo.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from scheduler_core.objects.pod import Pod


@dataclass(slots=True)
class QueuedPod:
    """Times are virtual seconds; `backoff_expiry` is None when the pod has no backoff."""

    pod: Pod
    timestamp: float
    attempts: int = 0
    unschedulable_count: int = 0
    consecutive_errors: int = 0
    backoff_expiry: float | None = None
    initial_attempt: float | None = None
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    gating_plugin: str = ""

    @property
    def gated(self) -> bool:
        return bool(self.gating_plugin)

    @property
    def rejectors(self) -> set[str]:
        """The plugins whose hints decide whether an event may help this pod."""
        return self.unschedulable_plugins | self.pending_plugins

    def dump(self) -> dict[str, Any]:
        """Plain JSON-ready data; the pod itself is named by its uid."""
        return {
            "uid": self.pod.uid,
            "timestamp": self.timestamp,
            "attempts": self.attempts,
            "unschedulableCount": self.unschedulable_count,
            "consecutiveErrors": self.consecutive_errors,
            "backoffExpiry": self.backoff_expiry,
            "initialAttempt": self.initial_attempt,
            "plugins": sorted(self.unschedulable_plugins),
            "pending": sorted(self.pending_plugins),
            "gatingPlugin": self.gating_plugin,
        }

    @classmethod
    def load(cls, data: Mapping[str, Any], pods: Mapping[str, Pod]) -> Self:
        """The inverse of `dump`; `pods` maps uids to pods."""
        return cls(
            pod=pods[data["uid"]],
            timestamp=data["timestamp"],
            attempts=data["attempts"],
            unschedulable_count=data["unschedulableCount"],
            consecutive_errors=data["consecutiveErrors"],
            backoff_expiry=data["backoffExpiry"],
            initial_attempt=data["initialAttempt"],
            unschedulable_plugins=set(data["plugins"]),
            pending_plugins=set(data["pending"]),
            gating_plugin=data["gatingPlugin"],
        )
