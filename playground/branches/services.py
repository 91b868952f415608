"""Branches: clusters that are forked from another cluster at a point of its history. The original never changes.

A branch is a cluster with a copy of the history up to its fork, so all code treats it like any other cluster.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max

from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from playground.branches.row_copies import copy_rows
from playground.clusters import lifecycle
from playground.engine import loaded_clusters, retention
from playground.engine.loaded_clusters import LoadedCluster
from playground.engine.thinned_records import DIGEST_BYTES, check_rebuildable
from playground.models import (
    FOREVER,
    BeforeChange,
    ChartPoint,
    Checkpoint,
    Cluster,
    ClusterObject,
    Command,
    CommandState,
    Cycle,
    CycleMatrix,
    Event,
    ExtenderAnswers,
    NodeEpoch,
    NodeState,
    PodState,
    Record,
    RolloutPoint,
    SchedulerConfig,
    ThinnedRecords,
)
from playground.problems import Refused, problem
from playground.store import quota, record_batches
from playground.store.versions import fill_current_versions

BATCH = 500
NOW = "now"
WAITING = "waiting"


@dataclass(frozen=True)
class _Point:
    """The fork's position: a record, its cycle, and the command whose `records`th record it is."""

    seq: int
    cycle: int
    command: int
    records: int
    truncated: bool


def fork_cluster(original: Cluster, at: Any, name: str = "", key: str | None = None) -> Cluster:
    """Create a branch of `original` at `at`: `{"cycle": n}`, `{"seq": n}` or "now".

    The same `key` returns the same branch. Raises Refused for an unknown point, for one that the engine can't rebuild
    (410), and if there is no room for another cluster (409).
    """
    if key is not None and (known := _find_by_key(original, key)) is not None:
        return known
    seq = None if at == NOW else seq_of(original, at)
    # The past never changes, so the engine can rebuild it before any lock is taken.
    past = None if seq is None or seq == original.revision else _load_past(original, seq)
    with transaction.atomic():
        lifecycle.check_cluster_count(original.owner_id)
        locked = Cluster.objects.select_for_update().get(pk=original.pk)
        if key is not None and (known := _find_by_key(original, key)) is not None:
            return known
        if (full := quota.disk_problem(locked.stored_bytes)) is not None:
            raise Refused([full], 409)
        if past is None and seq not in (None, locked.revision):
            raise Refused([problem("at", say("the cluster has changed in the meantime"), hint=say("try again"))], 409)
        point = _find_point(locked.pk, locked.revision if seq is None else seq)
        branch = _create_row(locked, point, past, name, key)
        _copy_history(locked.pk, branch, point)
        _copy_versions(locked.pk, branch, point)
        _copy_objects(locked.pk, branch, past)
        _restore_waiting_attempts(locked.pk, branch, point)
        branch.config_version = _newest_config(branch.pk)
        branch.save(update_fields=["config_version"])
        retention.measure_cluster(branch.pk)
    branch.refresh_from_db()
    return branch


def _find_by_key(original: Cluster, key: str) -> Cluster | None:
    return Cluster.objects.filter(parent=original, fork_key=key).first()


def seq_of(original: Cluster, at: dict[str, int]) -> int:
    """Return the last record at `{"cycle": n}` or `{"seq": n}`. Raises Refused if it doesn't exist yet."""
    if "seq" in at:
        if at["seq"] > original.revision:
            raise Refused(
                [problem("at.seq", say("the last record is {revision}", revision=original.revision), at["seq"])], 409
            )
        return at["seq"]
    cycles = Cycle.objects.filter(cluster=original)
    if at["cycle"] == 0:
        first = cycles.order_by("number").values_list("seq", flat=True).first()
        return original.revision if first is None else first - 1
    seq = cycles.filter(number=at["cycle"]).values_list("seq", flat=True).first()
    if seq is None:
        raise Refused([problem("at.cycle", say("the last cycle is {cycle}", cycle=original.cycle), at["cycle"])], 409)
    return seq


def _load_past(original: Cluster, seq: int) -> LoadedCluster:
    """Return the engine after a record that may have been pruned."""
    check_rebuildable(original.pk, seq + 1, seq)
    try:
        return loaded_clusters.load_at(original, seq)
    except loaded_clusters.ReplayError as error:
        raise Refused(
            [problem("at", say("replaying this record gives a different result: {error}", error=error))], 410
        ) from error


def _find_point(cluster_id: int, seq: int) -> _Point:
    cycle = Cycle.objects.filter(cluster_id=cluster_id, seq__lte=seq).aggregate(last=Max("number"))["last"] or 0
    executed = Command.objects.filter(cluster_id=cluster_id, records__gt=0).order_by("number")
    before = 0
    for number, records in executed.values_list("number", "records").iterator():
        if seq == 0:
            break
        if before + records >= seq:
            return _Point(seq, cycle, number, seq - before, before + records > seq)
        before += records
    return _Point(seq, cycle, 0, 0, False)


def _create_row(original: Cluster, point: _Point, past: LoadedCluster | None, name: str, key: str | None) -> Cluster:
    t = original.t if past is None else round(past.simulation.now, 6)
    return Cluster.objects.create(
        owner_id=original.owner_id,
        name=name or f"{original.name[:70]} after cycle {point.cycle}",
        seed=original.seed,
        emulates=original.emulates if past is None else past.simulation.emulation.version,
        parent=original,
        fork_seq=point.seq,
        fork_cycle=point.cycle,
        fork_t=t,
        fork_key=key,
        revision=point.seq,
        t=t,
        cycle=point.cycle,
        first_cycle=_first_cycle(original, point),
        submitted=point.command,
        applied=point.command,
        live=original.live,
        pace=original.pace,
        speed=original.speed,
        actors=original.actors if past is None else list(past.simulation.actors),
        breakpoints=original.breakpoints,
        repair_prices=original.repair_prices,
        thinned=min(original.thinned, point.seq),
    )


def _first_cycle(original: Cluster, point: _Point) -> int:
    """Return the first cycle after the last reset before the fork."""
    if original.first_cycle <= point.cycle or original.first_cycle == 1:
        return original.first_cycle
    before = last_reset = 0
    executed = Command.objects.filter(cluster=original, records__gt=0).order_by("number")
    for kind, records in executed.values_list("kind", "records").iterator():
        before += records
        if before > point.seq:
            break
        last_reset = before if kind == "reset" else last_reset
    cycles = Cycle.objects.filter(cluster=original, seq__lt=last_reset)
    return (cycles.aggregate(last=Max("number"))["last"] or 0) + 1


def _copy_history(source: int, branch: Cluster, point: _Point) -> None:
    target, upto = branch.pk, [point.seq]
    copy_rows(Command, source, target, "number <= %s", [point.command], key="NULL")
    if point.command:
        last = Command.objects.filter(cluster_id=target, number=point.command)
        cycles = Cycle.objects.filter(cluster_id=source, seq__gt=point.seq - point.records, seq__lte=point.seq).count()
        # The branch's command ends here, so it was not stopped.
        cut = {"stopped_by": None} if point.truncated else {}
        last.update(state=CommandState.DONE, records=point.records, cycles=cycles, **cut)
    copy_rows(BeforeChange, source, target, "number <= %s", [point.command])
    for model in (Record, ExtenderAnswers, SchedulerConfig, Event, Cycle, ChartPoint, RolloutPoint):
        copy_rows(model, source, target, "seq <= %s", upto)
    copy_rows(CycleMatrix, source, target, "number <= %s", [point.cycle])
    record_batches.copy_row_until(source, target, point.seq)
    copy_rows(Checkpoint, source, target, "seq <= %s AND command <= %s", [point.seq, point.command])
    copy_rows(ThinnedRecords, source, target, "first <= %s", upto)
    for chunk in ThinnedRecords.objects.filter(cluster_id=target, last__gt=point.seq):
        chunk.digests = bytes(chunk.digests)[: (point.seq - chunk.first + 1) * DIGEST_BYTES]
        chunk.last = point.seq
        chunk.save()


def _copy_versions(source: int, branch: Cluster, point: _Point) -> None:
    """Copy the states of Nodes and Pods. A state that ended after the fork is still current in the branch."""
    for model in (NodeState, PodState):
        open_end = f"CASE WHEN until > {point.seq:d} THEN {FOREVER:d} ELSE until END"
        copy_rows(model, source, branch.pk, "since <= %s", [point.seq], until=open_end)
    fill_current_versions(branch.pk, source)


def _copy_objects(source: int, branch: Cluster, past: LoadedCluster | None) -> None:
    """Copy the objects, and the Node lists that matrices refer to, which may differ for later epochs."""
    if past is None:
        copy_rows(ClusterObject, source, branch.pk)
        copy_rows(NodeEpoch, source, branch.pk)
        return
    simulation = past.simulation
    copy_rows(NodeEpoch, source, branch.pk, "epoch <= %s", [simulation.epoch])
    ClusterObject.objects.bulk_create(
        (
            ClusterObject(cluster=branch, kind=obj.kind, key=obj.key, manifest=manifest_of(obj))
            for obj in simulation.cluster.store
        ),
        BATCH,
    )


def _restore_waiting_attempts(source: int, branch: Cluster, point: _Point) -> None:
    """Let attempts that wait at Permit at the fork wait in the branch, too, whatever their end in the original."""
    late = Record.objects.filter(cluster_id=source, kind="binding", seq__gt=point.seq, cycle__lte=point.cycle)
    numbers = [number for number in late.values_list("cycle", flat=True) if number is not None]
    waiting = PodState.objects.filter(cluster=branch, until=FOREVER, lane=WAITING)
    nodes = dict(waiting.values_list("pod", "node"))
    cycles = list(Cycle.objects.filter(cluster=branch, number__in=numbers))
    for cycle in cycles:
        cycle.outcome, cycle.node, cycle.message = WAITING, nodes.get(cycle.pod, ""), ""
    Cycle.objects.bulk_update(cycles, ["outcome", "node", "message"], BATCH)


def _newest_config(cluster_id: int) -> int:
    newest = SchedulerConfig.objects.filter(cluster_id=cluster_id).aggregate(last=Max("version"))["last"]
    return int(newest)
