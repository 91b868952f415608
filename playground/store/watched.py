"""The newest changes of a cluster's objects, one by one, for clients of the Kubernetes API that watch.

They are kept from the moment that a client first lists or watches, and no more of them than a server's watch cache
has; where very many come at once, the clients list anew, and so say when changes matter again.
"""

from collections.abc import Sequence

from django.db.models import F, Max

from playground.models import Cluster, ClusterObject, ObjectChange
from playground.prepared import Select
from scheduler_core.simulation import Record as EngineRecord

MOST_CHANGES = 5_000
# They are thinned out when there are as many more.
SLACK = 1_000
BATCH = 500

_WATCHED = Select(lambda cluster: Cluster.everything.filter(pk=cluster).values_list("watched_since"), int)


def begin(cluster: Cluster) -> None:
    """From now on changes are kept."""
    if cluster.watched_since is None:
        Cluster.objects.filter(pk=cluster.pk, watched_since=None).update(watched_since=F("revision"))
        cluster.refresh_from_db(fields=["watched_since"])


def write(cluster_id: int, records: Sequence[EngineRecord]) -> None:
    """Part of the transaction that stores `records`, behind the lock of the cluster's row, ahead of its objects."""
    if not records or _WATCHED.row(cluster_id) == (None,):
        return
    count = sum(len(record.manifests) for record in records)
    if count > MOST_CHANGES:
        Cluster.everything.filter(pk=cluster_id).update(watched_since=None)
        ObjectChange.objects.filter(cluster_id=cluster_id).delete()
    elif count:
        ObjectChange.objects.bulk_create(_changes(cluster_id, records), BATCH)
        _thin_out(cluster_id)


def _changes(cluster_id: int, records: Sequence[EngineRecord]) -> list[ObjectChange]:
    touched: dict[str, set[str]] = {}
    for record in records:
        for _, kind, key, _ in record.manifests:
            touched.setdefault(kind, set()).add(key)
    now: dict[tuple[str, str], tuple[object, int]] = {}
    for kind, keys in touched.items():
        for start in range(0, len(keys), BATCH):
            rows = ClusterObject.objects.filter(
                cluster_id=cluster_id, kind=kind, key__in=sorted(keys)[start : start + BATCH]
            )
            now |= {(kind, row.key): (row.manifest, row.seq) for row in rows}
    found = []
    for record in records:
        for _, kind, key, manifest in record.manifests:
            before, before_seq = now.get((kind, key), (None, 0))
            if before is None and manifest is None:
                continue
            change = ObjectChange(cluster_id=cluster_id, seq=record.seq, kind=kind, key=key)
            change.before, change.before_seq, change.after = before, before_seq, manifest
            found.append(change)
            now[kind, key] = manifest, record.seq
    return found


def _thin_out(cluster_id: int) -> None:
    rows = ObjectChange.objects.filter(cluster_id=cluster_id)
    if rows.count() <= MOST_CHANGES + SLACK:
        return
    # A record goes as a whole.
    last = rows.order_by("-seq", "-pk").values_list("seq", flat=True)[MOST_CHANGES]
    gone = rows.filter(seq__lte=last)
    upto = gone.aggregate(last=Max("seq"))["last"]
    gone.delete()
    Cluster.everything.filter(pk=cluster_id).update(watched_since=upto)
