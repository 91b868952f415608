"""Event objects for the Events of the scheduler and the controllers."""

import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from typing import Any

from cachetools import LRUCache

from kube_apiserver import built_in
from kube_apiserver.resources import by_kind
from kube_apiserver.time_format import TIME_FORMAT
from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.parsers.meta import derived_uid
from playground.kubernetes import resource_versions
from playground.models import Cluster, ClusterObject, ObjectChange
from playground.store import event_rows as store
from playground.store.event_rows import ReadPosition
from scheduler_core.correlating import WITHOUT_UID, Correlator, EventObject, Occurrence, RecentEntries

Object = dict[str, Any]

MOST = 1_000
"""The limit of Events per cluster. An API server deletes Events after an hour."""
MOST_READ = 20_000
"""The limit of earlier Events that a process reads at its first request."""
MOST_WRITES = 10_000
_CLUSTERS = 8
_SCHEDULER = "default-scheduler"
_NAMESPACE = "Namespace"
# The `action` of an Event by its reason.
_ACTIONS = {"Scheduled": "Binding", "Preempted": "Preempting"}


@dataclass(frozen=True, slots=True)
class EventWrite:
    """An Event object before and after a record wrote it. `before` is None for a new one."""

    seq: int
    before: EventObject | None
    after: EventObject


@dataclass(slots=True)
class _CorrelatedEvents:
    """The correlated Events of a cluster, which each process reads once, and the writes that follow from them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    correlator: Correlator = field(default_factory=Correlator)
    writes: deque[EventWrite] = field(default_factory=lambda: deque(maxlen=MOST_WRITES))
    position: ReadPosition = field(default_factory=ReadPosition)
    t: float = 0.0
    last_time: int = 0
    # For each Pod after a failed attempt: the number of writes of its condition, and the condition's message.
    conditions: RecentEntries[tuple[int, str]] = field(default_factory=RecentEntries)

    def writes_up_to(self, cluster: Cluster) -> list[EventWrite]:
        """Return the newest writes up to the cluster's last record that the reader sees."""
        with self.lock:
            self._read_new_events(cluster)
            return [write for write in self.writes if write.seq <= cluster.revision]

    def _read_new_events(self, cluster: Cluster) -> None:
        newer, self.position = store.read_events_after(cluster.pk, self.position, cluster.revision, MOST_READ)
        for entry in newer:
            occurrence = Occurrence(entry.number, entry.seq, entry.t, self._next_time(entry.t), *entry[3:])
            counted = self.correlator.correlate(self._with_version(occurrence))
            if counted is not None:
                self.writes.append(EventWrite(entry.seq, *counted))

    def _with_version(self, occurrence: Occurrence) -> Occurrence:
        """Add the Pod's version to a FailedScheduling Event.

        A failed attempt writes the Pod only if its message is new, and later Events are then about a newer version.
        """
        if occurrence.reason != "FailedScheduling":
            return occurrence
        pod = (occurrence.key, occurrence.uid)
        version, message = self.conditions.get(pod) or (0, "")
        self.conditions.put(pod, (version + (occurrence.message != message), occurrence.message))
        return replace(occurrence, version=version)

    def _next_time(self, t: float) -> int:
        """Return the time in microseconds.

        Events at the same virtual time get increasing values, because clients sort by them.
        """
        moment = int(t * 1_000) * 1_000
        # An undo moves time back.
        self.last_time = max(moment, self.last_time + 1) if t >= self.t else moment
        self.t = t
        return self.last_time


_correlated = LRUCache[tuple[int, datetime], _CorrelatedEvents](_CLUSTERS)
_lock = threading.Lock()


def _writes(cluster: Cluster) -> list[EventWrite]:
    with _lock:
        events = _correlated.setdefault((cluster.pk, cluster.created), _CorrelatedEvents())
    return events.writes_up_to(cluster)


class _Namespaces:
    """The creation times of a cluster's namespaces, each read at most once."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._since: dict[str, float] = dict.fromkeys(built_in.NAMESPACES, -inf)

    def holds(self, namespace: str, t: float) -> bool:
        """Return True if an object written in this namespace at virtual time `t` still exists."""
        if namespace not in self._since:
            self._since[namespace] = self._began(namespace)
        return t >= self._since[namespace]

    def _began(self, namespace: str) -> float:
        """Return the namespace's creation in virtual time, or infinity if it does not exist.

        A namespace with objects may lack an object of its own.
        """
        of_cluster = ClusterObject.objects.filter(cluster_id=self._cluster.pk)
        row = of_cluster.filter(kind=_NAMESPACE, key=namespace).values_list("manifest").first()
        if row is None:
            return -inf if of_cluster.filter(key__startswith=f"{namespace}/").exists() else inf
        manifest = json.loads(row[0]) if isinstance(row[0], str) else row[0]
        created = str((manifest.get("metadata") or {}).get("creationTimestamp") or "")
        try:
            return datetime.strptime(created, TIME_FORMAT).replace(tzinfo=UTC).timestamp() - EPOCH_SECONDS
        except ValueError:
            return -inf


def read_newest_events(cluster: Cluster, namespace: str) -> list[Object]:
    """Return the newest Events of a namespace, or of all if it is ""."""
    newest: dict[int, EventObject] = {}
    for write in reversed(_writes(cluster)):
        newest.setdefault(write.after.first.number, write.after)
    namespaces = _Namespaces(cluster)
    wanted = (
        counted
        for counted in newest.values()
        if namespace in ("", _namespace_of(counted.first))
        and namespaces.holds(_namespace_of(counted.first), counted.last.t)
    )
    return [_make_event(counted) for counted, _ in zip(wanted, range(MOST), strict=False)]


def read_deleted_events(cluster: Cluster, first: int, last: int) -> Iterator[tuple[int, str, Object]]:
    """Yield the Events deleted with their namespaces in these records: the record, the key, and the last Event."""
    rows = ObjectChange.objects.filter(
        cluster_id=cluster.pk, seq__gte=first, seq__lte=last, kind=_NAMESPACE, after__isnull=True
    )
    for seq, namespace in rows.order_by("seq").values_list("seq", "key"):
        newest = {
            counted.after.first.number: counted.after
            for counted in _writes(cluster)
            if counted.seq <= seq and _namespace_of(counted.after.first) == namespace
        }
        for counted in newest.values():
            event = _make_event(counted)
            yield seq, f"{namespace}/{event['metadata']['name']}", event


def read_event_writes(cluster: Cluster, first: int, last: int) -> list[tuple[int, str, Object | None, Object]] | None:
    """Return the Events that these records wrote: the record, the key, the Event before and after.

    Return None if the first of them are no longer stored.
    """
    writes = _writes(cluster)
    if len(writes) >= MOST_WRITES and writes[0].seq >= first:
        return None
    return list(_writes_of(write for write in writes if first <= write.seq <= last))


def _writes_of(writes: Iterable[EventWrite]) -> Iterator[tuple[int, str, Object | None, Object]]:
    for write in writes:
        after = _make_event(write.after)
        before = None if write.before is None else _make_event(write.before)
        yield write.seq, f"{after['metadata']['namespace']}/{after['metadata']['name']}", before, after


def _namespace_of(occurrence: Occurrence) -> str:
    """Return the Event's namespace. Events about cluster-scoped objects are in the default one."""
    return occurrence.key.rpartition("/")[0] or "default"


def _make_event(counted: EventObject) -> Object:
    first, last = counted.first, counted.last
    namespace, _, name = first.key.rpartition("/")
    # The suffix is as long as a server's, which are in nanoseconds, so names sort by time.
    event_name, event_namespace = f"{name}.{first.number:016x}", _namespace_of(first)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": event_name,
            "namespace": event_namespace,
            "uid": derived_uid("Event", event_namespace, event_name),
            "resourceVersion": str(
                resource_versions.object_version(last.seq, "Event", f"{event_namespace}/{event_name}")
            ),
            "creationTimestamp": _seconds(first),
        },
        "involvedObject": _reference(first, namespace, name),
        "reason": first.reason,
        "message": counted.message,
        **(_controller_fields(counted) if first.source else _scheduler_fields(counted)),
        "type": first.type,
    }


def _reference(of: Occurrence, namespace: str, name: str) -> Object:
    place = {"namespace": namespace} if namespace else {}
    api_version = {"apiVersion": _api_version(of.kind)}
    if of.source in WITHOUT_UID:
        return {"kind": of.kind, **place, "name": name, **api_version}
    uid = of.uid or derived_uid(of.kind, namespace, name)
    version = str(resource_versions.object_version(of.seq, of.kind, of.key))
    return {"kind": of.kind, **place, "name": name, "uid": uid, **api_version, "resourceVersion": version}


def _api_version(kind: str) -> str:
    try:
        return by_kind(kind).api_version
    except KeyError:
        return "v1"


def _controller_fields(counted: EventObject) -> Object:
    """Return the fields that client-go/tools/record writes, which controllers and kubelets use."""
    return {
        "source": {"component": counted.first.source},
        "firstTimestamp": _seconds(counted.first),
        "lastTimestamp": _seconds(counted.last),
        "count": counted.count,
        "eventTime": None,
        "reportingComponent": counted.first.source,
        "reportingInstance": "",
    }


def _scheduler_fields(counted: EventObject) -> Object:
    """Return the fields that client-go/tools/events writes, which kube-scheduler uses with events.k8s.io."""
    series = {"count": counted.count, "lastObservedTime": _micros(counted.last)}
    return {
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": _micros(counted.first),
        **({"series": series} if counted.count > 1 else {}),
        "action": _ACTIONS.get(counted.first.reason, "Scheduling"),
        "reportingComponent": _SCHEDULER,
        "reportingInstance": f"{_SCHEDULER}-playground",
    }


def _seconds(occurrence: Occurrence) -> str:
    return datetime.fromtimestamp(EPOCH_SECONDS + occurrence.t, UTC).strftime(TIME_FORMAT)


def _micros(occurrence: Occurrence) -> str:
    seconds, micros = divmod(occurrence.moment, 1_000_000)
    whole = datetime.fromtimestamp(EPOCH_SECONDS + seconds, UTC)
    return f"{whole.strftime('%Y-%m-%dT%H:%M:%S')}.{micros:06d}Z"
