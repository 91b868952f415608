"""Bring a cluster's simulation to where the database is: from memory, or from a checkpoint, and the commands since.

The engine is deterministic, so taking the stored number of records of each stored command leads to the same state. A
process keeps the simulations it used last; one that another process has left behind only catches up.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Condition
from typing import Any

from cachetools import LRUCache

from playground import plugins
from playground.engine import checkpoints, collector
from playground.engine.cluster_states import Counts
from playground.engine.metering import Pacer
from playground.models import Checkpoint, Cluster, Command, CommandState, SchedulerConfig
from playground.outbound.egress import RecordingTransport
from playground.store import answers
from playground.store.known import Known
from scheduler_core.emulations import EMULATIONS
from scheduler_core.extender import Recorder, RecorderError, build_extenders
from simulator.simulation import Record, Simulation, texts
from simulator.simulation.checkpoint import CheckpointError

logger = logging.getLogger(__name__)

# So many objects the clusters that a process keeps have together: some 3 kB each. A class has a cluster for everybody
# in it; a very small one takes room as well, and of the largest some are kept all the same.
MOST_OBJECTS = 30_000
LEAST_COUNTED, MOST_COUNTED = MOST_OBJECTS // 100, MOST_OBJECTS // 4
# One that so much of is not kept twice: another process went on with it, and this one has not had it for a while.
LARGE_OBJECTS = 5000
LONG_AGO_SECONDS = 10.0
# So many objects are read out of a checkpoint in the time in which a record is made again.
OBJECTS_PER_RECORD = 8
# Records that were made again: cluster and number → the record. With one come those before it, which the page lists.
MADE_ALONG = 20
CACHED_RECORDS = 4 * MADE_ALONG
_made: LRUCache[tuple[int, int], Record] = LRUCache(CACHED_RECORDS)
# The clusters of which records are being made.
_at_work: set[int] = set()
_made_some = Condition()


class ReplayError(Exception):
    """The engine did not do again what it did before. The history is kept as it is."""


class InMemory(LRUCache[int, "Loaded"]):
    """The clusters that were used last, by their numbers."""

    def __init__(self) -> None:
        super().__init__(MOST_OBJECTS, _counted)

    def popitem(self) -> tuple[int, "Loaded"]:
        found = super().popitem()
        _let_go(found[1])
        return found


def _let_go(loaded: "Loaded") -> None:
    # The simulation itself is in no knot; its cluster and the plugins are.
    collector.let_go(loaded.simulation.cluster, _counted(loaded))


def _counted(loaded: "Loaded") -> int:
    return min(max(loaded.simulation.cluster.store.size, LEAST_COUNTED), MOST_COUNTED)


@dataclass
class Loaded:
    """A simulation that has given `records` records (`cycles` cycles) of `command`, and everything before it.

    `rest` is what is still to come of that command when it is a run that is not over.
    """

    simulation: Simulation
    recorder: Recorder
    command: int = 0
    records: int = 0
    cycles: int = 0
    # Of the lease under which it was kept last, and when.
    fencing: int = 0
    kept_at: float = 0.0
    rest: Iterator[Record] | None = None
    # The record of the newest checkpoint, the seconds spent since then, and those that it took to write.
    checkpointed: int = 0
    spent: float = 0.0
    checkpoint_cost: float = 0.0
    # How many pods and objects there are, as it was told last, and what has been stored since.
    counts: Counts = field(default_factory=Counts)
    known: Known = field(default_factory=Known)
    # Counts for the charts while records are stored; a look at the past needs none.
    meter: Pacer | None = None

    def begin(self, number: int, payload: dict[str, Any]) -> Iterator[Record]:
        """Start a command; raises what `Simulation.apply` raises, before anything has changed."""
        rest = self.apply(payload)
        self.command, self.records, self.cycles, self.rest = number, 0, 0, rest
        return rest

    def apply(self, payload: dict[str, Any]) -> Iterator[Record]:
        """The records of a command, each with what extenders answered while it was made."""
        return self._with_answers(self.simulation.apply(payload))

    def resume(self, payload: dict[str, Any]) -> Iterator[Record]:
        """The records of the rest of a run, out of whose middle the simulation was restored."""
        return self._with_answers(self.simulation.resume(payload))

    def _with_answers(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            record.answers = self.recorder.take()
            if self.meter is not None:
                self.meter.follow(record)
            yield record

    def is_at(self, cluster: Cluster) -> bool:
        """Whether this is where the cluster's row is, its last command over, and nothing is left to take."""
        at_end = self.rest is None and self.command == cluster.applied
        return at_end and self.simulation.seq == cluster.revision

    def count(self, record: Record) -> None:
        """A record of the command was taken."""
        self.records += 1
        self.cycles += record.data["kind"] == "cycle"

    def skip(self, number: int) -> None:
        """A command that left no trace: refused, or stopped before it began."""
        self.command, self.records, self.cycles, self.rest = number, 0, 0, None


_in_memory = InMemory()


def take(cluster: Cluster) -> Loaded:
    """The cluster's simulation, after all the records that are stored. The caller owns it until `keep`."""
    loaded = _in_memory.pop(cluster.pk, None)
    if loaded is not None and loaded.meter is not None and loaded.is_at(cluster):
        loaded.meter.take()
        return loaded
    if loaded is not None:
        loaded.counts, loaded.known = Counts(), Known()
    stored = Checkpoint.objects.filter(cluster=cluster).order_by("-seq", "-command")
    newest = stored.defer("body").first()
    if loaded is None or (newest is not None and _is_far_behind(loaded.simulation, newest.seq)):
        if loaded is not None:
            _let_go(loaded)
        loaded = _restored(cluster, stored.first()) or _created(cluster)
    # What another checkpoint would save: reading this one again takes no less.
    began = time.monotonic()
    try:
        _replay(cluster, loaded)
    except ReplayError as error:
        # Only an engine that has changed since can get here, and only from a checkpoint: the beginning is always good.
        logger.warning("cluster %d: %s; replaying from the beginning", cluster.pk, error)
        loaded = _created(cluster)
        _replay(cluster, loaded)
    if newest is not None and newest.seq > loaded.checkpointed:
        loaded.checkpointed, loaded.spent = newest.seq, 0.0
    if loaded.meter is None:
        loaded.meter = Pacer(loaded.simulation)
    loaded.meter.take()  # those of records that are stored
    loaded.spent += time.monotonic() - began
    return loaded


def _is_far_behind(simulation: Simulation, seq: int) -> bool:
    """Whether it takes longer to catch up with a checkpoint than to read it, which is all of the cluster."""
    return seq - simulation.seq > simulation.cluster.store.size // OBJECTS_PER_RECORD


def keeps(cluster_id: int) -> bool:
    """Whether it is in this process's memory, if perhaps not as it is now."""
    return cluster_id in _in_memory


def keep(cluster_id: int, loaded: Loaded, fencing: int) -> None:
    """Remember a simulation whose every record is committed, under the lease of this fencing number."""
    loaded.fencing, loaded.kept_at = fencing, time.monotonic()
    _in_memory[cluster_id] = loaded


def drop_overtaken() -> None:
    """Forget clusters that are gone, and large ones that another process has gone on with: one copy is enough."""
    if not _in_memory:
        return
    numbers = dict(Cluster.objects.filter(pk__in=list(_in_memory)).values_list("pk", "lease_fencing"))
    useless = [pk for pk, loaded in _in_memory.items() if _is_overtaken(loaded, numbers.get(pk))]
    sizes = [_in_memory[pk].simulation.cluster.store.size for pk in useless]
    for pk in useless:
        # No name holds on to it: what is given back below is that.
        _let_go(_in_memory[pk])
        del _in_memory[pk]
    if max(sizes, default=0) >= LARGE_OBJECTS:
        texts.forget()
        collector.give_back()


def _is_overtaken(loaded: Loaded, fencing: int | None) -> bool:
    """By who had the cluster under the lease of this number; None where there is no cluster any more."""
    is_idle = loaded.kept_at < time.monotonic() - LONG_AGO_SECONDS
    is_large = loaded.simulation.cluster.store.size >= LARGE_OBJECTS
    return fencing is None or (is_large and is_idle and fencing != loaded.fencing)


def at(cluster: Cluster, seq: int, earlier: Loaded | None = None) -> Loaded:
    """A simulation of its own, after the record `seq`, for looking at a past moment.

    It is `earlier`, taken on to there, if that is given. The records on the way are made without their steps.
    """
    loaded = earlier or _not_after(cluster, seq)
    loaded.simulation.record_steps = False
    _replay(cluster, loaded, seq)
    return loaded


def again(cluster: Cluster, first: int, last: int) -> list[Record]:
    """The stored records `first` to `last`, made again with all that travels beside them. Raises ReplayError."""
    wanted = [(cluster.pk, seq) for seq in range(first, last + 1)]
    # The page asks at once for a cycle and its matrix: who comes second finds what the first one made.
    with _alone_with(cluster.pk):
        with _made_some:
            known = [_made[key] for key in wanted if key in _made]
        if len(known) == len(wanted):
            return known
        found = _made_again(cluster, first, last)
        with _made_some:
            # What thousands of objects came with is larger than all the others.
            small = [record for record in found[-MADE_ALONG:] if len(record.manifests) < MADE_ALONG]
            _made.update({(cluster.pk, record.seq): record for record in small})
    return [record for record in found if record.seq >= first]


@contextmanager
def _alone_with(cluster_id: int) -> Iterator[None]:
    """One request at a time makes records of a cluster; those of others go on."""
    with _made_some:
        while cluster_id in _at_work:
            _made_some.wait()
        _at_work.add(cluster_id)
    try:
        yield
    finally:
        with _made_some:
            _at_work.remove(cluster_id)
            _made_some.notify_all()


def _made_again(cluster: Cluster, first: int, last: int) -> list[Record]:
    """The same, and before them what the way from the checkpoint passes of the MADE_ALONG records up to `last`."""
    found: list[Record] = []
    loaded = _not_after(cluster, first - 1)
    loaded.simulation.record_steps = False
    _replay(cluster, loaded, min(first - 1, max(loaded.simulation.seq, last - MADE_ALONG)))
    loaded.simulation.record_steps = True
    _replay(cluster, loaded, last, found.append)
    return found


def _not_after(cluster: Cluster, seq: int) -> Loaded:
    """A simulation of its own, at the last checkpoint up to the record `seq`, or at the beginning."""
    stored = Checkpoint.objects.filter(cluster=cluster, seq__lte=seq).order_by("-seq", "-command").first()
    return _restored(cluster, stored) or _created(cluster)


def forget_all() -> None:
    """Start afresh, as a new process does."""
    while _in_memory:
        _in_memory.popitem()
    _made.clear()


def _created(cluster: Cluster) -> Loaded:
    first = SchedulerConfig.objects.get(cluster=cluster, version=1)
    recorder, options = _surroundings(first.emulates)
    options |= {"seed": cluster.seed, "config": first.yaml or None, "emulation": EMULATIONS[first.emulates]}
    return Loaded(Simulation.create(**options), recorder)


def _surroundings(emulates: str) -> tuple[Recorder, dict[str, Any]]:
    """What a simulation is given: the plugins, and extenders that are called through a recorder."""
    recorder = RecordingTransport()
    return recorder, {
        "registry": plugins.registry(emulates),
        "make_extenders": lambda config: build_extenders(config, recorder),
        # For the metrics alone; nothing that is decided depends on it.
        "clock": time.perf_counter,
    }


def _restored(cluster: Cluster, stored: Checkpoint | None) -> Loaded | None:
    if stored is None:
        return None
    recorder, options = _surroundings(cluster.emulated_at(stored.seq))
    try:
        simulation = Simulation.restore(checkpoints.state(stored), **options)
    except CheckpointError as error:
        logger.warning("checkpoint %d: %s; replaying from the beginning", stored.pk, error)
        return None
    return Loaded(simulation, recorder, stored.command, stored.records, stored.cycles)


def _replay(
    cluster: Cluster, loaded: Loaded, last: int | None = None, on_record: Callable[[Record], object] | None = None
) -> None:
    """Take every stored record that the simulation has not given yet, up to record `last`; `on_record` is told each."""
    commands = Command.objects.filter(cluster=cluster, number__gte=loaded.command).exclude(state=CommandState.QUEUED)
    for command in commands.order_by("number").iterator(50):
        if last is not None and loaded.simulation.seq >= last:
            return
        if command.number > loaded.command:
            if not command.records:
                # Refused, stopped before it began, or about to begin.
                if command.state != CommandState.RUNNING:
                    loaded.skip(command.number)
                continue
            loaded.begin(command.number, command.payload)
        elif loaded.rest is None and (loaded.records < command.records or command.state == CommandState.RUNNING):
            loaded.rest = loaded.resume(remaining(command.payload, loaded.cycles))
        _take(loaded, command, last, on_record)


def _take(
    loaded: Loaded, command: Command, last: int | None, on_record: Callable[[Record], object] | None = None
) -> None:
    while loaded.records < command.records and (last is None or loaded.simulation.seq < last):
        loaded.recorder.replay(partial(answers.recall, command.cluster_id, loaded.simulation.seq + 1))
        try:
            record = next(loaded.rest, None) if loaded.rest is not None else None
        except RecorderError as error:
            raise ReplayError(f"command {command.number}, record {loaded.simulation.seq + 1}: {error}") from error
        if record is None:
            raise ReplayError(f"command {command.number} gave {loaded.records} records instead of {command.records}")
        loaded.count(record)
        if on_record is not None:
            on_record(record)
    if command.state != CommandState.RUNNING:
        loaded.rest = None


def remaining(payload: dict[str, Any], cycles: int) -> dict[str, Any]:
    """The command that does the rest of a run after `cycles` cycles of it."""
    until = payload.get("until")
    if not cycles or not isinstance(until, dict) or "cycles" not in until:
        return payload
    return {**payload, "until": {"cycles": until["cycles"] - cycles}}


def may_be_over(payload: dict[str, Any], cycles: int, record: Record) -> bool:
    """Whether a run's condition may hold with this record: then it cannot be begun again from there."""
    until = payload["until"]
    if until == "idle":
        return False
    if "cycles" in until:
        return cycles >= int(until["cycles"])
    if "seconds" in until:
        return record.data["kind"] != "cycle"  # the end of a run that waits for a time is in its checkpoints
    if "breakpoint" in until:
        return record.data["kind"] != "cycle" or "stoppedBy" in record.data
    return record.data["kind"] != "cycle" or record.data["cycle"]["pod"] == until["pod"]
