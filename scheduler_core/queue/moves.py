"""QueueMove: one pod going from one sub-queue to another, with the event and the hint that moved it."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from scheduler_core.framework.events import Hint


class SubQueue(StrEnum):
    """Where a pod is. Upstream keeps gated pods among the unschedulable ones; they are told apart for the screen."""

    OUTSIDE = ""
    ACTIVE = "active"
    BACKOFF = "backoff"
    ERROR_BACKOFF = "errorBackoff"
    UNSCHEDULABLE = "unschedulable"
    GATED = "gated"
    IN_FLIGHT = "inFlight"


class QueueMove(NamedTuple):
    """`plugin` and `hint` name the answer that decided, where one was asked; with Skip the pod stays where it is.

    `at` is the virtual second of the move; for what is done once a second, the whole second that it belongs to.
    `event` is upstream's label of what made the queue move the pod. A pod that comes back from a failed attempt moves
    by `ScheduleAttemptFailure`; if something that happened meanwhile may help it, `during_attempt` is that event.
    """

    at: float
    pod_key: str
    source: SubQueue
    target: SubQueue
    event: str
    plugin: str | None = None
    hint: Hint | None = None
    during_attempt: str | None = None


OnMove = Callable[[QueueMove], None]
