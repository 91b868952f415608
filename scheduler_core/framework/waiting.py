"""WaitingPod: a pod that a Permit plugin asked to wait.

Source: pkg/scheduler/framework/runtime/waiting_pods_map.go.
"""

from dataclasses import dataclass

from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.objects.pod import Pod

MAX_TIMEOUT = 15 * 60.0


@dataclass(slots=True)
class WaitingPod:
    """`deadlines`: plugin → (virtual time when it gives up, seconds it asked for). `decision` is None while waiting."""

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
