"""Store records, and the rows that reads need, in one transaction under the lease."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from playground.engine import leases
from playground.engine.chart_sampler import ChartSample
from playground.engine.leases import Lease, LeaseLostError
from playground.metrics import definitions, stored_tallies
from playground.metrics.record_metrics import observe_records
from playground.metrics.tally import Tally
from playground.models import (
    ChartPoint,
    Command,
    CommandState,
    Cycle,
    NodeEpoch,
    RolloutPoint,
    SchedulerConfig,
)
from playground.news.bodies import Body, body_of
from playground.prepared import pipeline
from playground.problems import Problem
from playground.store import (
    event_rows,
    extender_answers,
    object_rows,
    record_batches,
    timing_sums,
    undo_snapshots,
    watch_changes,
)
from playground.store.committed_state import CommittedState
from playground.store.quota import ROW_BYTES
from playground.store.rows import encode_json, insert_rows
from scheduler_core.emulations import ORIGINAL_VERSION
from simulator.explain.times import RecordGroup, group_by_steps
from simulator.simulation import Record as EngineRecord
from simulator.simulation import Simulation

# The columns of a cycle that have the same name in its record.
_OF_CYCLE = ("number", "seq", "t", "pod", "attempt", "outcome", "node", "message")


@dataclass
class CommandProgress:
    """The progress of a command after a commit: its state and the total numbers of its records and cycles."""

    number: int
    payload: dict[str, Any]
    state: CommandState
    records: int
    cycles: int
    problems: list[Problem] = field(default_factory=list)
    stopped_by: dict[str, Any] | None = None

    @property
    def finished(self) -> bool:
        return self.state not in (CommandState.QUEUED, CommandState.RUNNING)

    def add(self, batch: Sequence[EngineRecord]) -> None:
        """Add these records, which follow the earlier ones."""
        self.records += len(batch)
        self.cycles += sum(record.data["kind"] == "cycle" for record in batch)
        self.stopped_by = next((r.data["stoppedBy"] for r in batch if "stoppedBy" in r.data), self.stopped_by)

    def store(self, cluster_id: int, batch: Sequence[EngineRecord]) -> None:
        """Update the command's row after `batch`, its newest records."""
        Command.objects.update_progress(
            cluster_id=cluster_id,
            number=self.number,
            state=self.state.value,
            records=self.records,
            cycles=self.cycles,
            problems=self.problems,
            stopped_by=self.stopped_by,
            # A command that makes progress is not the one that kills its workers.
            attempts_factor=0 if batch else 1,
        )


# A command and those of its records that are stored now.
CommandBatch = tuple[CommandProgress, list[EngineRecord]]


class CommitResult(NamedTuple):
    """The bodies of stored records to publish, and the change in the number of Pods per lane."""

    bodies: list[Body]
    moved: Mapping[str, int]


def mark_running(lease: Lease, command: Command, can_be_popped: int) -> None:
    """Mark a command as running and count the attempt. Raise LeaseLostError.

    A run until the queues are empty has about as many cycles as there are Pods that `can_be_popped`.
    """
    until = command.payload.get("until")
    total = until.get("cycles") if isinstance(until, dict) else can_be_popped or None
    total = total if command.total is None else command.total
    attempts = command.attempts + 1
    if not Command.objects.mark_running(**lease.key, number=command.number, attempts=attempts, total=total):
        raise LeaseLostError(leases.lost(lease))


def mark_batch_running(lease: Lease, first: int, last: int) -> None:
    """Mark these commands, none of them runs, as running. Raise LeaseLostError."""
    if not Command.objects.mark_batch_running(**lease.key, first=first, last=last):
        raise LeaseLostError(leases.lost(lease))


@transaction.atomic
def release_unfinished(lease: Lease, command: Command) -> None:
    """Release the lease in the middle of a command. The attempt does not count, because the command did not fail."""
    leases.write(lease)
    Command.objects.filter(pk=command.pk).update(attempts=0)
    leases.release(lease)


@transaction.atomic
def commit_records(
    lease: Lease,
    batches: Sequence[CommandBatch],
    simulation: Simulation,
    committed: CommittedState,
    points: Sequence[ChartSample] = (),
) -> CommitResult:
    """Store the records of these commands and their effects in one transaction. Return the updates to publish.

    The steps:

    1. Pack the records and matrices into rows, and add up the bytes that they take.
    2. Store the undo data of changes (`undo_snapshots.store_undo`).
    3. Update the cluster's row, and check the lease with it.
    4. Update metrics, watch events, commands, objects and versions.
    5. Insert records, matrices, cycles, Events, chart points and extenders' answers.

    Raise LeaseLostError if another worker took over; then nothing is stored, and `committed` must not be reused.
    `simulation` produced the records and has the list of Nodes that their matrices refer to. `points` are chart points
    after some of the records.
    """
    records = [record for _, batch in batches for record in batch]
    bodies = [body_of(record.data) for record in records]
    packed = record_batches.pack_rows(
        [
            record_batches.RecordRow(record, body.text, None if record.matrix is None else record.matrix.to_plain())
            for record, body in zip(records, bodies, strict=True)
        ]
    )
    new_events = event_rows.make_rows(lease.cluster_id, records)
    stored = packed.size + (len(packed.records) + len(new_events) + _estimate_rows(records)) * ROW_BYTES
    stored += sum(1 + len(point.rollouts) for point in points) * ROW_BYTES
    stored += undo_snapshots.store_undo(
        lease.cluster_id,
        [(progress.number, progress.payload["kind"], progress.finished, batch) for progress, batch in batches],
    )
    fields: dict[str, Any] = {}
    for progress, batch in batches:
        fields |= _cluster_fields(lease.cluster_id, progress, batch)
    measured = group_by_steps(records)
    # Send the statements whose results are needed first.
    with pipeline():
        watched_since = leases.send(lease, stored_bytes=stored, **fields)
        counted = stored_tallies.send_tally(_count_metrics([progress for progress, _ in batches], records, measured))
        pods = object_rows.request_pods(lease.cluster_id, records)
        watch_changes.store_changes(lease.cluster_id, records, watched_since())
        counted()
        for progress, batch in batches:
            progress.store(lease.cluster_id, batch)
        moved = object_rows.write_objects(lease.cluster_id, records, simulation.texts, pods)
        timing_sums.add_timings(lease.cluster_id, measured, committed)
        if packed.matrices:
            _write_epoch(lease.cluster_id, simulation, committed)
        record_batches.insert_batches(lease.cluster_id, packed)
        _write_cycles(lease.cluster_id, records)
        event_rows.insert_events(new_events)
        _write_points(lease.cluster_id, points)
        extender_answers.insert_answers(lease.cluster_id, records)
    return CommitResult(bodies, moved)


def _count_metrics(
    commands: Iterable[CommandProgress], records: Sequence[EngineRecord], measured: Sequence[RecordGroup]
) -> Tally:
    """Return metrics to store together with their records, so that a lost worker can't count twice or not at all."""
    tally = Tally()
    observe_records(tally, records, measured)
    for progress in commands:
        if progress.finished:
            tally.count(definitions.COMMANDS, progress.payload["kind"], progress.state)
    return tally


def _cluster_fields(cluster_id: int, progress: CommandProgress, records: Sequence[EngineRecord]) -> dict[str, Any]:
    fields: dict[str, Any] = {"applied": progress.number} if progress.finished else {}
    if records:
        last = records[-1].data
        fields |= {"revision": last["seq"], "t": last["t"]}
    for record in records:
        match record.data["kind"]:
            case "cycle":
                fields |= {"cycle": record.data["cycle"]["number"], "last_cycle_at": timezone.now()}
            case "reset":
                fields["first_cycle"] = record.data["firstCycle"]
            case "actors":
                fields["actors"] = record.data["actors"]
            case "config" | "gates":
                config = _write_config(cluster_id, record, progress)
                fields |= {"config_version": config.version, "emulates": config.emulates}
    return fields


def _write_config(cluster_id: int, record: EngineRecord, progress: CommandProgress) -> SchedulerConfig:
    last = SchedulerConfig.objects.filter(cluster_id=cluster_id).order_by("-version")[0]
    author = Command.objects.values_list("author", flat=True).get(cluster_id=cluster_id, number=progress.number)
    return SchedulerConfig.objects.create(
        cluster_id=cluster_id,
        version=last.version + 1,
        seq=record.seq,
        yaml=progress.payload.get("yaml", last.yaml),
        emulates=record.data.get("emulates", ORIGINAL_VERSION.version),
        author=author,
        note=record.data.get("note", ""),
    )


def _estimate_rows(records: Sequence[EngineRecord]) -> int:
    """Estimate the number of rows for these records: their cycles, Pods and objects."""
    return sum(("cycle" in record.data) + len(record.lanes) + len(record.manifests) for record in records)


def _write_cycles(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    new_cycles: dict[int, dict[str, Any]] = {}
    for record in records:
        if "cycle" not in record.data:
            continue
        cycle = record.data["cycle"]
        late = {"outcome": cycle["outcome"], "node": cycle["node"] or "", "message": cycle["message"]}
        if "stoppedBy" in record.data:
            late["stopped_by"] = record.data["stoppedBy"]
        number = cycle["number"]
        if record.data["kind"] == "cycle":
            implied = {"tells_event": True} if event_rows.is_implied_by_cycle(record) else {}
            new_cycles[number] = {"seq": record.seq, "t": record.data["t"], **cycle, **late, **implied}
        elif number in new_cycles:
            new_cycles[number] |= late
        else:
            Cycle.objects.filter(cluster_id=cluster_id, number=number).update(**late)
    rows = [
        (
            cluster_id,
            *(row[name] for name in _OF_CYCLE),
            encode_json(row["stopped_by"]) if "stopped_by" in row else None,
            row.get("tells_event"),
        )
        for row in new_cycles.values()
    ]
    insert_rows(Cycle, ("cluster_id", *_OF_CYCLE, "stopped_by", "tells_event"), rows)


def _write_epoch(cluster_id: int, simulation: Simulation, committed: CommittedState) -> None:
    """Store the list of Nodes that matrices refer to, if it is new."""
    epoch = simulation.epoch
    if committed.epoch != epoch:
        NodeEpoch.objects.get_or_create(cluster_id=cluster_id, epoch=epoch, defaults={"names": simulation.node_names})
        committed.epoch = epoch


def _write_points(cluster_id: int, points: Sequence[ChartSample]) -> None:
    rows = [(cluster_id, seq, point["t"], encode_json(point)) for seq, point, _ in points]
    insert_rows(ChartPoint, ("cluster_id", "seq", "t", "body"), rows)
    rollouts = [
        (cluster_id, workload.kind, workload.key, seq, point["t"], encode_json(rollout))
        for seq, point, changed in points
        for workload, rollout in changed.items()
    ]
    insert_rows(RolloutPoint, ("cluster_id", "kind", "key", "seq", "t", "body"), rollouts)
