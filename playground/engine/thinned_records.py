"""Records that were thinned out, produced again by the engine and compared with their digests."""

from collections.abc import Mapping
from hashlib import blake2b

from kube_objects.sentences import say
from playground.engine import loaded_clusters
from playground.engine.loaded_clusters import ReplayError
from playground.limits import REBUILD_RECORDS
from playground.models import Checkpoint, Cluster, ThinnedRecords
from playground.news.bodies import canonical
from playground.problems import Refused, problem
from playground.store.batched_rows import RECORDS
from scheduler_core.config import ConfigError
from simulator.simulation import CommandError
from simulator.simulation import Record as EngineRecord

DIGEST_BYTES = 8
GONE = 410


def digest_record(body: str) -> bytes:
    """Return the digest that a rebuilt record must have."""
    return blake2b(body.encode(), digest_size=DIGEST_BYTES).digest()


def rebuild_thinned(cluster_id: int, first: int, last: int) -> list[tuple[str, EngineRecord]]:
    """Return the records `first` to `last` with their JSON. Raise Refused, with status 410, if that is impossible."""
    cluster = Cluster.objects.get(pk=cluster_id)
    check_rebuildable(cluster_id, first, last)
    try:
        records = loaded_clusters.rebuild_records(cluster, first, last)
    except (ReplayError, CommandError, ConfigError) as error:
        raise _gone(f"replaying this record gives a different result: {error}") from error
    bodies = [canonical(record.data) for record in records]
    known = _digests(cluster_id, first, last)
    if len(records) != last - first + 1 or any(
        known.get(record.seq) != digest_record(body) for record, body in zip(records, bodies, strict=True)
    ):
        raise _gone("the engine has changed since, and does it differently now")
    return list(zip(bodies, records, strict=True))


def check_rebuildable(cluster_id: int, first: int, last: int) -> None:
    """Raise Refused, with status 410, if the engine would have to replay too many records before `last`."""
    before = (
        Checkpoint.objects.filter(cluster_id=cluster_id, seq__lt=first).order_by("-seq").values_list("seq", flat=True)
    )
    if last - (before.first() or 0) > REBUILD_RECORDS:
        raise _gone("making it again would take too long: there is no checkpoint near it")


def _digests(cluster_id: int, first: int, last: int) -> Mapping[int, bytes]:
    """Return the digests of records by number: stored digests for thinned records, computed ones for stored records."""
    known: dict[int, bytes] = {}
    for chunk in ThinnedRecords.objects.filter(cluster_id=cluster_id, last__gte=first, first__lte=last):
        digests = bytes(chunk.digests)
        for seq in range(max(first, chunk.first), min(last, chunk.last) + 1):
            offset = (seq - chunk.first) * DIGEST_BYTES
            known[seq] = digests[offset : offset + DIGEST_BYTES]
    return known | {seq: digest_record(body) for seq, body in RECORDS.iterate_range(cluster_id, first, last)}


def _gone(why: str) -> Refused:
    return Refused([problem("", say("this part of the history was pruned, and {why}", why=why))], GONE)
