"""QueuedPodInfo: a pod in the scheduling queue, with its attempts, backoff and rejecting plugins.

Source: pkg/scheduler/framework/types.go QueuedPodInfo.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from kube_objects.pod import Pod


@dataclass(slots=True)
class QueuedPodInfo:
    """A pod in the queue. Times are virtual seconds; `backoff_expiry` is None if the pod has no backoff."""

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
        """Return the plugins whose hints decide whether an event may help this pod."""
        return self.unschedulable_plugins | self.pending_plugins

    @property
    def is_new(self) -> bool:
        """Return True if the pod waits for its first attempt and nothing has rejected or gated it."""
        tried = self.attempts or self.unschedulable_count or self.consecutive_errors
        is_rejected = self.unschedulable_plugins or self.pending_plugins or self.gating_plugin
        return not tried and not is_rejected and self.backoff_expiry is None

    def dump(self) -> dict[str, Any]:
        """Return JSON-ready data that names the pod by its uid.

        Default values are left out, because most of thousands of waiting pods have no others.
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
        """Build a pod from `dump`, also from an older one with all fields; `pods` maps uids to pods."""
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


def dump_all(pods: Iterable[QueuedPodInfo]) -> list[dict[str, Any]]:
    """Dump pods; new pods that were added right after each other are stored as one entry with the others' uids."""
    entries: list[dict[str, Any]] = []
    timestamp, next_entry, others = 0.0, math.nan, list[str]()
    for queued in pods:
        entry_time = queued.initial_attempt if queued.is_new else None
        if entry_time is not None and entry_time == next_entry and queued.timestamp == timestamp:
            others.append(queued.pod.uid)
            entries[-1]["others"] = others
        else:
            entries.append(queued.dump())
            timestamp, others = queued.timestamp, []
        # SchedulingQueue gives each new pod the next larger float as its time of entry.
        next_entry = math.nan if entry_time is None else math.nextafter(entry_time, math.inf)
    return entries


def load_all(entries: Iterable[Mapping[str, Any]], pods: Mapping[str, Pod]) -> Iterator[QueuedPodInfo]:
    """Load the pods of `dump_all`, also of an older list with one entry per pod."""
    for entry in entries:
        first = QueuedPodInfo.load(entry, pods)
        yield first
        entry_time = first.initial_attempt or 0.0
        for uid in entry.get("others", ()):
            entry_time = math.nextafter(entry_time, math.inf)
            yield QueuedPodInfo(pods[uid], first.timestamp, initial_attempt=entry_time)
