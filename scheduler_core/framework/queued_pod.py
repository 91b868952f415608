"""QueuedPod: a pod in the queue with what the queue knows of it.

Source: pkg/scheduler/framework/types.go QueuedPodInfo.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from kube_objects.pod import Pod


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

    @property
    def is_new(self) -> bool:
        """Whether it waits for its first attempt, and nothing has happened to it."""
        tried = self.attempts or self.unschedulable_count or self.consecutive_errors
        is_held = self.unschedulable_plugins or self.pending_plugins or self.gating_plugin
        return not tried and not is_held and self.backoff_expiry is None

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


def dump_all(pods: Iterable[QueuedPod]) -> list[dict[str, Any]]:
    """Of thousands that came at once the first is dumped, and of those that came right after it the uids."""
    found: list[dict[str, Any]] = []
    timestamp, following, others = 0.0, math.nan, list[str]()
    for queued in pods:
        since = queued.initial_attempt if queued.is_new else None
        if since is not None and since == following and queued.timestamp == timestamp:
            others.append(queued.pod.uid)
            found[-1]["others"] = others
        else:
            found.append(queued.dump())
            timestamp, others = queued.timestamp, []
        # The queue counts them like this: `SchedulingQueue` gives each the next moment.
        following = math.nan if since is None else math.nextafter(since, math.inf)
    return found


def load_all(entries: Iterable[Mapping[str, Any]], pods: Mapping[str, Pod]) -> Iterator[QueuedPod]:
    """The inverse, also of a list of each of them."""
    for entry in entries:
        first = QueuedPod.load(entry, pods)
        yield first
        at = first.initial_attempt or 0.0
        for uid in entry.get("others", ()):
            at = math.nextafter(at, math.inf)
            yield QueuedPod(pods[uid], first.timestamp, initial_attempt=at)
