"""Retention: delete old records and matrices, which the engine can rebuild from commands and checkpoints.

Commands, extenders' answers and checkpoints stay. So do the timeline, the Events and the versions of Pods and Nodes.
Records are deleted only where a checkpoint before them lets the engine rebuild them within seconds.
"""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import BigIntegerField, F, Max, Sum
from django.db.models.functions import Coalesce, Length
from django.utils import timezone

from playground import logs
from playground.engine.thinned_records import digest_record
from playground.limits import REBUILD_RECORDS
from playground.models import (
    BeforeChange,
    ChartPoint,
    Checkpoint,
    Cluster,
    ClusterObject,
    Command,
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
from playground.problems import Problem
from playground.store import quota, record_batches
from playground.store.batched_rows import RECORDS
from playground.store.quota import ROW_BYTES, StorageUse

logger = logging.getLogger(__name__)

CHUNK = 500
# A cluster that is unused for RETAIN_DAYS or over its quota keeps a tenth of the usual number of cycles.
IDLE_SHARE = 10


def thin_all() -> None:
    """Apply the retention policy to every cluster."""
    idle_since = timezone.now() - timedelta(days=settings.RETAIN_DAYS)
    clusters = Cluster.objects.annotate(used=Coalesce(Max("commands__created"), F("created")))
    for pk, used, stored in list(clusters.order_by("pk").values_list("pk", "used", "stored_bytes")):
        in_use = used > idle_since and stored <= settings.CLUSTER_QUOTA
        thin_cluster(pk, settings.RETAIN_CYCLES if in_use else least_full_cycles())


def least_full_cycles() -> int:
    """Return the number of cycles that are kept in full in any case."""
    return max(1, settings.RETAIN_CYCLES // IDLE_SHARE)


def thin_cluster(cluster_id: int, full_cycles: int) -> int:
    """Keep only the newest cycles in full. Return the number of deleted records."""
    gone = 0
    with logs.about(cluster=cluster_id):
        while count := _thin_chunk(cluster_id, full_cycles):
            gone += count
        if gone:
            measure_cluster(cluster_id)
            logger.info("%d records were thinned out", gone)
    return gone


@transaction.atomic
def _thin_chunk(cluster_id: int, full_cycles: int) -> int:
    cluster = Cluster.objects.select_for_update().filter(pk=cluster_id).first()
    if cluster is None:
        return 0
    first = cluster.thinned + 1
    last = min(first + CHUNK - 1, _last_to_thin(cluster, full_cycles))
    if last < first or last - _replay_start(cluster_id, first) > REBUILD_RECORDS:
        return 0
    digests = b"".join(digest_record(body) for _, body in RECORDS.iterate_range(cluster_id, first, last))
    ThinnedRecords.objects.create(cluster_id=cluster_id, first=first, last=last, digests=digests)
    record_batches.split_row(cluster_id, last)
    records = Record.objects.filter(cluster_id=cluster_id, seq__gte=first, seq__lte=last)
    cycles = records.filter(kind="cycle").values_list("cycle", flat=True)
    CycleMatrix.objects.filter(cluster_id=cluster_id, number__in=list(cycles)).delete()
    # Binding records stay: they are few, and history finds them by the cycle's number.
    records.exclude(kind="binding").delete()
    Cluster.objects.filter(pk=cluster_id).update(thinned=last)
    return last - first + 1


def _last_to_thin(cluster: Cluster, full_cycles: int) -> int:
    """Return the number of the record before the first cycle that is kept."""
    newest = Cycle.objects.filter(cluster_id=cluster.pk, number=cluster.cycle - full_cycles + 1)
    first_full = newest.values_list("seq", flat=True).first()
    return 0 if first_full is None else first_full - 1


def _replay_start(cluster_id: int, first: int) -> int:
    """Return the number of the record after which a replay for the record `first` starts."""
    before = Checkpoint.objects.filter(cluster_id=cluster_id, seq__lt=first).aggregate(seq=Max("seq"))
    return before["seq"] or 0


MEASURED_COLUMNS = (
    (BeforeChange, "body"),
    (Record, "body"),
    (CycleMatrix, "body"),
    (Checkpoint, "body"),
    (ThinnedRecords, "digests"),
    (ExtenderAnswers, "body"),
    (Command, "payload"),
    (NodeEpoch, "names"),
    (ClusterObject, "manifest"),
    (SchedulerConfig, "yaml"),
)
COUNTED_MODELS = (ChartPoint, RolloutPoint, Record, Cycle, Event, PodState, NodeState, ClusterObject, Command)


def measure_cluster(cluster_id: int) -> int:
    """Count the bytes that a cluster takes, and store and return them. Commits only add estimates to the last value."""
    stored = sum(_length(model, column, cluster_id) for model, column in MEASURED_COLUMNS)
    stored += ROW_BYTES * sum(model._default_manager.filter(cluster_id=cluster_id).count() for model in COUNTED_MODELS)
    Cluster.objects.filter(pk=cluster_id).update(stored_bytes=stored)
    return stored


def _length(model: type, column: str, cluster_id: int) -> int:
    rows = model._default_manager.filter(cluster_id=cluster_id)  # type: ignore[attr-defined]
    totals = rows.aggregate(total=Sum(Length(column), output_field=BigIntegerField()))
    return int(totals["total"] or 0)


def make_room(cluster_id: int, used: StorageUse | None = None) -> Problem | None:
    """Thin out old records if the quota is used up. Return the problem that remains, or None if there is room."""
    problem = quota.quota_problem(cluster_id, used=used)
    if problem is not None and thin_cluster(cluster_id, least_full_cycles()):
        problem = quota.quota_problem(cluster_id)
    return problem
