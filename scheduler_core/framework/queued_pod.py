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
        """Plain JSON-ready data; the pod itself is named by its uid.

        What is as it is at first is left out: of thousands that wait for their first attempt, nearly all.
        """
        data: dict[str, Any] = {"uid": self.pod.uid, "timestamp": self.timestamp}
        if self.attempts:
            data["attempts"] = self.attempts
        if self.unschedulable_count:
            data["unschedulableCount"] = self.unschedulable_count
        if self.consecutive_errors:
            data["consecutiveErrors"] = self.consecutive_errors
        if self.backoff_expiry is not None:
            data["backoffExpiry"] = self.backoff_expiry
        if self.initial_attempt is not None:
            data["initialAttempt"] = self.initial_attempt
        if self.unschedulable_plugins:
            data["plugins"] = sorted(self.unschedulable_plugins)
        if self.pending_plugins:
            data["pending"] = sorted(self.pending_plugins)
        if self.gating_plugin:
            data["gatingPlugin"] = self.gating_plugin
        return data

    @classmethod
    def load(cls, data: Mapping[str, Any], pods: Mapping[str, Pod]) -> Self:
        """The inverse of `dump`, also of those that left nothing out; `pods` maps uids to pods."""
        return cls(
            pod=pods[data["uid"]],
            timestamp=data["timestamp"],
            attempts=data.get("attempts", 0),
            unschedulable_count=data.get("unschedulableCount", 0),
            consecutive_errors=data.get("consecutiveErrors", 0),
            backoff_expiry=data.get("backoffExpiry"),
            initial_attempt=data.get("initialAttempt"),
            unschedulable_plugins=set(data.get("plugins", ())),
            pending_plugins=set(data.get("pending", ())),
            gating_plugin=data.get("gatingPlugin", ""),
        )
