"""The control of a worker's session: pace and pause of runs, lost leases, shutdown, and turns of other clusters."""

import math
import time
from collections.abc import Callable

from django.utils import timezone

from playground.engine import shutdown, waiting_clusters
from playground.engine.lease_renewal import LeaseRenewal
from playground.engine.leases import Lease, LeaseLostError
from playground.store import queued_commands
from playground.store.queued_commands import RunSettings

CHECK_SECONDS = 0.1
# A step of the engine without a record runs alone for QUIET_SECONDS. Then other clusters get half of the worker's
# time. After STEP_SECONDS the command fails.
QUIET_SECONDS, STEP_SECONDS = 1.0, 60.0
# The time that a worker spends on one cluster while others wait.
TURN_SECONDS = 2.0


class Interrupted(Exception):  # noqa: N818 - it says what happened, it is no error
    """The early end of a step of the engine, without a record."""


class Paused(Interrupted):
    """The user paused the cluster in the middle of a step."""


class Stopping(Interrupted):
    """The worker shuts down in the middle of a step."""


class TooLong(Interrupted):
    """The step took STEP_SECONDS without a record."""


class SessionControl:
    """The control of a session with one cluster, by the settings that the last call of `read_settings` read.

    `serve_others` serves another cluster that waits for a worker.
    """

    def __init__(
        self,
        cluster_id: int,
        renewal: LeaseRenewal[Lease],
        as_guest: bool = False,
        serve_others: Callable[[], None] | None = None,
    ) -> None:
        self._cluster_id = cluster_id
        self._as_guest = as_guest
        self._serve_others = serve_others
        self._next_check = self._step_began = math.inf
        self._step_command = 0
        self._renewal = renewal
        self._turn_ends = time.monotonic() + TURN_SECONDS

    def read_settings(self, settings: RunSettings | None = None) -> None:
        """Use `settings`, or read the current ones.

        Raise LeaseLostError if another worker took over or the cluster was deleted.
        """
        if self._renewal.lost:
            raise LeaseLostError(f"cluster {self._cluster_id}: the lease was not renewed in time")
        settings = settings or queued_commands.read_run_settings(self._cluster_id)
        if settings is None:
            raise LeaseLostError(f"cluster {self._cluster_id}: it was deleted")
        self._pace, self._speed, self._paused_through, self._last_cycle_at = settings

    def begin_step(self, command: int) -> None:
        """Note that the engine begins a step of this command. Use 0 for a command that can't be paused."""
        self._step_command, self._step_began = command, time.monotonic()
        self._next_check = self._step_began + QUIET_SECONDS

    def end_step(self) -> None:
        """Note that the engine's step ended, so `interrupt_or_yield` doesn't interrupt."""
        self._next_check = math.inf

    def interrupt_or_yield(self) -> None:
        """Let the engine continue its step, after waiting clusters had a turn if the step is long.

        Raise Interrupted to end the step, or LeaseLostError as `read_settings` does.
        """
        now = time.monotonic()
        if now < self._next_check:
            return
        self.read_settings()
        if self.is_paused(self._step_command):
            raise Paused
        if shutdown.requested():
            raise Stopping
        if now - self._step_began >= STEP_SECONDS:
            raise TooLong
        if self._serve_others is not None:
            self._serve_others()
        # This cluster gets as much time as the others took.
        self._next_check = time.monotonic() + max(time.monotonic() - now, CHECK_SECONDS)

    @property
    def is_paced(self) -> bool:
        return self._pace > 0

    @property
    def is_timed(self) -> bool:
        """Return True if virtual time follows the wall clock."""
        return self._speed > 0

    def wait_for_time(self, command: int, virtual: float) -> bool:
        """Wait for this many virtual seconds, or until the run is paused. Return False if the session must end."""
        while virtual > 0 and self.is_timed and not self.is_paused(command):
            if self.must_end():
                return False
            step = min(virtual / self._speed, CHECK_SECONDS)
            time.sleep(step)
            virtual -= step * self._speed
            self.read_settings()
        return True

    def is_paused(self, command: int) -> bool:
        """Return True if the user paused the run with this number."""
        return 0 < command <= self._paused_through

    def wait_for_pace(self, command: int) -> bool:
        """Wait until the run's next cycle is due or the run is paused.

        Return False if the session must end first.
        """
        while not self.is_paused(command) and (left := self._until_due()) > 0:
            if self.must_end():
                return False
            time.sleep(min(left, CHECK_SECONDS))
            self.read_settings()
        return True

    def _until_due(self) -> float:
        """Return the seconds until the next cycle.

        Use the wall clock, because another worker may have run the last cycle.
        """
        if not self.is_paced or self._last_cycle_at is None:
            return 0.0
        since: float = (timezone.now() - self._last_cycle_at).total_seconds()
        # A clock that was set back must not delay the run.
        return 1 / self._pace - since if since >= 0 else 0.0

    def must_end(self) -> bool:
        """Return True if the worker shuts down, or if the turn is over and other clusters wait for the worker."""
        if shutdown.requested():
            return True
        now = time.monotonic()
        if now < self._turn_ends:
            return False
        self._turn_ends = now + TURN_SECONDS / 2
        return self._as_guest or bool(waiting_clusters.list_unattended())
