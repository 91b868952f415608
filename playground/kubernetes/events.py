"""What the scheduler and the controllers said of objects, as Event objects."""

from datetime import UTC, datetime
from typing import Any

from kubernetes_api.matching import TIME_FORMAT
from playground.kubernetes import versions
from playground.models import Cluster, ClusterObject, Event
from scheduler_core.objects.parsers.meta import derived_uid
from scheduler_core.simulation.cluster import EPOCH_SECONDS

MOST = 1_000
"""The newest of a cluster: an API server keeps its Events for an hour."""
MOST_AT_ONCE = 20_000
_SCHEDULER = "default-scheduler"
# What it was doing, by the Event's reason.
_ACTIONS = {"Scheduled": "Binding", "Preempted": "Preempting"}


def of(cluster: Cluster, namespace: str) -> list[dict[str, Any]]:
    """The newest Events; of one namespace if it is not ""."""
    rows = Event.objects.filter(cluster_id=cluster.pk).order_by("-seq", "-pk")
    if namespace and namespace != "default":
        rows = rows.filter(object__startswith=f"{namespace}/")
    found = list(rows[:MOST])
    made = _made(cluster.pk, found)
    return [each for each in made if not namespace or each["metadata"]["namespace"] == namespace]


def between(cluster_id: int, first: int, last: int) -> list[tuple[int, str, dict[str, Any]]] | None:
    """Those of these records: the record, the key, the Event. None where they are too many to be told."""
    rows = Event.objects.filter(cluster_id=cluster_id, seq__gte=first, seq__lte=last).order_by("seq", "pk")
    found = list(rows[: MOST_AT_ONCE + 1])
    if len(found) > MOST_AT_ONCE:
        return None
    made = zip(found, _made(cluster_id, found), strict=True)
    return [(row.seq, f"{each['metadata']['namespace']}/{each['metadata']['name']}", each) for row, each in made]


def _made(cluster_id: int, found: list[Event]) -> list[dict[str, Any]]:
    keys = {row.object for row in found}
    stored = ClusterObject.objects.filter(cluster_id=cluster_id, key__in=keys)
    uids = {(row.kind, row.key): (row.manifest.get("metadata") or {}).get("uid") for row in stored}
    return [_event(row, uids.get((row.kind, row.object))) for row in found]


def _event(row: Event, uid: str | None) -> dict[str, Any]:
    namespace, _, name = row.object.rpartition("/")
    time = datetime.fromtimestamp(EPOCH_SECONDS + row.t, UTC)
    seconds = time.strftime(TIME_FORMAT)
    involved = {
        "kind": row.kind,
        "name": name,
        "uid": uid or derived_uid(row.kind, namespace, name),
        "apiVersion": "v1",
        **({"namespace": namespace} if namespace else {}),
    }
    # As long as a server's, which are in nanoseconds: what is listed by name is in the order of time.
    own = f"{name}.{row.pk:016x}"
    # Events about what has no namespace stand in the default one.
    place = namespace or "default"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": own,
            "namespace": place,
            "uid": derived_uid("Event", place, own),
            "resourceVersion": str(versions.of(row.seq, "Event", f"{place}/{own}")),
            "creationTimestamp": seconds,
        },
        "involvedObject": involved,
        "reason": row.reason,
        "message": row.message,
        **(_of_controller(row.source, seconds) if row.source else _of_scheduler(row, time)),
        "type": row.type,
    }


def _of_controller(name: str, time: str) -> dict[str, Any]:
    """Source: client-go/tools/record, which controllers and kubelets use."""
    return {
        "source": {"component": name},
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
        "eventTime": None,
        "reportingComponent": name,
        "reportingInstance": "",
    }


def _of_scheduler(row: Event, time: datetime) -> dict[str, Any]:
    """Source: client-go/tools/events, which kube-scheduler uses: as events.k8s.io has them."""
    # What happens at one virtual moment has an order, too, by which clients sort.
    moment = time.replace(microsecond=time.microsecond // 1000 * 1000 + row.seq % 1000)
    return {
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "action": _ACTIONS.get(row.reason, "Scheduling"),
        "reportingComponent": _SCHEDULER,
        "reportingInstance": f"{_SCHEDULER}-playground",
    }
