"""Timers of a simulated cluster: the end of a backoff, a timeout at Permit, the next work of a controller.

`Timers` finds the next event, which has the earliest time of all timers, and moves the cluster's clock to it.
"""

import math
from collections.abc import Iterator
from typing import Any

from scheduler_core.framework.diagnosis import NO_NODES
from scheduler_core.framework.waiting import WaitingPod


class Timer:
    """A part of a cluster that acts at a virtual time, in seconds.

    The time depends on objects that other parts change, so `Timers` asks for it each time.
    """

    def next_time(self, until: float = math.inf) -> float:
        """Return the next time; inf for never, and possibly for a time after `until`."""
        raise NotImplementedError

    def next_change(self, until: float) -> float:
        """Return the next time, ignoring periodic work such as the checks of CronJobs."""
        return self.next_time(until)

    def advance_to(self, now: float) -> None:
        """Do the work that is due up to `now`, except work with a record, which `Timeline.settle` does."""


class Timers:
    """The timers of a cluster, by name. The next time is never before the cluster's `now`."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster  # a SimulatedCluster
        self._timers: dict[str, Timer] = {}

    def schedule(self, name: str, timer: Timer | None) -> None:
        """Add a timer, or replace the one with this name; None removes it."""
        self._timers.pop(name, None)
        if timer is not None:
            self._timers[name] = timer

    def peek(self, until: float = math.inf) -> float:
        """Return the earliest next time of all timers, at most `until`."""
        # The scheduler, which was added first, comes last: it searches its Pods only if no other timer is earlier.
        for timer in reversed(self._timers.values()):
            until = min(until, timer.next_time(until))
        now: float = self._cluster.now
        return max(until, now)

    def peek_change(self, until: float) -> float:
        """Return the earliest next time, ignoring periodic work such as the checks of CronJobs; inf for never."""
        return min(timer.next_change(until) for timer in self._timers.values())

    def step(self, until: float) -> None:
        """Process the next event, at most at `until`.

        1. Find the earliest next time of all timers.
        2. Move the cluster's clock to it.
        3. Let each timer do the work that is due by then.
        """
        self._cluster.now = now = self.peek(until)
        for timer in self._timers.values():
            timer.advance_to(now)


class SchedulerTimer(Timer):
    """The timer of a cluster's scheduler: backoffs and timeouts in the queue, timeouts of pods at Permit."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def next_time(self, until: float = math.inf) -> float:
        return min([float(self._cluster.queue.next_time(until)), *self._deadlines()])

    def next_change(self, until: float) -> float:
        """Return the next timeout at Permit, or the next retry of pods that failed because the cluster had no nodes."""
        return min([self._next_retry(), *self._deadlines()])

    def _deadlines(self) -> Iterator[float]:
        waiting: dict[str, WaitingPod] = self._cluster.scheduler.waiting
        return (pod.next_deadline for pod in waiting.values() if pod.decision is None)

    def _next_retry(self) -> float:
        cluster = self._cluster
        retried = cluster.queue.error_backoff() if cluster.cache.table.nodes else ()
        pods = (cluster.find_pod(queued.pod.key) for queued in retried)
        if any(condition.message == NO_NODES for pod in pods if pod is not None for condition in pod.conditions):
            return float(cluster.queue.next_time())
        return math.inf

    def advance_to(self, now: float) -> None:
        self._cluster.queue.advance_to(now)
        self._cluster.cache.expire(now)
        for pod in self._cluster.scheduler.waiting.values():
            pod.expire(now)
