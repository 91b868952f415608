"""The newest changes of a cluster's objects, one by one, for clients of the Kubernetes API that watch.

They are kept from the moment that a client first lists or watches, and no more of them than a server's watch cache
has; where very many come at once, the clients list anew, and so say when changes matter again.
"""

from collections.abc import Sequence

from django.db import DatabaseError, transaction
from django.db.models import F, Max

from playground.database_errors import is_read_only
from playground.models import Cluster, ClusterObject, ObjectChange
from playground.packing import pack
from playground.store.rows import insert, text
from simulator.simulation import Record as EngineRecord

MOST_CHANGES = 5_000
# They are thinned out when there are as many more, which is looked at every so many records.
SLACK = 1_000
THINNED_EVERY = 64
BATCH = 512
_COLUMNS = ("cluster_id", "seq", "kind", "key", "before", "before_seq", "after")


def begin(cluster: Cluster) -> None:
    """Store the changes of a cluster from its present revision on, unless they are stored already.

    A database that refuses writes has no changes to store, so lists and watches go on without.
    """
    if cluster.watched_since is not None:
        return
    try:
        with transaction.atomic():
            Cluster.objects.filter(pk=cluster.pk, watched_since=None).update(watched_since=F("revision"))
    except DatabaseError as error:
        if not is_read_only(error):
            raise
        return
    cluster.refresh_from_db(fields=["watched_since"])


def write(cluster_id: int, records: Sequence[EngineRecord], since: int | None) -> None:
    """Part of the transaction that stores `records`, behind the lock of the cluster's row, ahead of its objects.

    `since` is that row's `watched_since`.
    """
    if not records or since is None:
        return
    count = sum(len(record.manifests) for record in records)
    if count > MOST_CHANGES:
        Cluster.everything.filter(pk=cluster_id).update(watched_since=None)
        ObjectChange.objects.filter(cluster_id=cluster_id).delete()
    elif count:
        insert(ObjectChange, _COLUMNS, _changes(cluster_id, records))
        if records[0].seq // THINNED_EVERY != (records[-1].seq + 1) // THINNED_EVERY:
            _thin_out(cluster_id)


def _changes(cluster_id: int, records: Sequence[EngineRecord]) -> list[tuple[object, ...]]:
    """Rows: one for each object that a record wrote."""
    touched: dict[str, set[str]] = {}
    for record in records:
        for _, kind, key, _ in record.manifests:
            touched.setdefault(kind, set()).add(key)
    # As the columns keep them: JSON that nobody reads here.
    now: dict[tuple[str, str], tuple[str | None, int]] = {}
    for kind, keys in touched.items():
        for start in range(0, len(keys), BATCH):
            batch = sorted(keys)[start : start + BATCH]
            rows = ClusterObject.objects.select_by_keys(cluster_id=cluster_id, kind=kind, keys=batch)
            now |= {(kind, key): (manifest, seq) for key, manifest, seq in rows}
    found: list[tuple[object, ...]] = []
    for record in records:
        for _, kind, key, manifest in record.manifests:
            before, before_seq = now.get((kind, key), (None, 0))
            if before is None and manifest is None:
                continue
            after = None if manifest is None else text(manifest)
            found.append((cluster_id, record.seq, kind, key, _packed(before), before_seq, _packed(after)))
            now[kind, key] = (None, 0) if after is None else (after, record.seq)
    return found


def _packed(manifest: str | None) -> bytes | None:
    return None if manifest is None else pack(manifest)


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
