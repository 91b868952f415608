"""What a run obeys between its cycles: pace, pause, the lease, a worker that stops, others that wait."""

import math
import time
from collections.abc import Callable

from django.utils import timezone

from playground.engine import shutdown, waiting
from playground.engine.leases import Lease, LeaseLostError
from playground.engine.renewal import Renewal
from playground.store import queued
from playground.store.queued import Wishes

LOOK_EVERY = 0.1
# A step of the engine that gives no record is left alone for so long, then others get half of the worker's time, and
# in the end the command fails.
QUIET_SECONDS, STEP_SECONDS = 1.0, 60.0
# How long a worker stays at one cluster while others wait.
TURN_SECONDS = 2.0


class Interrupted(Exception):  # noqa: N818 - it says what happened, it is no error
    """The end of a step of the engine that would have taken longer, without its record."""


class Paused(Interrupted):
    """The user paused the cluster in the middle of the step."""


class Stopping(Interrupted):
    """The worker stops in the middle of the step."""


class TooLong(Interrupted):
    """The step took STEP_SECONDS without a record."""


class Control:
    """The user's wishes for the cluster's runs, as the database had them at the last `check`: call it first.

    `let_others` gives a cluster that waits for a worker its turn.
    """

    def __init__(
        self,
        cluster_id: int,
        renewal: Renewal[Lease],
        as_guest: bool = False,
        let_others: Callable[[], None] | None = None,
    ) -> None:
        self._cluster_id = cluster_id
        self._as_guest = as_guest
        self._let_others = let_others
        self._look_at = self._step_began = math.inf
        self._step_of = 0
        self._renewal = renewal
        self._turn_ends = time.monotonic() + TURN_SECONDS

    def check(self, wishes: Wishes | None = None) -> None:
        """Obey these wishes, or what they are now. Raises LeaseLostError when somebody else is at the cluster, or it is
        gone.
        """
        if self._renewal.lost:
            raise LeaseLostError(f"cluster {self._cluster_id}: the lease was not renewed in time")
        wishes = wishes or queued.wishes(self._cluster_id)
        if wishes is None:
            raise LeaseLostError(f"cluster {self._cluster_id}: it was deleted")
        self._pace, self._speed, self._paused_through, self._last_cycle_at = wishes

    def begin_step(self, command: int) -> None:
        """Note that the engine begins a step of this command; 0 is a command that cannot be paused."""
        self._step_of, self._step_began = command, time.monotonic()
        self._look_at = self._step_began + QUIET_SECONDS

    def end_step(self) -> None:
        """Note that the engine is not at work any more: nothing ends what it does for others."""
        self._look_at = math.inf

    def look(self) -> None:
        """Let the engine go on with its step. Raises Interrupted, or LeaseLostError as `check` does."""
        now = time.monotonic()
        if now < self._look_at:
            return
        self.check()
        if self.is_paused(self._step_of):
            raise Paused
        if shutdown.requested():
            raise Stopping
        if now - self._step_began >= STEP_SECONDS:
            raise TooLong
        if self._let_others is not None:
            self._let_others()
        # This cluster gets as much time as the others took.
        self._look_at = time.monotonic() + max(time.monotonic() - now, LOOK_EVERY)

    @property
    def is_paced(self) -> bool:
        return self._pace > 0

    @property
    def is_timed(self) -> bool:
        """Whether virtual time goes by the clock on the wall."""
        return self._speed > 0

    def wait_for_time(self, command: int, virtual: float) -> bool:
        """Return when so many virtual seconds have gone by, or the run is paused; False if this worker has to leave."""
        while virtual > 0 and self.is_timed and not self.is_paused(command):
            if self.must_leave():
                return False
            step = min(virtual / self._speed, LOOK_EVERY)
            time.sleep(step)
            virtual -= step * self._speed
            self.check()
        return True

    def is_paused(self, command: int) -> bool:
        """Whether the run of this number was told to stop."""
        return 0 < command <= self._paused_through

    def wait_for_pace(self, command: int) -> bool:
        """Return when the run's next cycle is due or it is paused; False if this worker has to leave before."""
        while not self.is_paused(command) and (left := self._until_due()) > 0:
            if self.must_leave():
                return False
            time.sleep(min(left, LOOK_EVERY))
            self.check()
        return True

    def _until_due(self) -> float:
        """Seconds. The last cycle may have been another worker's, so it is the wall clock that counts."""
        if not self.is_paced or self._last_cycle_at is None:
            return 0.0
        since: float = (timezone.now() - self._last_cycle_at).total_seconds()
        # A clock that was set back must not make anybody wait for it.
        return 1 / self._pace - since if since >= 0 else 0.0

    def must_leave(self) -> bool:
        """The worker stops, or this cluster had its turn and somebody else waits for the worker."""
        if shutdown.requested():
            return True
        now = time.monotonic()
        if now < self._turn_ends:
            return False
        self._turn_ends = now + TURN_SECONDS / 2
        return self._as_guest or bool(waiting.unattended())
