"""Write what the engine did: records, and everything that reads need, in one transaction under the lease."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from playground.engine import leases
from playground.engine.leases import Lease
from playground.metrics import definitions, tallies
from playground.metrics.observing import observe
from playground.metrics.tally import Tally
from playground.models import (
    ChartPoint,
    Command,
    CommandState,
    Cycle,
    CycleMatrix,
    Event,
    NodeEpoch,
    Record,
    SchedulerConfig,
)
from playground.packing import pack
from playground.problems import Problem
from playground.store import answers, before, objects, times, watched
from playground.store.quota import ROW_BYTES
from scheduler_core.simulation import Record as EngineRecord
from scheduler_core.simulation.charts import Point

# Rows of one statement: SQLite allows 32,766 parameters in one.
BATCH = 1000


@dataclass
class Progress:
    """How far a command is after a commit: its state, and the records and cycles that it gave in all."""

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


def canonical(data: dict[str, Any]) -> str:
    """A record as its bytes are defined: docs/trace_format.md."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


@transaction.atomic
def begin(lease: Lease, command: Command, can_be_popped: int) -> None:
    """Mark a command as running, once more. Raises LeaseLostError.

    A run until nothing is left has as many cycles as there are pods that `can_be_popped`, as far as one can tell.
    """
    leases.write(lease)
    until = command.payload.get("until")
    total = until.get("cycles") if isinstance(until, dict) else can_be_popped or None
    Command.objects.filter(pk=command.pk).update(
        state=CommandState.RUNNING,
        attempts=command.attempts + 1,
        total=total if command.total is None else command.total,
    )


@transaction.atomic
def leave(lease: Lease, command: Command) -> None:
    """Give the lease back in the middle of a command. It is not the command's fault, so the attempt does not count."""
    leases.write(lease)
    Command.objects.filter(pk=command.pk).update(attempts=0)
    leases.release(lease)


@transaction.atomic
def commit(
    lease: Lease,
    progress: Progress,
    records: Sequence[EngineRecord],
    epoch: int,
    names: list[str],
    points: Sequence[tuple[int, Point]] = (),
) -> list[str]:
    """Store `records` and their consequences; the records' JSON. Raises LeaseLostError, then nothing is stored.

    `epoch` and `names`: the list of nodes that matrices among the records may refer to; `points`: the cluster in
    numbers after some of the records.
    """
    bodies = [canonical(record.data) for record in records]
    packed = [pack(body) for body in bodies]
    matrices = [_matrix(lease.cluster_id, record) for record in records if record.matrix is not None]
    stored = sum(map(len, packed)) + sum(len(matrix.body) for matrix in matrices) + _rows(records) * ROW_BYTES
    stored += len(points) * ROW_BYTES
    stored += before.remember(lease.cluster_id, progress.number, progress.payload["kind"], records)
    fields = _cluster_fields(lease.cluster_id, progress, records)
    leases.write(lease, stored_bytes=F("stored_bytes") + stored, **fields)
    Command.objects.filter(cluster_id=lease.cluster_id, number=progress.number).update(
        state=progress.state,
        records=progress.records,
        cycles=progress.cycles,
        problems=progress.problems,
        stopped_by=progress.stopped_by,
        # A command that gets further is not the one that kills its workers.
        **({"attempts": 0} if records else {}),
    )
    _write_records(lease.cluster_id, records, packed)
    _write_cycles(lease.cluster_id, records)
    _write_matrices(lease.cluster_id, matrices, epoch, names)
    _write_events(lease.cluster_id, records)
    _write_points(lease.cluster_id, points)
    answers.write(lease.cluster_id, records)
    watched.write(lease.cluster_id, records)
    objects.write(lease.cluster_id, records)
    times.add(lease.cluster_id, records)
    _count(progress, records)
    return bodies


def _count(progress: Progress, records: Sequence[EngineRecord]) -> None:
    """Metrics are stored with what they count: however workers end, nothing is counted twice or not at all."""
    tally = Tally()
    observe(tally, records)
    if progress.finished:
        tally.count(definitions.COMMANDS, progress.payload["kind"], progress.state)
    tallies.add(tally)


def _cluster_fields(cluster_id: int, progress: Progress, records: Sequence[EngineRecord]) -> dict[str, Any]:
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
            case "config":
                fields["config_version"] = _write_config(cluster_id, record, progress)
    return fields


def _write_config(cluster_id: int, record: EngineRecord, progress: Progress) -> int:
    last = SchedulerConfig.objects.filter(cluster_id=cluster_id).order_by("-version").values_list("version", flat=True)
    version = last[0] + 1
    author = Command.objects.values_list("author", flat=True).get(cluster_id=cluster_id, number=progress.number)
    SchedulerConfig.objects.create(
        cluster_id=cluster_id,
        version=version,
        seq=record.seq,
        yaml=progress.payload["yaml"],
        author=author,
        note=record.data.get("note", ""),
    )
    return version


def _rows(records: Sequence[EngineRecord]) -> int:
    """How many rows these records lead to, nearly: themselves and their cycles, Events, pods and objects."""
    return sum(
        1 + ("cycle" in record.data) + len(record.data.get("events", ())) + len(record.lanes) + len(record.manifests)
        for record in records
    )


def _write_records(cluster_id: int, records: Sequence[EngineRecord], bodies: Sequence[bytes]) -> None:
    Record.objects.bulk_create(
        (
            Record(
                cluster_id=cluster_id,
                seq=record.seq,
                kind=record.data["kind"],
                cycle=record.data["cycle"]["number"] if "cycle" in record.data else None,
                body=body,
            )
            for record, body in zip(records, bodies, strict=True)
        ),
        BATCH,
    )


def _write_cycles(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    made: dict[int, Cycle] = {}
    for record in records:
        if "cycle" not in record.data:
            continue
        cycle = record.data["cycle"]
        late = {"outcome": cycle["outcome"], "node": cycle["node"] or "", "message": cycle["message"]}
        if "stoppedBy" in record.data:
            late["stopped_by"] = record.data["stoppedBy"]
        number = cycle["number"]
        if record.data["kind"] == "cycle":
            made[number] = Cycle(
                cluster_id=cluster_id,
                number=number,
                seq=record.seq,
                t=record.data["t"],
                pod=cycle["pod"],
                attempt=cycle["attempt"],
                **late,
            )
        elif number in made:
            for name, value in late.items():
                setattr(made[number], name, value)
        else:
            Cycle.objects.filter(cluster_id=cluster_id, number=number).update(**late)
    Cycle.objects.bulk_create(made.values(), BATCH)


def _matrix(cluster_id: int, record: EngineRecord) -> CycleMatrix:
    return CycleMatrix(cluster_id=cluster_id, number=record.data["cycle"]["number"], body=record.matrix.to_bytes())


def _write_matrices(cluster_id: int, matrices: list[CycleMatrix], epoch: int, names: list[str]) -> None:
    if matrices:
        NodeEpoch.objects.get_or_create(cluster_id=cluster_id, epoch=epoch, defaults={"names": names})
    CycleMatrix.objects.bulk_create(matrices, BATCH)


def _write_events(cluster_id: int, records: Iterable[EngineRecord]) -> None:
    Event.objects.bulk_create(
        (
            Event(
                cluster_id=cluster_id,
                seq=record.seq,
                t=record.data["t"],
                **{"source" if name == "from" else name: value for name, value in event.items()},
            )
            for record in records
            for event in record.data.get("events", ())
        ),
        BATCH,
    )


def _write_points(cluster_id: int, points: Sequence[tuple[int, Point]]) -> None:
    ChartPoint.objects.bulk_create(
        (ChartPoint(cluster_id=cluster_id, seq=seq, t=point["t"], body=point) for seq, point in points), BATCH
    )
