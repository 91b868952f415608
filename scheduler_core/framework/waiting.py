"""WaitingPod: a pod that waits at Permit. PreBindWaitingPod: a pod that waits in PreBind.

Source: pkg/scheduler/framework/runtime/waiting_pods_map.go, pods_in_prebind_map.go.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from kube_objects.pod import Pod
from scheduler_core.framework.status import SUCCESS, Code, Status

MAX_TIMEOUT = 15 * 60.0
# How often a PreBind plugin checks whether the pod can go on.
POLL_SECONDS = 5.0


@dataclass(slots=True)
class WaitingPod:
    """A pod that waits at Permit. `deadlines`: plugin → (virtual time of its timeout, timeout in seconds).

    `decision` is None while the pod waits.
    """

    point: ClassVar[str] = "Permit"

    pod: Pod
    deadlines: dict[str, tuple[float, float]]
    decision: Status | None = None

    @property
    def pending_plugins(self) -> list[str]:
        return sorted(self.deadlines)

    def allow(self, plugin: str) -> None:
        """Note that the plugin allows the pod; the last one lets it go on to PreBind."""
        self.deadlines.pop(plugin, None)
        if not self.deadlines and self.decision is None:
            self.decision = SUCCESS

    def reject(self, plugin: str, message: str) -> None:
        if self.decision is None:
            self.decision = Status(Code.UNSCHEDULABLE, (message,), plugin)

    def preempt(self, plugin: str, as_error: bool) -> None:
        """Reject the pod for one of higher priority. `as_error`: it will be tried again after its backoff."""
        if not as_error:
            self.reject(plugin, "preempted")
        elif self.decision is None:
            self.decision = Status(Code.ERROR, ("waiting on permit for pod: preempted",), plugin)

    def expire(self, now: float) -> None:
        """Reject the pod if its earliest deadline has passed."""
        for plugin, (deadline, timeout) in sorted(self.deadlines.items(), key=lambda item: (item[1], item[0])):
            if deadline <= now:
                text = f"rejected due to timeout after waiting {go_duration(timeout)} at plugin {plugin}"
                self.reject(plugin, text)
                return

    @property
    def next_deadline(self) -> float:
        return min(deadline for deadline, _ in self.deadlines.values())


class PreBindWaitingPod(WaitingPod):
    """A pod whose PreBind `plugin` waits: it polls every POLL_SECONDS until it succeeds, fails or times out.

    `poll(time)` returns the status at a time if nothing else changes. A change between two polls takes effect at the
    next one, and not at all if the timeout comes first.
    """

    point: ClassVar[str] = "PreBind"

    def __init__(
        self,
        pod: Pod,
        plugin: str,
        timeout: float,
        now: Callable[[], float],
        poll: Callable[[float], Status],
        timeout_status: Callable[[], Status],
    ) -> None:
        self.plugin, self.since, self.now, self.poll, self.timeout_status = plugin, now(), now, poll, timeout_status
        super().__init__(pod, {plugin: (self.since + timeout, timeout)})
        self._polls = 0  # after the check in PreBind itself

    def allow(self, plugin: str) -> None:
        """Do nothing: other plugins cannot let the pod go on."""

    def reject(self, plugin: str, message: str) -> None:
        """End the wait; the plugin's context is canceled, whatever the message."""
        if self.decision is None:
            self.decision = self._ended(Status.error("context canceled"))

    def preempt(self, plugin: str, as_error: bool) -> None:
        self.reject(plugin, "preempted")

    def expire(self, now: float) -> None:
        if self.decision is not None or now < self.next_deadline:
            return
        end = self.deadlines[self.plugin][0]
        status = self.timeout_status() if now >= end else self.poll(now)
        self._polls = self._next_poll(now)
        if not status.is_wait:
            self.decision = self._ended(status)

    @property
    def next_deadline(self) -> float:
        """Return the time of the next poll that changes the status, or that of the timeout."""
        end = self.deadlines[self.plugin][0]
        first = self._next_poll(self.now())
        last = math.ceil((end - self.since) / POLL_SECONDS)
        polls = range(first, max(first, last))
        position = bisect_left(polls, True, key=lambda number: not self.poll(self._time_of(number)).is_wait)
        return self._time_of(polls[position]) if position < len(polls) else end

    def _next_poll(self, now: float) -> int:
        return max(self._polls + 1, math.ceil(round((now - self.since) / POLL_SECONDS, 6)))

    def _time_of(self, poll: int) -> float:
        return self.since + poll * POLL_SECONDS

    def _ended(self, status: Status) -> Status:
        return status if status.is_success else Status(status.code, status.reasons, self.plugin)


def go_duration(seconds: float) -> str:
    """Format seconds as Go's time.Duration does: `10s`, `1m30s`, `2h0m0s`, `1.5s`, `500ms`."""
    nanoseconds = round(seconds * 1e9)
    if nanoseconds == 0:
        return "0s"
    for unit, size in (("ns", 1), ("µs", 1_000), ("ms", 1_000_000)):
        if nanoseconds < size * 1000:
            return f"{nanoseconds / size:.9g}{unit}"
    whole, fraction = divmod(nanoseconds, 1_000_000_000)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest + fraction / 1e9:.9f}".rstrip("0").rstrip(".") + "s"
    if hours:
        return f"{hours}h{minutes}m{text}"
    return f"{minutes}m{text}" if minutes else text
