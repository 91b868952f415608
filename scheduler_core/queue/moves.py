"""QueueMove: the move of one pod between sub-queues, with the event and the hint that caused it."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from scheduler_core.framework.events import QueueingHint


class SubQueue(StrEnum):
    """The place of a pod. Upstream keeps gated pods among the unschedulable ones; the UI shows them separately."""

    OUTSIDE = ""
    ACTIVE = "active"
    BACKOFF = "backoff"
    ERROR_BACKOFF = "errorBackoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "inFlight"


class QueueMove(NamedTuple):
    """The move of one pod.

    `plugin` and `hint` name the deciding answer, if a plugin was asked; with Skip the pod stays. `at` is the virtual
    second of the move; for periodic flushes, the whole second of the flush. `event` is upstream's label of the cause. A
    pod that returns from a failed attempt has `ScheduleAttemptFailure`; `during_attempt` is the event during its
    attempt that may help it.
    """

    at: float
    pod_key: str
    source: SubQueue
    target: SubQueue
    event: str
    plugin: str | None = None
    hint: QueueingHint | None = None
    during_attempt: str | None = None


OnMove = Callable[[QueueMove], None]
