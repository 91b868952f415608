"""One worker's session with one cluster: load, apply, commit, publish."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence

from playground import logs
from playground.engine import checkpoints, cluster_states, leases, retention, simulations, stepping, storing
from playground.engine.leases import Lease
from playground.engine.pacing import Control, Interrupted, Paused, Stopping, TooLong
from playground.engine.renewal import Renewal
from playground.engine.storing import CommandProgress, Part
from playground.models import Cluster, Command, CommandState
from playground.news.publisher import Publisher
from playground.problems import Problem, of_error
from playground.store import queued, quota, versions
from playground.store.queued import Next
from playground.store.quota import Used
from simulator.simulation import Record
from simulator.simulation.commands.table import COMMANDS

logger = logging.getLogger(__name__)

CHUNK_SECONDS = 0.2
CHUNK_RECORDS = 500
# Commands other than runs are stored as a whole, unless they take longer or have more records.
COMMAND_SECONDS, COMMAND_RECORDS = 1.0, 500
CHECKPOINT_SECONDS = 0.5
CHECKPOINT_RECORDS = 125
# Checkpoints take at most this share of the time.
CHECKPOINT_SHARE = 0.08
MOST_ATTEMPTS = 5


class DrainSession:
    """One worker's session with one cluster, from the loaded simulation to the released lease."""

    def __init__(
        self,
        lease: Lease,
        renewal: Renewal[Lease],
        publisher: Publisher,
        as_guest: bool = False,
        let_others: Callable[[], None] | None = None,
    ) -> None:
        self.lease = lease
        self.publisher = publisher
        self.loaded = simulations.take(lease.cluster)
        self.is_sound = True  # every record of the simulation is stored
        self.shared: int | None = None  # the shared moment that the cluster shows
        self.uncharged = 0.0  # seconds of the engine's work that are not charged yet
        # The session begins after loading, so that a large cluster makes progress, too.
        self.control = Control(lease.cluster_id, renewal, as_guest, let_others)

    def run(self) -> bool:
        """Apply commands until none is queued, the worker shuts down, or other clusters wait.

        Return True if all were applied.

        The steps:

        1. Apply and commit queued commands, and release the lease (`_apply_all`).
        2. Charge a shared moment for the engine's work.
        3. Put the simulation into memory for the next session.
        4. Publish the cluster's state.
        """
        finished = self._apply_all()
        if self.shared is not None:
            # Charge the rest, so that the next worker continues with what is left of the limit.
            self._problem_of_view()
        # Only at this point every record of the simulation is committed.
        if self.is_sound:
            simulations.keep(self.lease.cluster_id, self.loaded, self.lease.fencing)
        self._publish_state()
        return finished

    def _apply_all(self) -> bool:
        """Apply queued commands one by one, and release the lease in any case. Return True if all were applied."""
        while True:
            following = queued.first(self.lease.cluster_id)
            self.control.check(following.wishes if following else None)
            if following is not None and not self._apply_some(following):
                storing.leave(self.lease, following.command)
                return False
            if leases.release_when_done(self.lease):
                return True
            if self.control.must_leave():
                leases.release(self.lease)
                return False
            if self.publisher.state_is_due():
                # The state is published after the last command anyway, without a lease.
                self._publish_state()

    def _apply_some(self, following: Next) -> bool:
        """Apply this command, and those after it that can be stored with it. Return False as `_apply` does."""
        command, _, used = following
        self.shared = used.shared
        commands = [command, *queued.behind(command)]
        try:
            if len(commands) == 1:
                return self._apply(command, used)
            if (full := self._make_room(used)) is not None:
                return self._refuse(_progress(command), [full])
            self._apply_together(commands)
            return True
        except Stopping:
            # Uncommitted records are void. The next worker produces them again.
            self.is_sound = False
            return False

    def _apply_together(self, commands: Sequence[Command]) -> None:
        """Apply several changes of objects and store their records in one transaction.

        A command that would exceed the limits is begun here and continues alone.
        """
        storing.begin_together(self.lease, commands[0].number, commands[-1].number)
        parts: list[Part] = []
        failed: stepping.EngineError | Interrupted | None = None
        for command in commands:
            progress, taken = _progress(command), list[Record]()
            parts.append((progress, taken))
            logs.note(command=command.number)
            try:
                if not self._take(progress, stepping.begin(self.loaded, command), taken, COMMAND_RECORDS):
                    break
                self.loaded.rest = None
                _end(progress, CommandState.DONE)
            except stepping.REFUSED as error:
                progress.problems, progress.state = of_error(error), CommandState.FAILED
            except (stepping.EngineError, TooLong, Paused) as error:
                failed = error
                break
            if sum(len(taken) for _, taken in parts) >= CHUNK_RECORDS:
                break
        if failed is not None:
            # Later commands wait until the simulation is loaded again.
            *done, (progress, taken) = parts
            if done:
                self._store(done)
            self._fail(progress, taken, failed)
            return
        self._store(parts)
        progress, _ = parts[-1]
        if progress.finished:
            self._over(progress)
        else:
            self.loaded.records, self.loaded.cycles = progress.records, progress.cycles

    def _apply(self, command: Command, used: Used) -> bool:
        """Apply one command or the rest of it. Return False if it is not complete but this worker has to leave."""
        progress = _progress(command)
        logs.note(command=command.number)
        is_run = command.kind == "run"
        if is_run and self.control.is_paused(command.number):
            return self._finish(progress, [], CommandState.STOPPED)
        if command.attempts >= MOST_ATTEMPTS:
            return self._refuse(progress, [stepping.deadly(command)])
        if (full := self._make_room(used)) is not None:
            return self._refuse(progress, [full])
        storing.begin(self.lease, command, versions.can_be_popped(command.cluster_id) if is_run else 0)
        taken: list[Record] = []
        try:
            records = stepping.begin(self.loaded, command)
            return (self._run if is_run else self._carry_out)(progress, taken, records)
        except stepping.REFUSED as error:
            return self._refuse(progress, of_error(error))
        except (stepping.EngineError, TooLong, Paused) as error:
            return self._fail(progress, taken, error)

    def _take(self, progress: CommandProgress, records: Iterator[Record], taken: list[Record], most: int) -> bool:
        """Take records as `stepping.take` does, while the engine calls `Control.look`.

        The change itself can't be paused, only what controllers do after it.
        """
        kind = progress.payload["kind"]
        can_be_paused = not COMMANDS[kind].is_change or progress.records > 0
        self.control.begin_step(progress.number if can_be_paused else 0)
        self.loaded.simulation.pulse = self.control.look
        began, seconds = time.monotonic(), CHUNK_SECONDS if kind == "run" else COMMAND_SECONDS
        try:
            return stepping.take(records, taken, most, began + seconds)
        finally:
            self.control.end_step()
            elapsed = time.monotonic() - began
            self.loaded.spent += elapsed
            self.uncharged += elapsed
            for record in taken:
                if record.error is not None:
                    about = record.data.get("actor") or record.data.get("cycle", {}).get("pod") or record.data["kind"]
                    logger.error("%s: the engine failed", about, exc_info=record.error)
                    progress.problems = [stepping.problem_of_defect(record.error)]

    def _make_room(self, used: Used | None = None) -> Problem | None:
        """Return the problem that stops the cluster, after old records were thinned out, or None."""
        return retention.make_room(self.lease.cluster_id, used) or self._problem_of_view()

    def _problem_of_view(self) -> Problem | None:
        if self.shared is None:
            return None
        seconds, self.uncharged = self.uncharged, 0.0
        return quota.problem_of_view(self.shared, self.loaded.simulation.cluster.store.size, seconds)

    def _carry_out(self, progress: CommandProgress, taken: list[Record], records: Iterator[Record]) -> bool:
        """Take the records of a command that is no run, and commit in between.

        Controllers may add many records, so it can be paused.
        """
        while not self._take(progress, records, taken, COMMAND_RECORDS):
            self._store([(progress, taken)])
            if (full := self._make_room()) is not None:
                return self._refuse(progress, [full])
            self.control.check()
            if self.control.is_paused(progress.number):
                return self._finish(progress, taken, CommandState.STOPPED)
            if self.publisher.state_is_due():
                self._publish_state()
            if self.control.must_leave():
                return False
        return self._finish(progress, taken, CommandState.DONE)

    def _run(self, progress: CommandProgress, taken: list[Record], records: Iterator[Record]) -> bool:
        """Take the records of a run in batches, and commit and checkpoint in between."""
        if progress.records == 0:
            self._publish_state()
        elif not self.control.wait_for_pace(progress.number):
            return False
        while True:
            if self.control.is_paused(progress.number):
                return self._finish(progress, taken, CommandState.STOPPED)
            # Publish the first record at once, because a user waits for it.
            paced = self.control.is_paced or self.control.is_timed
            most = 1 if progress.records == 0 or paced else CHUNK_RECORDS
            before = self.loaded.simulation.now
            if self._take(progress, records, taken, most):
                return self._finish(progress, taken, CommandState.DONE)
            last = taken[-1]
            self._store([(progress, taken)])
            if (full := self._make_room()) is not None:
                return self._refuse(progress, [full])
            self.control.check()
            if self.publisher.state_is_due():
                self._publish_state()
            is_cycle = last.data["kind"] == "cycle"
            if is_cycle and not simulations.may_be_over(progress.payload, progress.cycles, last):
                self._checkpoint(progress)
            if self.control.must_leave():
                return False
            if self.control.is_timed:
                # Show each record for as long as virtual time advanced before it.
                if not self.control.wait_for_time(progress.number, last.data["t"] - before):
                    return False
                continue
            # Don't wait for a cycle if no Pod can be popped.
            has_next = is_cycle and self.control.is_paced and versions.can_be_popped(self.lease.cluster_id)
            if has_next and not self.control.wait_for_pace(progress.number):
                return False

    def _finish(self, progress: CommandProgress, taken: list[Record], state: CommandState) -> bool:
        _end(progress, state)
        self._store([(progress, taken)])
        self._over(progress)
        return True

    def _over(self, progress: CommandProgress) -> None:
        """Note that this command and all its records are stored."""
        logger.info("%s: %s, %d records", progress.payload["kind"], progress.state, progress.records)
        self.loaded.command, self.loaded.rest = progress.number, None
        self.loaded.records, self.loaded.cycles = progress.records, progress.cycles
        self._checkpoint(progress)

    def _refuse(self, progress: CommandProgress, problems: list[Problem]) -> bool:
        progress.problems = problems
        return self._finish(progress, [], CommandState.FAILED)

    def _fail(self, progress: CommandProgress, taken: list[Record], error: stepping.EngineError | Interrupted) -> bool:
        """Store the records before the failure or pause, and load the simulation again without the rest."""
        progress.state = CommandState.STOPPED if isinstance(error, Paused) else CommandState.FAILED
        if isinstance(error, TooLong):
            progress.problems = [stepping.problem_of_long_step()]
        elif isinstance(error, stepping.EngineError):
            logger.error("%s: the engine failed", progress.payload["kind"], exc_info=error)
            progress.problems = [stepping.problem_of_defect(error.__cause__)]
        self._store([(progress, taken)])
        self.loaded = simulations.take(Cluster.objects.get(pk=self.lease.cluster_id))
        self._publish_state()
        return True

    def _store(self, parts: Sequence[Part]) -> None:
        """Commit and publish the records of these commands, and empty their lists in `parts`."""
        records = [record for _, taken in parts for record in taken]
        for record in records:
            self.loaded.count(record)
        for progress, taken in parts:
            progress.add(taken)
        simulation = self.loaded.simulation
        points = self.loaded.meter.take(records[-1]) if records and self.loaded.meter else []
        stored = storing.commit(self.lease, parts, simulation, self.loaded.known, points)
        if records:
            self.loaded.counts.follow(records, stored.moved)
            self.publisher.records(stored.bodies, self._matrix_of(records))
            _log(records)
        for _, taken in parts:
            taken.clear()

    def _matrix_of(self, taken: list[Record]) -> Callable[[], str] | None:
        """Return a function that encodes the newest cycle's matrix.

        Return None without one, or if the list of Nodes has changed.
        """
        newest = next((record for record in reversed(taken) if record.data["kind"] == "cycle"), None)
        simulation = self.loaded.simulation
        if newest is None or newest.matrix is None or newest.matrix.epoch != simulation.epoch:
            return None
        number, matrix = newest.data["cycle"]["number"], newest.matrix

        def as_json() -> str:
            named = {"cycle": number} | matrix.to_json(simulation.node_names)
            return json.dumps(named, separators=(",", ":"))

        return as_json

    def _checkpoint(self, progress: CommandProgress) -> None:
        """Save a checkpoint if a replay from the last one takes long and saving is cheap in comparison."""
        simulation, loaded = self.loaded.simulation, self.loaded
        behind = simulation.seq - loaded.checkpointed
        is_far = behind >= CHECKPOINT_RECORDS or (behind > 0 and loaded.spent >= CHECKPOINT_SECONDS)
        if not is_far or loaded.spent < loaded.checkpoint_cost / CHECKPOINT_SHARE:
            return
        began = time.monotonic()
        plain = simulation.checkpoint(plain=True)
        if plain is not None:
            position = (progress.number, progress.records, progress.cycles)
            checkpoints.save(self.lease.cluster_id, position, simulation.seq, plain)
            loaded.checkpointed, loaded.spent = simulation.seq, 0.0
            loaded.checkpoint_cost = time.monotonic() - began

    def _publish_state(self) -> None:
        state = cluster_states.state(self.lease.cluster_id, self.loaded.counts)
        if state is not None:
            self.publisher.state(state)


def _progress(command: Command) -> CommandProgress:
    return CommandProgress(
        *(command.number, command.payload, CommandState.RUNNING, command.records, command.cycles, command.problems),
        stopped_by=command.stopped_by,
    )


def _end(progress: CommandProgress, state: CommandState) -> None:
    """Set a command's final state. A command with a defect in one of its records has failed."""
    progress.state = CommandState.FAILED if progress.problems else state


def _log(taken: list[Record]) -> None:
    """Log the result of each attempt at level DEBUG."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    for record in taken:
        if "cycle" in record.data:
            cycle = record.data["cycle"]
            result = cycle["node"] or cycle["message"]
            logger.debug("attempt %d: %s: %s", cycle["attempt"], cycle["outcome"], result, extra={"pod": cycle["pod"]})
