"""Timers: what happens by itself in a simulated cluster, and when.

`Timers` is the only place that compares times: it returns the next one, and moves the cluster's clock to it.
"""

import math
from collections.abc import Iterator
from typing import Any

from scheduler_core.framework.diagnosis import NO_NODES
from scheduler_core.framework.waiting import WaitingPod


class Timer:
    """A part of a cluster that does something by itself when its time comes. Times are virtual seconds.

    When that is depends on objects that others change, so a timer is asked each time and not notified.
    """

    def next_time(self, until: float = math.inf) -> float:
        """Return when it happens next; inf for never, and possibly for a time after `until`."""
        raise NotImplementedError

    def next_change(self, until: float) -> float:
        """Return the same without what happens again and again."""
        return self.next_time(until)

    def advance_to(self, now: float) -> None:
        """Do what falls due up to `now`. What needs a record is done later, in `Timeline.settle`."""


class Timers:
    """The timers of a cluster, of which `now` is the virtual time. Times are never before it."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster  # a SimulatedCluster
        self._timers: dict[str, Timer] = {}

    def schedule(self, name: str, timer: Timer | None) -> None:
        """Add a timer in place of an earlier one of this name; None ends that one."""
        self._timers.pop(name, None)
        if timer is not None:
            self._timers[name] = timer

    def peek(self, until: float = math.inf) -> float:
        """Return the time at which something happens next, at most `until`."""
        # The scheduler came first and is asked last: it looks through its pods only where no other timer is earlier.
        for timer in reversed(self._timers.values()):
            until = min(until, timer.next_time(until))
        now: float = self._cluster.now
        return max(until, now)

    def peek_change(self, until: float) -> float:
        """Return the same without what happens again and again, as the looks of a CronJob; inf if nothing happens."""
        return min(timer.next_change(until) for timer in self._timers.values())

    def step(self, until: float) -> None:
        """Move the clock to what happens next, at most to `until`, and let each timer do what is due."""
        self._cluster.now = now = self.peek(until)
        for timer in self._timers.values():
            timer.advance_to(now)


class SchedulerTimer(Timer):
    """The timer of a cluster's scheduler: backoffs and time-outs in the queue, pods that wait for their binding."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster

    def next_time(self, until: float = math.inf) -> float:
        return min([float(self._cluster.queue.next_time(until)), *self._deadlines()])

    def next_change(self, until: float) -> float:
        """Return when waiting pods are decided, or pods are retried that found no node at all and now may find one."""
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
