"""What a run obeys between its cycles: pace, pause, the lease, a worker that stops, others that wait."""

import time

from django.utils import timezone

from playground.engine import shutdown, waiting
from playground.engine.leases import Lease, LeaseLostError
from playground.engine.renewal import Renewal
from playground.store import queued
from playground.store.queued import Wishes

LOOK_EVERY = 0.1
# How long a worker stays at one cluster while others wait.
TURN_SECONDS = 2.0


class Control:
    """The user's wishes for the cluster's runs, as the database had them at the last `check`: call it first."""

    def __init__(self, cluster_id: int, renewal: Renewal[Lease], as_guest: bool = False) -> None:
        self._cluster_id = cluster_id
        self._as_guest = as_guest
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
        return command <= self._paused_through

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
