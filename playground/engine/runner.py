"""Apply a cluster's commands: lease, load, apply, commit, publish.

A worker may be killed anywhere. What it committed is there, with the lease's fencing number checked in the same
transaction; what it did not commit did not happen, and the next worker does it, to the same bytes.
"""

import json
import logging
import math
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from django.db import DatabaseError, connection

from playground import logs
from playground.engine import checkpoints, collector, leases, retention, shutdown, simulations
from playground.engine import state as clusters
from playground.engine import storing as history
from playground.engine.leases import Lease, LeaseLostError
from playground.engine.pacing import Control
from playground.engine.renewal import Renewal
from playground.engine.storing import Progress
from playground.engine.wake import wake
from playground.models import Cluster, Command, CommandState
from playground.news.publisher import Publisher
from playground.problems import Problem, of_error, problem
from playground.store import quota, versions
from scheduler_core.config import ConfigError
from scheduler_core.sentences import say
from scheduler_core.simulation import CommandError, Record

logger = logging.getLogger(__name__)

CHUNK_SECONDS = 0.2
CHUNK_RECORDS = 500
CHECKPOINT_SECONDS = 2.0
CHECKPOINT_RECORDS = 125
# At most this part of the time goes into checkpoints.
CHECKPOINT_SHARE = 0.25
MOST_ATTEMPTS = 5


class EngineError(Exception):
    """The engine broke in the middle of a command; the cause says how."""


def drain(cluster_id: int, *, as_guest: bool = False) -> None:
    """Apply all that is queued for a cluster. Returns at once while another worker does.

    As a guest of a worker that has something else to do it stays for one turn.
    """
    lease = leases.acquire(cluster_id, f"{socket.gethostname()}:{os.getpid()}")
    if lease is None:
        return
    with logs.about(cluster=cluster_id):
        try:
            with Renewal(lease, leases.write) as renewal:
                Drain(lease, renewal, Publisher(cluster_id), as_guest).run()
        except LeaseLostError as lost:
            logger.warning("%s", lost)
        except BaseException:
            # The next worker need not wait until the lease runs out; but if it was the database that failed, it has to.
            connection.close_if_unusable_or_obsolete()
            with suppress(DatabaseError):
                leases.release(lease)
            raise


class Drain:
    """One worker's turn at one cluster."""

    def __init__(self, lease: Lease, renewal: Renewal[Lease], publisher: Publisher, as_guest: bool = False) -> None:
        self.lease = lease
        self.publisher = publisher
        self.loaded = simulations.take(Cluster.objects.get(pk=lease.cluster_id))
        # The turn begins when everything is loaded: a large cluster must get on, too.
        self.control = Control(lease.cluster_id, renewal, as_guest)

    def run(self) -> None:
        """Go on until nothing is queued, the worker stops, or others wait for it."""
        finished = self._apply_all()
        # Only here is every record of the simulation committed.
        simulations.keep(self.lease.cluster_id, self.loaded)
        self._publish_state()
        if not finished and not shutdown.requested():
            wake(self.lease.cluster_id)
        collector.set_aside()

    def _apply_all(self) -> bool:
        """Whether everything was applied; the lease is given back in any case."""
        while True:
            self.control.check()
            command = self._next_command()
            if command is None:
                if leases.release_when_done(self.lease):
                    return True
            elif not self._apply(command):
                history.leave(self.lease, command)
                return False
            elif leases.release_when_done(self.lease):
                return True
            elif self.control.must_leave():
                leases.release(self.lease)
                return False
            elif self.publisher.state_is_due():
                # Not after the last command: then the state is told when the lease is given back.
                self._publish_state()

    def _next_command(self) -> Command | None:
        unapplied = Command.objects.filter(
            cluster_id=self.lease.cluster_id, state__in=(CommandState.QUEUED, CommandState.RUNNING)
        )
        return unapplied.order_by("number").first()

    def _apply(self, command: Command) -> bool:
        """Apply one command, or what is left of it. False if it is not over, but this worker has to leave."""
        progress = Progress(
            command.number, command.payload, CommandState.RUNNING, command.records, command.cycles, command.problems
        )
        progress.stopped_by = command.stopped_by
        logs.note(command=command.number)
        is_run = command.kind == "run"
        if is_run and self.control.is_paused(command.number):
            return self._finish(progress, [], CommandState.STOPPED)
        if command.attempts >= MOST_ATTEMPTS:
            return self._refuse(progress, [_deadly(command)])
        if (full := self._no_room()) is not None:
            return self._refuse(progress, [full])
        history.begin(self.lease, command, versions.can_be_popped(command.cluster_id) if is_run else 0)
        taken: list[Record] = []
        try:
            records = self._records(command)
            if is_run:
                return self._run(progress, taken, records)
            began = time.monotonic()
            while not _take(records, taken, CHUNK_RECORDS, math.inf):
                pass
            self.loaded.spent += time.monotonic() - began
        except (CommandError, ConfigError) as error:
            return self._refuse(progress, of_error(error))
        except EngineError as error:
            logger.exception("%s: the engine failed", command.kind)
            return self._fail(progress, taken, error)
        return self._finish(progress, taken, CommandState.DONE)

    def _records(self, command: Command) -> Iterator[Record]:
        """What is still to come of a command. Raises CommandError or ConfigError when the engine refuses it."""
        if self.loaded.rest is not None:
            return self.loaded.rest
        try:
            return self.loaded.begin(command.number, command.payload)
        except (CommandError, ConfigError):
            raise
        except Exception as error:
            raise EngineError from error

    def _run(self, progress: Progress, taken: list[Record], records: Iterator[Record]) -> bool:
        """Take the records of a run one by one, committing on the way."""
        if progress.records == 0:
            self._publish_state()
        elif not self.control.wait_for_pace(progress.number):
            return False
        while True:
            if self.control.is_paused(progress.number):
                return self._finish(progress, taken, CommandState.STOPPED)
            began = time.monotonic()
            # The first record goes out at once: somebody waits for it.
            most = 1 if progress.records == 0 or self.control.is_paced else CHUNK_RECORDS
            is_over = _take(records, taken, most, began + CHUNK_SECONDS)
            self.loaded.spent += time.monotonic() - began
            if is_over:
                return self._finish(progress, taken, CommandState.DONE)
            last = taken[-1]
            self._store(progress, taken)
            if (full := self._no_room()) is not None:
                return self._refuse(progress, [full])
            self.control.check()
            if self.publisher.state_is_due():
                self._publish_state()
            is_cycle = last.data["kind"] == "cycle"
            if is_cycle and not simulations.may_be_over(progress.payload, progress.cycles, last):
                self._checkpoint(progress)
            if self.control.must_leave():
                return False
            # Nobody wants to wait for a cycle that does not come.
            has_next = is_cycle and self.control.is_paced and versions.can_be_popped(self.lease.cluster_id)
            if has_next and not self.control.wait_for_pace(progress.number):
                return False

    def _no_room(self) -> Problem | None:
        """Why nothing more may be stored, after all that is old has been thinned out; None while there is room."""
        cluster_id = self.lease.cluster_id
        found = quota.problem_of(cluster_id)
        if found is not None and retention.thin(cluster_id, retention.hard_limit()):
            found = quota.problem_of(cluster_id)
        return found

    def _finish(self, progress: Progress, taken: list[Record], state: CommandState) -> bool:
        progress.state = state
        self._store(progress, taken)
        logger.info("%s: %s, %d records", progress.payload["kind"], state, progress.records)
        self.loaded.command, self.loaded.rest = progress.number, None
        self.loaded.records, self.loaded.cycles = progress.records, progress.cycles
        self._checkpoint(progress)
        return True

    def _refuse(self, progress: Progress, problems: list[Problem]) -> bool:
        progress.problems = problems
        return self._finish(progress, [], CommandState.FAILED)

    def _fail(self, progress: Progress, taken: list[Record], error: EngineError) -> bool:
        """What the engine gave before it broke stays; the simulation is made again, without the rest."""
        rule = say("the engine failed: {name}: {error}", name=type(error.__cause__).__name__, error=error.__cause__)
        progress.problems = [problem("", rule, hint=say("this is a defect of the playground; please report it"))]
        progress.state = CommandState.FAILED
        self._store(progress, taken)
        self.loaded = simulations.take(Cluster.objects.get(pk=self.lease.cluster_id))
        self._publish_state()
        return True

    def _store(self, progress: Progress, taken: list[Record]) -> None:
        """Commit and publish the records taken; `taken` is empty afterwards."""
        for record in taken:
            self.loaded.count(record)
        progress.records += len(taken)
        progress.stopped_by = next((r.data["stoppedBy"] for r in taken if "stoppedBy" in r.data), progress.stopped_by)
        progress.cycles += sum(record.data["kind"] == "cycle" for record in taken)
        simulation = self.loaded.simulation
        bodies = history.commit(self.lease, progress, taken, simulation.epoch, simulation.node_names)
        if taken:
            self.publisher.records(taken[0].seq, bodies, self._matrix_of(taken))
            _log(taken)
        taken.clear()

    def _matrix_of(self, taken: list[Record]) -> Callable[[], str] | None:
        """How to tell the newest cycle's matrix; None when it searched nothing, or other nodes than there are now."""
        newest = next((record for record in reversed(taken) if record.data["kind"] == "cycle"), None)
        simulation = self.loaded.simulation
        if newest is None or newest.matrix is None or newest.matrix.epoch != simulation.epoch:
            return None
        number, found = newest.data["cycle"]["number"], newest.matrix

        def told() -> str:
            named = {"cycle": number} | found.to_json(simulation.node_names)
            return json.dumps(named, separators=(",", ":"))

        return told

    def _checkpoint(self, progress: Progress) -> None:
        """Save the state when a replay from the last one would take long, and saving is cheap beside it."""
        simulation, loaded = self.loaded.simulation, self.loaded
        behind = simulation.seq - loaded.checkpointed
        is_far = behind >= CHECKPOINT_RECORDS or (behind > 0 and loaded.spent >= CHECKPOINT_SECONDS)
        if not is_far or loaded.spent < loaded.checkpoint_cost / CHECKPOINT_SHARE:
            return
        began = time.monotonic()
        body = simulation.checkpoint()
        if body is not None:
            position = (progress.number, progress.records, progress.cycles)
            checkpoints.save(self.lease.cluster_id, position, simulation.seq, body)
            loaded.checkpointed, loaded.spent = simulation.seq, 0.0
            loaded.checkpoint_cost = time.monotonic() - began

    def _publish_state(self) -> None:
        state = clusters.state(self.lease.cluster_id)
        if state is not None:
            self.publisher.state(state)


def _take(records: Iterator[Record], taken: list[Record], most: int, deadline: float) -> bool:
    """Append up to `most` records, or what comes before `deadline`, at least one. True when there are no more.

    What goes wrong in here is the engine's fault (EngineError), and only that.
    """
    for _ in range(most):
        try:
            record = next(records, None)
        except Exception as error:
            raise EngineError from error
        if record is None:
            return True
        taken.append(record)
        if time.monotonic() >= deadline:
            break
    return False


def _log(taken: list[Record]) -> None:
    """What became of each attempt, for those who ask for details."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    for record in taken:
        if "cycle" in record.data:
            cycle = record.data["cycle"]
            result = cycle["node"] or cycle["message"]
            logger.debug("attempt %d: %s: %s", cycle["attempt"], cycle["outcome"], result, extra={"pod": cycle["pod"]})


def _deadly(command: Command) -> Problem:
    rule = say("{n} workers ended while they applied this command; it is not tried again", n=command.attempts)
    return problem("", rule, hint=say("it may need more memory than a worker has"))
