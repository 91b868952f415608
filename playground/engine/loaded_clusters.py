"""Loaded clusters: simulations in this process's memory, loaded from a checkpoint and by replaying commands.

The engine is deterministic, so taking the stored number of records of each command gives the same state. A process
keeps recently used simulations; one that is behind only replays the missing commands.
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
from playground.engine import checkpoints, garbage_collection
from playground.engine.chart_sampler import ChartSampler
from playground.engine.cluster_states import Counts
from playground.models import Checkpoint, Cluster, Command, CommandState, SchedulerConfig
from playground.outbound.egress import RecordingTransport
from playground.store import extender_answers
from playground.store.committed_state import CommittedState
from scheduler_core.emulations import EMULATIONS
from scheduler_core.extender import Recorder, RecorderError, build_extenders
from simulator.simulation import Record, Simulation, texts
from simulator.simulation import controller_runtime as controller_runtime  # imports controllers before the fork
from simulator.simulation.checkpoint import CheckpointError

logger = logging.getLogger(__name__)

# The limit for the number of objects of all clusters in memory, at some 3 kB per object. A cluster counts as at least
# LEAST_COUNTED objects, because an empty one takes memory, too, and at most as MOST_COUNTED, so that several large
# ones fit.
MOST_OBJECTS = 30_000
LEAST_COUNTED, MOST_COUNTED = MOST_OBJECTS // 100, MOST_OBJECTS // 4
# A cluster of this size is dropped if another process has continued it and this one has not used it recently.
LARGE_OBJECTS = 5000
LONG_AGO_SECONDS = 10.0
# Reading this many objects from a checkpoint takes as long as replaying one record.
OBJECTS_PER_RECORD = 8
# Rebuilt records by cluster and number. A rebuild also returns the records before the requested one, because the UI
# lists them.
REBUILT_ALONG = 20
CACHED_REBUILT = 4 * REBUILT_ALONG
_rebuilt: LRUCache[tuple[int, int], Record] = LRUCache(CACHED_REBUILT)
# The clusters whose records are being rebuilt.
_being_rebuilt: set[int] = set()
_rebuilding_changed = Condition()


class ReplayError(Exception):
    """The engine did not reproduce the stored records. The history is not changed."""


class LoadedClusterCache(LRUCache[int, "LoadedCluster"]):
    """The most recently used clusters, by id."""

    def __init__(self) -> None:
        super().__init__(MOST_OBJECTS, _count_objects)

    def popitem(self) -> tuple[int, "LoadedCluster"]:
        item = super().popitem()
        _note_dropped(item[1])
        return item


def _note_dropped(loaded: "LoadedCluster") -> None:
    # The simulation itself is freed at once. Its cluster and plugins are in reference cycles.
    garbage_collection.note_dropped(loaded.simulation.cluster, _count_objects(loaded))


def _count_objects(loaded: "LoadedCluster") -> int:
    return min(max(loaded.simulation.cluster.store.size, LEAST_COUNTED), MOST_COUNTED)


@dataclass
class LoadedCluster:
    """A simulation after `records` records (`cycles` cycles) of `command` and all commands before it.

    `rest` iterates over the remaining records of that command if it is a run that has not ended.
    """

    simulation: Simulation
    recorder: Recorder
    command: int = 0
    records: int = 0
    cycles: int = 0
    # The fencing number of the lease under which it was last stored in memory, and the time.
    fencing: int = 0
    stored_at: float = 0.0
    rest: Iterator[Record] | None = None
    # The record of the newest checkpoint, the seconds of work since then, and the seconds that it took to write.
    checkpointed: int = 0
    spent: float = 0.0
    checkpoint_cost: float = 0.0
    # The numbers of Pods and objects at the last published state, and committed values that need no second read.
    counts: Counts = field(default_factory=Counts)
    committed: CommittedState = field(default_factory=CommittedState)
    # Collects chart points. Simulations of the past have none.
    sampler: ChartSampler | None = None

    def begin(self, number: int, payload: dict[str, Any]) -> Iterator[Record]:
        """Start a command. Raise what `Simulation.apply` raises, before any change."""
        rest = self.apply(payload)
        self.command, self.records, self.cycles, self.rest = number, 0, 0, rest
        return rest

    def apply(self, payload: dict[str, Any]) -> Iterator[Record]:
        """Return the records of a command, each with the extenders' answers that it used."""
        return self._add_answers(self.simulation.apply(payload))

    def resume(self, payload: dict[str, Any]) -> Iterator[Record]:
        """Return the remaining records of a run, after the simulation was restored in the middle of it."""
        return self._add_answers(self.simulation.resume(payload))

    def _add_answers(self, records: Iterator[Record]) -> Iterator[Record]:
        for record in records:
            record.answers = self.recorder.take()
            if self.sampler is not None:
                self.sampler.follow(record)
            yield record

    def is_at(self, cluster: Cluster) -> bool:
        """Return True if the simulation is at the revision of the cluster's row and its last command is complete."""
        at_end = self.rest is None and self.command == cluster.applied
        return at_end and self.simulation.seq == cluster.revision

    def count(self, record: Record) -> None:
        """Count a record of the current command."""
        self.records += 1
        self.cycles += record.data["kind"] == "cycle"

    def skip(self, number: int) -> None:
        """Skip a command without records: it was refused, or stopped before it began."""
        self.command, self.records, self.cycles, self.rest = number, 0, 0, None


_in_memory = LoadedClusterCache()


def load(cluster: Cluster) -> LoadedCluster:
    """Return the cluster's simulation after all stored records. The caller owns it until `keep_in_memory`.

    The steps:

    1. Use the simulation in memory if it is up to date.
    2. Otherwise read the newest checkpoint if replaying from the simulation in memory would take longer.
    3. Replay the commands since, from the beginning if the engine no longer reproduces the records.
    """
    loaded = _in_memory.pop(cluster.pk, None)
    if loaded is not None and loaded.sampler is not None and loaded.is_at(cluster):
        loaded.sampler.take_samples()
        return loaded
    if loaded is not None:
        loaded.counts, loaded.committed = Counts(), CommittedState()
    stored = Checkpoint.objects.filter(cluster=cluster).order_by("-seq", "-command")
    newest = stored.defer("body").first()
    if loaded is None or (newest is not None and _is_far_behind(loaded.simulation, newest.seq)):
        if loaded is not None:
            _note_dropped(loaded)
        loaded = _restore(cluster, stored.first()) or _create(cluster)
    # Measure the replay only: another checkpoint would save this time, but not the time to read one.
    began = time.monotonic()
    try:
        _replay(cluster, loaded)
    except ReplayError as error:
        # Only a changed engine fails here, and only from a checkpoint.
        logger.warning("cluster %d: %s; replaying from the beginning", cluster.pk, error)
        loaded = _create(cluster)
        _replay(cluster, loaded)
    if newest is not None and newest.seq > loaded.checkpointed:
        loaded.checkpointed, loaded.spent = newest.seq, 0.0
    if loaded.sampler is None:
        loaded.sampler = ChartSampler(loaded.simulation)
    loaded.sampler.take_samples()  # discard the points of stored records
    loaded.spent += time.monotonic() - began
    return loaded


def _is_far_behind(simulation: Simulation, seq: int) -> bool:
    """Return True if replaying up to a checkpoint takes longer than reading it."""
    return seq - simulation.seq > simulation.cluster.store.size // OBJECTS_PER_RECORD


def is_in_memory(cluster_id: int) -> bool:
    """Return True if this process has the cluster in memory, even if it is behind."""
    return cluster_id in _in_memory


def keep_in_memory(cluster_id: int, loaded: LoadedCluster, fencing: int) -> None:
    """Store a simulation in memory after all its records were committed under the lease with this fencing number."""
    loaded.fencing, loaded.stored_at = fencing, time.monotonic()
    _in_memory[cluster_id] = loaded


def drop_outdated() -> None:
    """Drop clusters that were deleted, and large ones that another process has continued."""
    if not _in_memory:
        return
    numbers = dict(Cluster.objects.filter(pk__in=list(_in_memory)).values_list("pk", "lease_fencing"))
    useless = [pk for pk, loaded in _in_memory.items() if _is_outdated(loaded, numbers.get(pk))]
    sizes = [_in_memory[pk].simulation.cluster.store.size for pk in useless]
    for pk in useless:
        # Hold no reference, so that `release_memory` can free the cluster.
        _note_dropped(_in_memory[pk])
        del _in_memory[pk]
    if max(sizes, default=0) >= LARGE_OBJECTS:
        texts.clear_parse_cache()
        garbage_collection.release_memory()


def _is_outdated(loaded: LoadedCluster, fencing: int | None) -> bool:
    """Return True if another process has continued a large cluster, or if it was deleted (`fencing` is None)."""
    is_idle = loaded.stored_at < time.monotonic() - LONG_AGO_SECONDS
    is_large = loaded.simulation.cluster.store.size >= LARGE_OBJECTS
    return fencing is None or (is_large and is_idle and fencing != loaded.fencing)


def load_at(cluster: Cluster, seq: int, earlier: LoadedCluster | None = None) -> LoadedCluster:
    """Return a separate simulation after the record `seq`, for reading a past moment.

    It continues `earlier` if that is given. The records on the way are produced without their steps.
    """
    loaded = earlier or _load_checkpoint_before(cluster, seq)
    loaded.simulation.record_steps = False
    _replay(cluster, loaded, seq)
    return loaded


def rebuild_records(cluster: Cluster, first: int, last: int) -> list[Record]:
    """Rebuild the stored records `first` to `last` with their matrices and manifests. Raise ReplayError."""
    wanted = [(cluster.pk, seq) for seq in range(first, last + 1)]
    # The UI requests a cycle and its matrix together. The second request uses the records that the first one rebuilt.
    with _rebuild_alone(cluster.pk):
        with _rebuilding_changed:
            known = [_rebuilt[key] for key in wanted if key in _rebuilt]
        if len(known) == len(wanted):
            return known
        rebuilt = _rebuild_with_predecessors(cluster, first, last)
        with _rebuilding_changed:
            # Records with many objects are too large for the cache.
            small = [record for record in rebuilt[-REBUILT_ALONG:] if len(record.manifests) < REBUILT_ALONG]
            _rebuilt.update({(cluster.pk, record.seq): record for record in small})
    return [record for record in rebuilt if record.seq >= first]


@contextmanager
def _rebuild_alone(cluster_id: int) -> Iterator[None]:
    """Let one request at a time rebuild records of a cluster. Requests for other clusters continue."""
    with _rebuilding_changed:
        while cluster_id in _being_rebuilt:
            _rebuilding_changed.wait()
        _being_rebuilt.add(cluster_id)
    try:
        yield
    finally:
        with _rebuilding_changed:
            _being_rebuilt.remove(cluster_id)
            _rebuilding_changed.notify_all()


def _rebuild_with_predecessors(cluster: Cluster, first: int, last: int) -> list[Record]:
    """Rebuild the records `first` to `last`.

    Return with them up to MADE_ALONG records before `last` that the replay passes.
    """
    records: list[Record] = []
    loaded = _load_checkpoint_before(cluster, first - 1)
    loaded.simulation.record_steps = False
    _replay(cluster, loaded, min(first - 1, max(loaded.simulation.seq, last - REBUILT_ALONG)))
    loaded.simulation.record_steps = True
    _replay(cluster, loaded, last, records.append)
    return records


def _load_checkpoint_before(cluster: Cluster, seq: int) -> LoadedCluster:
    """Return a separate simulation at the last checkpoint up to the record `seq`, or at the beginning."""
    stored = Checkpoint.objects.filter(cluster=cluster, seq__lte=seq).order_by("-seq", "-command").first()
    return _restore(cluster, stored) or _create(cluster)


def forget_all() -> None:
    """Drop all simulations and rebuilt records, as in a new process."""
    while _in_memory:
        _in_memory.popitem()
    _rebuilt.clear()


def _create(cluster: Cluster) -> LoadedCluster:
    first = SchedulerConfig.objects.get(cluster=cluster, version=1)
    recorder, options = _recorder_and_options(first.emulates)
    options |= {"seed": cluster.seed, "config": first.yaml or None, "emulation": EMULATIONS[first.emulates]}
    return LoadedCluster(Simulation.create(**options), recorder)


def _recorder_and_options(emulates: str) -> tuple[Recorder, dict[str, Any]]:
    """Return a recorder, and a simulation's arguments: plugins, and extenders that are called through the recorder."""
    recorder = RecordingTransport()
    return recorder, {
        "registry": plugins.registry(emulates),
        "make_extenders": lambda config: build_extenders(config, recorder),
        # The clock serves metrics only. No decision depends on it.
        "clock": time.perf_counter,
    }


def _restore(cluster: Cluster, stored: Checkpoint | None) -> LoadedCluster | None:
    if stored is None:
        return None
    recorder, options = _recorder_and_options(cluster.emulated_at(stored.seq))
    try:
        simulation = Simulation.restore(checkpoints.unpack_state(stored), **options)
    except CheckpointError as error:
        logger.warning("checkpoint %d: %s; replaying from the beginning", stored.pk, error)
        return None
    return LoadedCluster(simulation, recorder, stored.command, stored.records, stored.cycles)


def _replay(
    cluster: Cluster,
    loaded: LoadedCluster,
    last: int | None = None,
    on_record: Callable[[Record], object] | None = None,
) -> None:
    """Take all stored records that the simulation has not produced yet, up to record `last`.

    Call `on_record` with each.
    """
    commands = Command.objects.filter(cluster=cluster, number__gte=loaded.command).exclude(state=CommandState.QUEUED)
    for command in commands.order_by("number").iterator(50):
        if last is not None and loaded.simulation.seq >= last:
            return
        if command.number > loaded.command:
            if not command.records:
                # The command was refused, was stopped before it began, or is about to begin.
                if command.state != CommandState.RUNNING:
                    loaded.skip(command.number)
                continue
            loaded.begin(command.number, command.payload)
        elif loaded.rest is None and (loaded.records < command.records or command.state == CommandState.RUNNING):
            loaded.rest = loaded.resume(remaining_run(command.payload, loaded.cycles))
        _replay_command(loaded, command, last, on_record)


def _replay_command(
    loaded: LoadedCluster, command: Command, last: int | None, on_record: Callable[[Record], object] | None = None
) -> None:
    while loaded.records < command.records and (last is None or loaded.simulation.seq < last):
        loaded.recorder.replay(partial(extender_answers.read_answers, command.cluster_id, loaded.simulation.seq + 1))
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


def remaining_run(payload: dict[str, Any], cycles: int) -> dict[str, Any]:
    """Return the command that does the rest of a run after `cycles` of its cycles."""
    until = payload.get("until")
    if not cycles or not isinstance(until, dict) or "cycles" not in until:
        return payload
    return {**payload, "until": {"cycles": until["cycles"] - cycles}}


def may_end_at(payload: dict[str, Any], cycles: int, record: Record) -> bool:
    """Return True if a run's end condition may hold at this record. Such a run can't be resumed there."""
    until = payload["until"]
    if until == "idle":
        return False
    if "cycles" in until:
        return cycles >= int(until["cycles"])
    if "seconds" in until:
        return record.data["kind"] != "cycle"  # checkpoints contain the end time of a run that waits for a time
    if "breakpoint" in until:
        return record.data["kind"] != "cycle" or "stoppedBy" in record.data
    return record.data["kind"] != "cycle" or record.data["cycle"]["pod"] == until["pod"]
