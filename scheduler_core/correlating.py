"""Event correlation: which equal or similar Events become a new Event object, and which only raise its count.

kube-scheduler uses the recorder of events.k8s.io, controllers and kubelets that of core/v1. Both are part of client-go,
so the API server never sees the Events that they drop.
Source: client-go/tools/record/events_cache.go, client-go/tools/events/event_broadcaster.go.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

V = TypeVar("V")

WITHOUT_UID = frozenset({"taint-eviction-controller"})
"""Components whose Events lack the pod's uid, so that a later pod of the same name continues their series."""

MAX_ENTRIES = 4_096
MAX_SIMILAR, SIMILAR_SECONDS = 10, 600
COMBINED = "(combined from similar events): "
BURST, SECONDS_PER_EVENT = 25, 300
# The periods of the scheduler's recorder: removal of finished series, and refresh of active ones.
FINISH_SECONDS, REFRESH_SECONDS = 360, 1_800


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One Event that a component recorded at a time (s); `source` is "" for the scheduler.

    `number` is unique and increasing. `moment` is a unique time in microseconds. `seq` is the number of the record.
    `version` is the object's; it changes when the object is written.
    """

    number: int
    seq: int
    t: float
    moment: int
    source: str
    kind: str
    key: str
    uid: str
    type: str
    reason: str
    message: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class EventObject:
    """An Event object: its first and last occurrence, its message, and its count."""

    first: Occurrence
    last: Occurrence
    message: str
    count: int = 1


class RecentEntries(OrderedDict[Hashable, V], Generic[V]):
    """The most recently used entries; the oldest are dropped."""

    def put(self, key: Hashable, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        if len(self) > MAX_ENTRIES:
            self.popitem(last=False)


@dataclass(slots=True)
class _Seen:
    first: Occurrence
    count: int = 0
    counted: EventObject | None = None


@dataclass(slots=True)
class _Similar:
    messages: dict[str, None] = field(default_factory=dict)
    t: float = 0.0


@dataclass(slots=True)
class _Bucket:
    left: float
    t: float


class ControllerRecorder:
    """The recorder of core/v1: it counts equal Events, combines those that differ in the message, and drops a flood."""

    def __init__(self) -> None:
        self._seen = RecentEntries[_Seen]()
        self._similar = RecentEntries[_Similar]()
        self._buckets = RecentEntries[_Bucket]()

    def correlate(self, occurrence: Occurrence) -> tuple[EventObject | None, EventObject] | None:
        """Return the Event object before and after the occurrence; None if nothing is written."""
        key, message = self._combined(occurrence)
        seen = self._seen.get(key) or _Seen(occurrence)
        self._seen.put(key, seen)
        seen.count += 1
        if not self._is_within_rate(occurrence):
            return None
        before, seen.counted = seen.counted, EventObject(seen.first, occurrence, message, seen.count)
        return before, seen.counted

    def _combined(self, occurrence: Occurrence) -> tuple[Hashable, str]:
        """Return the key under which the occurrence is counted, and the message."""
        key = (occurrence.source, occurrence.kind, occurrence.key, occurrence.uid, occurrence.type, occurrence.reason)
        similar = self._similar.get(key)
        if similar is None or occurrence.t - similar.t > SIMILAR_SECONDS:
            similar = _Similar()
        similar.messages[occurrence.message], similar.t = None, occurrence.t
        self._similar.put(key, similar)
        if len(similar.messages) < MAX_SIMILAR:
            return (*key, occurrence.message), occurrence.message
        del similar.messages[next(iter(similar.messages))]
        return key, COMBINED + occurrence.message

    def _is_within_rate(self, occurrence: Occurrence) -> bool:
        key = (occurrence.source, occurrence.kind, occurrence.key, occurrence.uid)
        bucket = self._buckets.get(key) or _Bucket(BURST, occurrence.t)
        self._buckets.put(key, bucket)
        bucket.left = min(BURST, bucket.left + max(0.0, occurrence.t - bucket.t) / SECONDS_PER_EVENT)
        bucket.t = occurrence.t
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True


@dataclass(slots=True)
class _Series:
    counted: EventObject
    count: int
    t: float


class SchedulerRecorder:
    """The recorder of events.k8s.io: the second of equal Events, apart from their note, starts a series.

    A series is written every half hour. Upstream also writes its end, which isn't done here, because nothing happens in
    the cluster at that time.
    """

    def __init__(self) -> None:
        self._series = RecentEntries[_Series]()

    def correlate(self, occurrence: Occurrence) -> tuple[EventObject | None, EventObject] | None:
        """Return the Event object before and after the occurrence; None if nothing is written."""
        key = (occurrence.kind, occurrence.key, occurrence.uid, occurrence.version, occurrence.type, occurrence.reason)
        series = self._series.get(key)
        if series is None or _is_over(series, occurrence.t):
            counted = EventObject(occurrence, occurrence, occurrence.message)
            self._series.put(key, _Series(counted, 1, occurrence.t))
            return None, counted
        series.count, series.t = series.count + 1, occurrence.t
        before = series.counted
        is_due = occurrence.t // REFRESH_SECONDS > before.last.t // REFRESH_SECONDS
        if series.count > 2 and not is_due:
            return None
        series.counted = EventObject(before.first, occurrence, before.message, series.count)
        return before, series.counted


def _is_over(series: _Series, t: float) -> bool:
    """Return True if the recorder removed the series before a time, at a check when it was old enough."""
    checks = (series.t + FINISH_SECONDS) // FINISH_SECONDS + 1
    return t >= checks * FINISH_SECONDS


class Correlator:
    """All recorders of a cluster."""

    def __init__(self) -> None:
        self._scheduler, self._controllers = SchedulerRecorder(), ControllerRecorder()

    def correlate(self, occurrence: Occurrence) -> tuple[EventObject | None, EventObject] | None:
        if occurrence.source in WITHOUT_UID:
            occurrence = replace(occurrence, uid="")
        return (self._controllers if occurrence.source else self._scheduler).correlate(occurrence)
