"""One worker's turn at one cluster: load, apply, commit, publish."""

import json
import logging
import math
import time
from collections.abc import Callable, Iterator

from playground import logs
from playground.engine import checkpoints, cluster_states, leases, retention, simulations, stepping, storing
from playground.engine.leases import Lease
from playground.engine.pacing import Control
from playground.engine.renewal import Renewal
from playground.engine.storing import Progress
from playground.models import Command, CommandState
from playground.news.publisher import Publisher
from playground.prepared import Select
from playground.problems import Problem, of_error
from playground.store import versions
from playground.store.clusters import CLUSTER
from scheduler_core.simulation import Record

logger = logging.getLogger(__name__)

CHUNK_SECONDS = 0.2
CHUNK_RECORDS = 500
CHECKPOINT_SECONDS = 0.5
CHECKPOINT_RECORDS = 125
# At most this part of the time goes into checkpoints.
CHECKPOINT_SHARE = 0.25
MOST_ATTEMPTS = 5

_NEXT = Select(
    lambda cluster: Command.objects.filter(
        cluster_id=cluster, state__in=(CommandState.QUEUED, CommandState.RUNNING)
    ).order_by("number")[:1],
    int,
)


class Turn:
    """One worker's turn at one cluster."""

    def __init__(self, lease: Lease, renewal: Renewal[Lease], publisher: Publisher, as_guest: bool = False) -> None:
        self.lease = lease
        self.publisher = publisher
        self.loaded = simulations.take(CLUSTER.existing(lease.cluster_id))
        # The turn begins when everything is loaded: a large cluster must get on, too.
        self.control = Control(lease.cluster_id, renewal, as_guest)

    def run(self) -> bool:
        """Go on until nothing is queued, the worker stops, or others wait for it; whether all was applied."""
        finished = self._apply_all()
        # Only here is every record of the simulation committed.
        simulations.keep(self.lease.cluster_id, self.loaded)
        self._publish_state()
        return finished

    def _apply_all(self) -> bool:
        """Whether everything was applied; the lease is given back in any case."""
        while True:
            self.control.check()
            command = self._next_command()
            if command is None:
                if leases.release_when_done(self.lease):
                    return True
            elif not self._apply(command):
                storing.leave(self.lease, command)
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
        return _NEXT.object(self.lease.cluster_id)

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
            return self._refuse(progress, [stepping.deadly(command)])
        if (full := retention.make_room(self.lease.cluster_id)) is not None:
            return self._refuse(progress, [full])
        storing.begin(self.lease, command, versions.can_be_popped(command.cluster_id) if is_run else 0)
        taken: list[Record] = []
        try:
            records = stepping.begin(self.loaded, command)
            if is_run:
                return self._run(progress, taken, records)
            began = time.monotonic()
            while not stepping.take(records, taken, CHUNK_RECORDS, math.inf):
                pass
            self.loaded.spent += time.monotonic() - began
        except stepping.REFUSED as error:
            return self._refuse(progress, of_error(error))
        except stepping.EngineError as error:
            logger.exception("%s: the engine failed", command.kind)
            return self._fail(progress, taken, error)
        return self._finish(progress, taken, CommandState.DONE)

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
            paced = self.control.is_paced or self.control.is_timed
            most = 1 if progress.records == 0 or paced else CHUNK_RECORDS
            before = self.loaded.simulation.now
            is_over = stepping.take(records, taken, most, began + CHUNK_SECONDS)
            self.loaded.spent += time.monotonic() - began
            if is_over:
                return self._finish(progress, taken, CommandState.DONE)
            last = taken[-1]
            self._store(progress, taken)
            if (full := retention.make_room(self.lease.cluster_id)) is not None:
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
                # What came is seen for as long as it took until then.
                if not self.control.wait_for_time(progress.number, last.data["t"] - before):
                    return False
                continue
            # Nobody wants to wait for a cycle that does not come.
            has_next = is_cycle and self.control.is_paced and versions.can_be_popped(self.lease.cluster_id)
            if has_next and not self.control.wait_for_pace(progress.number):
                return False

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

    def _fail(self, progress: Progress, taken: list[Record], error: stepping.EngineError) -> bool:
        """What the engine gave before it broke stays; the simulation is made again, without the rest."""
        progress.problems = [stepping.broke(error)]
        progress.state = CommandState.FAILED
        self._store(progress, taken)
        self.loaded = simulations.take(CLUSTER.existing(self.lease.cluster_id))
        self._publish_state()
        return True

    def _store(self, progress: Progress, taken: list[Record]) -> None:
        """Commit and publish the records taken; `taken` is empty afterwards."""
        for record in taken:
            self.loaded.count(record)
            if record.lanes:
                self.loaded.lanes = None
        progress.records += len(taken)
        progress.stopped_by = next((r.data["stoppedBy"] for r in taken if "stoppedBy" in r.data), progress.stopped_by)
        progress.cycles += sum(record.data["kind"] == "cycle" for record in taken)
        simulation = self.loaded.simulation
        points = self.loaded.meter.take(taken[-1]) if taken and self.loaded.meter else []
        bodies = storing.commit(self.lease, progress, taken, simulation, points)
        if taken:
            self.publisher.records(bodies, self._matrix_of(taken))
            _log(taken)
        taken.clear()

    def _matrix_of(self, taken: list[Record]) -> Callable[[], str] | None:
        """How to tell the newest cycle's matrix; None when it searched nothing, or other nodes than there are now."""
        newest = next((record for record in reversed(taken) if record.data["kind"] == "cycle"), None)
        simulation = self.loaded.simulation
        if newest is None or newest.matrix is None or newest.matrix.epoch != simulation.epoch:
            return None
        number, found = newest.data["cycle"]["number"], newest.matrix

        def as_json() -> str:
            named = {"cycle": number} | found.to_json(simulation.node_names)
            return json.dumps(named, separators=(",", ":"))

        return as_json

    def _checkpoint(self, progress: Progress) -> None:
        """Save the state when a replay from the last one would take long, and saving is cheap beside it."""
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
        loaded = self.loaded
        state = cluster_states.state(self.lease.cluster_id, loaded.lanes, loaded.simulation.seq)
        if state is not None:
            loaded.lanes = state["lanes"] if state["revision"] == loaded.simulation.seq else None
            self.publisher.state(state)


def _log(taken: list[Record]) -> None:
    """What became of each attempt, for those who ask for details."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    for record in taken:
        if "cycle" in record.data:
            cycle = record.data["cycle"]
            result = cycle["node"] or cycle["message"]
            logger.debug("attempt %d: %s: %s", cycle["attempt"], cycle["outcome"], result, extra={"pod": cycle["pod"]})
