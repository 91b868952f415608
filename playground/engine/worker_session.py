"""One worker's session with one cluster: steps 5 to 11 of the worker's loop (`playground/engine/__init__.py`)."""

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence

from playground import logs
from playground.engine import checkpoints, cluster_states, command_records, commits, leases, loaded_clusters, retention
from playground.engine.commits import CommandBatch, CommandProgress
from playground.engine.lease_renewal import LeaseRenewal
from playground.engine.leases import Lease
from playground.engine.session_control import Interrupted, Paused, SessionControl, Stopping, TooLong
from playground.models import Cluster, Command, CommandState
from playground.news.publisher import Publisher
from playground.problems import Problem, list_api_problems
from playground.store import queued_commands, quota, versions
from playground.store.queued_commands import NextCommand
from playground.store.quota import StorageUse
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


class WorkerSession:
    """One worker's session with one cluster, from the loaded simulation to the released lease."""

    def __init__(
        self,
        lease: Lease,
        renewal: LeaseRenewal[Lease],
        publisher: Publisher,
        as_guest: bool = False,
        serve_others: Callable[[], None] | None = None,
    ) -> None:
        self.lease = lease
        self.publisher = publisher
        self.loaded = loaded_clusters.load(lease.cluster)
        self.is_sound = True  # every record of the simulation is stored
        self.shared: int | None = None  # the shared moment that the cluster shows
        self.uncharged = 0.0  # seconds of the engine's work that are not charged yet
        # The session begins after loading, so that a large cluster makes progress, too.
        self.control = SessionControl(lease.cluster_id, renewal, as_guest, serve_others)

    def run(self) -> bool:
        """Apply commands until none is queued, the worker shuts down, or other clusters wait.

        Return True if all were applied.

        The steps, after `__init__` has loaded the simulation:

        1. Apply the queued commands and release the lease (`_apply_queued`). For each command:
           mark it as running and begin it (`_apply_one`), or several changes together (`_apply_batch`);
           take a batch of its records (`_take_batch`);
           commit and publish the batch (`_commit`), save a checkpoint if it is due (`_checkpoint`);
           repeat until the last record (`_commit_run`, `_commit_change`), and note the end (`_finish`).
        2. Charge a shared moment for the engine's work (`_charge_shared_view`).
        3. Keep the simulation in memory for the next session (`loaded_clusters.keep_in_memory`).
        4. Publish the cluster's state (`_publish_state`).
        """
        finished = self._apply_queued()
        if self.shared is not None:
            # Charge the rest, so that the next worker continues with what is left of the limit.
            self._charge_shared_view()
        # All records of the simulation are committed now.
        if self.is_sound:
            loaded_clusters.keep_in_memory(self.lease.cluster_id, self.loaded, self.lease.fencing)
        self._publish_state()
        return finished

    def _apply_queued(self) -> bool:
        """Apply the queued commands in order and release the lease. Return True if all were applied."""
        while True:
            upcoming = queued_commands.find_next(self.lease.cluster_id)
            self.control.read_settings(upcoming.settings if upcoming else None)
            if upcoming is not None and not self._apply_next(upcoming):
                commits.release_unfinished(self.lease, upcoming.command)
                return False
            if leases.release_when_done(self.lease):
                return True
            if self.control.must_end():
                leases.release(self.lease)
                return False
            if self.publisher.state_is_due():
                # The state is published after the last command anyway, without a lease.
                self._publish_state()

    def _apply_next(self, upcoming: NextCommand) -> bool:
        """Apply this command, and those after it that can be stored with it. Return False as `_apply_one` does."""
        command, _, used = upcoming
        self.shared = used.shared
        commands = [command, *queued_commands.list_batchable(command)]
        try:
            if len(commands) == 1:
                return self._apply_one(command, used)
            if (full := self._make_room(used)) is not None:
                return self._fail_without_records(_progress_of(command), [full])
            self._apply_batch(commands)
            return True
        except Stopping:
            # Uncommitted records are void. The next worker produces them again.
            self.is_sound = False
            return False

    def _apply_batch(self, commands: Sequence[Command]) -> None:
        """Apply several changes of objects and store their records in one transaction.

        If the batch reaches its limits in the middle of a command, `_apply_one` does the rest of that command.
        """
        commits.mark_batch_running(self.lease, commands[0].number, commands[-1].number)
        batches: list[CommandBatch] = []
        failed: command_records.EngineError | Interrupted | None = None
        for command in commands:
            progress, batch = _progress_of(command), list[Record]()
            batches.append((progress, batch))
            logs.note(command=command.number)
            try:
                if not self._take_batch(
                    progress, command_records.begin_command(self.loaded, command), batch, COMMAND_RECORDS
                ):
                    break
                self.loaded.rest = None
                _set_final_state(progress, CommandState.DONE)
            except command_records.REFUSED as error:
                progress.problems, progress.state = list_api_problems(error), CommandState.FAILED
            except (command_records.EngineError, TooLong, Paused) as error:
                failed = error
                break
            if sum(len(batch) for _, batch in batches) >= CHUNK_RECORDS:
                break
        if failed is not None:
            # Later commands wait until the simulation is loaded again.
            *done, (progress, batch) = batches
            if done:
                self._commit(done)
            self._fail_with_records(progress, batch, failed)
            return
        self._commit(batches)
        progress, _ = batches[-1]
        if progress.finished:
            self._note_end(progress)
        else:
            self.loaded.records, self.loaded.cycles = progress.records, progress.cycles

    def _apply_one(self, command: Command, used: StorageUse) -> bool:
        """Apply one command or the rest of it. Return False if the session must end before it is complete."""
        progress = _progress_of(command)
        logs.note(command=command.number)
        is_run = command.kind == "run"
        if is_run and self.control.is_paused(command.number):
            return self._finish(progress, [], CommandState.STOPPED)
        if command.attempts >= MOST_ATTEMPTS:
            return self._fail_without_records(progress, [command_records.problem_of_lost_workers(command)])
        if (full := self._make_room(used)) is not None:
            return self._fail_without_records(progress, [full])
        commits.mark_running(self.lease, command, versions.can_be_popped(command.cluster_id) if is_run else 0)
        batch: list[Record] = []
        try:
            records = command_records.begin_command(self.loaded, command)
            return (self._commit_run if is_run else self._commit_change)(progress, batch, records)
        except command_records.REFUSED as error:
            return self._fail_without_records(progress, list_api_problems(error))
        except (command_records.EngineError, TooLong, Paused) as error:
            return self._fail_with_records(progress, batch, error)

    def _take_batch(self, progress: CommandProgress, records: Iterator[Record], batch: list[Record], most: int) -> bool:
        """Append records to `batch`, and measure the time. Return True if the command has no more records.

        A user can pause the work of controllers after a change, but not the change itself.
        """
        kind = progress.payload["kind"]
        can_be_paused = not COMMANDS[kind].is_change or progress.records > 0
        self.control.begin_step(progress.number if can_be_paused else 0)
        self.loaded.simulation.pulse = self.control.interrupt_or_yield
        began, seconds = time.monotonic(), CHUNK_SECONDS if kind == "run" else COMMAND_SECONDS
        try:
            return command_records.take_batch(records, batch, most, began + seconds)
        finally:
            self.control.end_step()
            elapsed = time.monotonic() - began
            self.loaded.spent += elapsed
            self.uncharged += elapsed
            for record in batch:
                if record.error is not None:
                    about = record.data.get("actor") or record.data.get("cycle", {}).get("pod") or record.data["kind"]
                    logger.error("%s: the engine failed", about, exc_info=record.error)
                    progress.problems = [command_records.problem_of_defect(record.error)]

    def _make_room(self, used: StorageUse | None = None) -> Problem | None:
        """Thin out old records if storage is short. Return the problem that stops the cluster, or None."""
        return retention.make_room(self.lease.cluster_id, used) or self._charge_shared_view()

    def _charge_shared_view(self) -> Problem | None:
        """Charge a shared moment for the engine's work. Return the problem if its limits are reached, or None."""
        if self.shared is None:
            return None
        seconds, self.uncharged = self.uncharged, 0.0
        return quota.shared_view_problem(self.shared, self.loaded.simulation.cluster.store.size, seconds)

    def _commit_change(self, progress: CommandProgress, batch: list[Record], records: Iterator[Record]) -> bool:
        """Take and commit the records of a change, and of the controllers that react to it.

        Return False if the session must end before the last record.
        """
        while not self._take_batch(progress, records, batch, COMMAND_RECORDS):
            self._commit([(progress, batch)])
            if (full := self._make_room()) is not None:
                return self._fail_without_records(progress, [full])
            self.control.read_settings()
            if self.control.is_paused(progress.number):
                return self._finish(progress, batch, CommandState.STOPPED)
            if self.publisher.state_is_due():
                self._publish_state()
            if self.control.must_end():
                return False
        return self._finish(progress, batch, CommandState.DONE)

    def _commit_run(self, progress: CommandProgress, batch: list[Record], records: Iterator[Record]) -> bool:
        """Take and commit the records of a run at its pace.

        Return False if the session must end before the last record.
        """
        if progress.records == 0:
            self._publish_state()
        elif not self.control.wait_for_pace(progress.number):
            return False
        while True:
            if self.control.is_paused(progress.number):
                return self._finish(progress, batch, CommandState.STOPPED)
            # Publish the first record at once, because a user waits for it.
            paced = self.control.is_paced or self.control.is_timed
            most = 1 if progress.records == 0 or paced else CHUNK_RECORDS
            before = self.loaded.simulation.now
            if self._take_batch(progress, records, batch, most):
                return self._finish(progress, batch, CommandState.DONE)
            last = batch[-1]
            self._commit([(progress, batch)])
            if (full := self._make_room()) is not None:
                return self._fail_without_records(progress, [full])
            self.control.read_settings()
            if self.publisher.state_is_due():
                self._publish_state()
            is_cycle = last.data["kind"] == "cycle"
            if is_cycle and not loaded_clusters.may_end_at(progress.payload, progress.cycles, last):
                self._checkpoint(progress)
            if self.control.must_end():
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

    def _finish(self, progress: CommandProgress, batch: list[Record], state: CommandState) -> bool:
        _set_final_state(progress, state)
        self._commit([(progress, batch)])
        self._note_end(progress)
        return True

    def _note_end(self, progress: CommandProgress) -> None:
        """Note in the loaded cluster that this command and all its records are stored."""
        logger.info("%s: %s, %d records", progress.payload["kind"], progress.state, progress.records)
        self.loaded.command, self.loaded.rest = progress.number, None
        self.loaded.records, self.loaded.cycles = progress.records, progress.cycles
        self._checkpoint(progress)

    def _fail_without_records(self, progress: CommandProgress, problems: list[Problem]) -> bool:
        progress.problems = problems
        return self._finish(progress, [], CommandState.FAILED)

    def _fail_with_records(
        self, progress: CommandProgress, batch: list[Record], error: command_records.EngineError | Interrupted
    ) -> bool:
        """Store the records before the failure or pause, and load the simulation again without the rest."""
        progress.state = CommandState.STOPPED if isinstance(error, Paused) else CommandState.FAILED
        if isinstance(error, TooLong):
            progress.problems = [command_records.problem_of_long_step()]
        elif isinstance(error, command_records.EngineError):
            logger.error("%s: the engine failed", progress.payload["kind"], exc_info=error)
            progress.problems = [command_records.problem_of_defect(error.__cause__)]
        self._commit([(progress, batch)])
        self.loaded = loaded_clusters.load(Cluster.objects.get(pk=self.lease.cluster_id))
        self._publish_state()
        return True

    def _commit(self, batches: Sequence[CommandBatch]) -> None:
        """Commit and publish the records of these commands, and empty their lists in `batches`."""
        records = [record for _, batch in batches for record in batch]
        for record in records:
            self.loaded.count(record)
        for progress, batch in batches:
            progress.add(batch)
        simulation = self.loaded.simulation
        points = self.loaded.sampler.take_samples(records[-1]) if records and self.loaded.sampler else []
        stored = commits.commit_records(self.lease, batches, simulation, self.loaded.committed, points)
        if records:
            self.loaded.counts.follow(records, stored.moved)
            self.publisher.records(stored.bodies, self._matrix_encoder(records))
            _log_attempts(records)
        for _, batch in batches:
            batch.clear()

    def _matrix_encoder(self, records: list[Record]) -> Callable[[], str] | None:
        """Return a function that encodes the newest cycle's matrix.

        Return None without one, or if the list of Nodes has changed.
        """
        newest = next((record for record in reversed(records) if record.data["kind"] == "cycle"), None)
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
            checkpoints.save_checkpoint(self.lease.cluster_id, position, simulation.seq, plain)
            loaded.checkpointed, loaded.spent = simulation.seq, 0.0
            loaded.checkpoint_cost = time.monotonic() - began

    def _publish_state(self) -> None:
        state = cluster_states.read_state(self.lease.cluster_id, self.loaded.counts)
        if state is not None:
            self.publisher.state(state)


def _progress_of(command: Command) -> CommandProgress:
    return CommandProgress(
        *(command.number, command.payload, CommandState.RUNNING, command.records, command.cycles, command.problems),
        stopped_by=command.stopped_by,
    )


def _set_final_state(progress: CommandProgress, state: CommandState) -> None:
    """Set a command's final state. A command with a defect in one of its records has failed."""
    progress.state = CommandState.FAILED if progress.problems else state


def _log_attempts(records: list[Record]) -> None:
    """Log the result of each attempt at level DEBUG."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    for record in records:
        if "cycle" in record.data:
            cycle = record.data["cycle"]
            result = cycle["node"] or cycle["message"]
            logger.debug("attempt %d: %s: %s", cycle["attempt"], cycle["outcome"], result, extra={"pod": cycle["pod"]})
