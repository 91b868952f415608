"""WaitingPod: a pod that a Permit plugin asked to wait. BindingPod: one that waits in PreBind.

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
# How often a plugin looks whether a pod in PreBind can go on.
LOOK_SECONDS = 5.0


@dataclass(slots=True)
class WaitingPod:
    """`deadlines`: plugin → (virtual time when it gives up, seconds it asked for). `decision` is None while waiting."""

    point: ClassVar[str] = "Permit"

    pod: Pod
    deadlines: dict[str, tuple[float, float]]
    decision: Status | None = None

    @property
    def pending_plugins(self) -> list[str]:
        return sorted(self.deadlines)

    def allow(self, plugin: str) -> None:
        """The last plugin to allow lets the pod go on to PreBind."""
        self.deadlines.pop(plugin, None)
        if not self.deadlines and self.decision is None:
            self.decision = SUCCESS

    def reject(self, plugin: str, message: str) -> None:
        if self.decision is None:
            self.decision = Status(Code.UNSCHEDULABLE, (message,), plugin)

    def preempt(self, plugin: str, as_error: bool) -> None:
        """A pod of higher priority needs its room. `as_error`: the pod will be tried again after its backoff."""
        if not as_error:
            self.reject(plugin, "preempted")
        elif self.decision is None:
            self.decision = Status(Code.ERROR, ("waiting on permit for pod: preempted",), plugin)

    def expire(self, now: float) -> None:
        """Reject the pod if the earliest deadline has passed."""
        for plugin, (deadline, timeout) in sorted(self.deadlines.items(), key=lambda item: (item[1], item[0])):
            if deadline <= now:
                text = f"rejected due to timeout after waiting {go_duration(timeout)} at plugin {plugin}"
                self.reject(plugin, text)
                return

    @property
    def next_deadline(self) -> float:
        return min(deadline for deadline, _ in self.deadlines.values())


class BindingPod(WaitingPod):
    """A pod whose PreBind `plugin` waits for something since a time: it looks every few seconds whether that is there.

    `look` says what it would find at a time, were everything else as it is now. What comes in between shows at the next
    look only, and not at all when patience is over by then.
    """

    point: ClassVar[str] = "PreBind"

    def __init__(
        self,
        pod: Pod,
        plugin: str,
        patience: float,
        now: Callable[[], float],
        look: Callable[[float], Status],
        gave_up: Callable[[], Status],
    ) -> None:
        self.plugin, self.since, self.now, self.look, self.gave_up = plugin, now(), now, look, gave_up
        super().__init__(pod, {plugin: (self.since + patience, patience)})
        self._looks = 0  # besides that in PreBind itself

    def allow(self, plugin: str) -> None:
        """It is not for others to let it go on."""

    def reject(self, plugin: str, message: str) -> None:
        """Whatever the reason is, the plugin finds that it is no longer wanted."""
        if self.decision is None:
            self.decision = self._ended(Status.error("context canceled"))

    def preempt(self, plugin: str, as_error: bool) -> None:
        self.reject(plugin, "preempted")

    def expire(self, now: float) -> None:
        if self.decision is not None or now < self.next_deadline:
            return
        end = self.deadlines[self.plugin][0]
        found = self.gave_up() if now >= end else self.look(now)
        self._looks = self._next_look(now)
        if not found.is_wait:
            self.decision = self._ended(found)

    @property
    def next_deadline(self) -> float:
        """The next look that will find something else than the one before, or the end of patience."""
        end = self.deadlines[self.plugin][0]
        first = self._next_look(self.now())
        last = math.ceil((end - self.since) / LOOK_SECONDS)
        looks = range(first, max(first, last))
        found = bisect_left(looks, True, key=lambda number: not self.look(self._time_of(number)).is_wait)
        return self._time_of(looks[found]) if found < len(looks) else end

    def _next_look(self, now: float) -> int:
        return max(self._looks + 1, math.ceil(round((now - self.since) / LOOK_SECONDS, 6)))

    def _time_of(self, look: int) -> float:
        return self.since + look * LOOK_SECONDS

    def _ended(self, status: Status) -> Status:
        return status if status.is_success else Status(status.code, status.reasons, self.plugin)


def go_duration(seconds: float) -> str:
    """Seconds as Go's time.Duration prints them: `10s`, `1m30s`, `2h0m0s`, `1.5s`, `500ms`."""
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
