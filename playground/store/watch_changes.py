"""The newest changes of a cluster's objects, one by one, for watches of the Kubernetes API.

They are stored from a client's first list or watch on, and at most as many as a server's watch cache has. After a burst
of changes the clients list again, which starts the storage again.
"""

from collections.abc import Sequence

from django.db import DatabaseError, transaction
from django.db.models import F, Max

from playground.database_errors import is_read_only
from playground.models import Cluster, ClusterObject, ObjectChange
from playground.packing import pack
from playground.store.rows import encode_json, insert_rows
from simulator.simulation import Record as EngineRecord

MOST_CHANGES = 5_000
# Old changes are deleted when there are SLACK more. The check runs once per THINNED_EVERY records.
SLACK = 1_000
THINNED_EVERY = 64
BATCH = 512
_COLUMNS = ("cluster_id", "seq", "kind", "key", "before", "before_seq", "after")


def start_storing(cluster: Cluster) -> None:
    """Store the changes of a cluster from its present revision on, unless they are stored already.

    A read-only database has no changes to store, so lists and watches continue without.
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


def store_changes(cluster_id: int, records: Sequence[EngineRecord], since: int | None) -> None:
    """Store the changes of `records`, after the lock of the cluster's row and before its objects are written.

    Part of the transaction that stores `records`. `since` is the row's `watched_since`.
    """
    if not records or since is None:
        return
    count = sum(len(record.manifests) for record in records)
    if count > MOST_CHANGES:
        Cluster.everything.filter(pk=cluster_id).update(watched_since=None)
        ObjectChange.objects.filter(cluster_id=cluster_id).delete()
    elif count:
        insert_rows(ObjectChange, _COLUMNS, _changes(cluster_id, records))
        if records[0].seq // THINNED_EVERY != (records[-1].seq + 1) // THINNED_EVERY:
            _thin_out(cluster_id)


def _changes(cluster_id: int, records: Sequence[EngineRecord]) -> list[tuple[object, ...]]:
    """Return a row for each object that a record wrote."""
    touched: dict[str, set[str]] = {}
    for record in records:
        for _, kind, key, _ in record.manifests:
            touched.setdefault(kind, set()).add(key)
    # JSON texts as stored, which need no decoding here.
    now: dict[tuple[str, str], tuple[str | None, int]] = {}
    for kind, keys in touched.items():
        for start in range(0, len(keys), BATCH):
            batch = sorted(keys)[start : start + BATCH]
            rows = ClusterObject.objects.select_by_keys(cluster_id=cluster_id, kind=kind, keys=batch)
            now |= {(kind, key): (manifest, seq) for key, manifest, seq in rows}
    new_rows: list[tuple[object, ...]] = []
    for record in records:
        for _, kind, key, manifest in record.manifests:
            before, before_seq = now.get((kind, key), (None, 0))
            if before is None and manifest is None:
                continue
            after = None if manifest is None else encode_json(manifest)
            new_rows.append((cluster_id, record.seq, kind, key, _packed(before), before_seq, _packed(after)))
            now[kind, key] = (None, 0) if after is None else (after, record.seq)
    return new_rows


def _packed(manifest: str | None) -> bytes | None:
    return None if manifest is None else pack(manifest)


def _thin_out(cluster_id: int) -> None:
    rows = ObjectChange.objects.filter(cluster_id=cluster_id)
    if rows.count() <= MOST_CHANGES + SLACK:
        return
    # The changes of one record are deleted together.
    last = rows.order_by("-seq", "-pk").values_list("seq", flat=True)[MOST_CHANGES]
    gone = rows.filter(seq__lte=last)
    upto = gone.aggregate(last=Max("seq"))["last"]
    gone.delete()
    Cluster.everything.filter(pk=cluster_id).update(watched_since=upto)
