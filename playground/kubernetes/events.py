"""What the scheduler and the controllers said of objects, as Event objects."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from playground.kubernetes import versions
from playground.models import Cluster, ClusterObject, Event
from scheduler_core.objects.parsers.meta import derived_uid
from scheduler_core.simulation.cluster import EPOCH_SECONDS

MOST = 1_000
"""The newest of a cluster: an API server keeps its Events for an hour."""
_SCHEDULER = "default-scheduler"


def of(cluster: Cluster, namespace: str) -> list[dict[str, Any]]:
    """The newest Events; of one namespace if it is not ""."""
    rows = Event.objects.filter(cluster_id=cluster.pk).order_by("-seq", "-pk")
    if namespace and namespace != "default":
        rows = rows.filter(object__startswith=f"{namespace}/")
    found = list(rows[:MOST])
    made = _made(cluster.pk, found)
    return [each for each in made if not namespace or each["metadata"]["namespace"] == namespace]


def after(cluster_id: int, seq: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Those of the records after `seq`: the record, the key, the Event."""
    rows = list(Event.objects.filter(cluster_id=cluster_id, seq__gt=seq).order_by("seq", "pk")[:MOST])
    for row, made in zip(rows, _made(cluster_id, rows), strict=True):
        yield row.seq, f"{made['metadata']['namespace']}/{made['metadata']['name']}", made


def _made(cluster_id: int, found: list[Event]) -> list[dict[str, Any]]:
    keys = {row.object for row in found}
    stored = ClusterObject.objects.filter(cluster_id=cluster_id, key__in=keys)
    uids = {(row.kind, row.key): (row.manifest.get("metadata") or {}).get("uid") for row in stored}
    return [_event(row, uids.get((row.kind, row.object))) for row in found]


def _event(row: Event, uid: str | None) -> dict[str, Any]:
    namespace, _, name = row.object.rpartition("/")
    time = datetime.fromtimestamp(EPOCH_SECONDS + row.t, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    involved = {
        "kind": row.kind,
        "name": name,
        "uid": uid or derived_uid(row.kind, namespace, name),
        "apiVersion": "v1",
        **({"namespace": namespace} if namespace else {}),
    }
    own = f"{name}.{row.pk:x}"
    # Events about what has no namespace stand in the default one.
    place = namespace or "default"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": own,
            "namespace": place,
            "uid": derived_uid("Event", place, own),
            "resourceVersion": versions.of(row.seq),
            "creationTimestamp": time,
        },
        "involvedObject": involved,
        "reason": row.reason,
        "message": row.message,
        "source": {"component": row.source or _SCHEDULER},
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
        "type": row.type,
        "eventTime": None,
        "reportingComponent": row.source or _SCHEDULER,
        "reportingInstance": "",
    }
