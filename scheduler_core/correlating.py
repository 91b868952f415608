"""Events that say the same, or nearly: which of them become an Event object, and which only count in one.

kube-scheduler has the recorder of events.k8s.io, controllers and kubelets that of core/v1. Both are in client-go,
before anything is written: what they leave out no API server ever knows.
Source: client-go/tools/record/events_cache.go, client-go/tools/events/event_broadcaster.go.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

V = TypeVar("V")

WITHOUT_UID = frozenset({"taint-eviction-controller"})
"""Components that name a pod without its uid: what they say of the next one of that name counts on."""

MOST_KNOWN = 4_096
MOST_SIMILAR, SIMILAR_SECONDS = 10, 600
COMBINED = "(combined from similar events): "
BURST, SECONDS_EACH = 25, 300
# The scheduler's recorder looks through what it knows so often.
FINISH_SECONDS, REFRESH_SECONDS = 360, 1_800


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One thing that a component said of an object at a time (s); `source` is "" for the scheduler.

    `number` is its own, and greater than that of whatever was said before. `moment` is the time in microseconds, each
    its own. `seq` is the record. `version` is that of the object: another number when it was written in between.
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
class Counted:
    """An Event object: what it was made of, what was last written into it, how often that was said."""

    first: Occurrence
    last: Occurrence
    message: str
    count: int = 1


class Recent(OrderedDict[Hashable, V], Generic[V]):
    """What was used last; the oldest are forgotten."""

    def put(self, key: Hashable, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        if len(self) > MOST_KNOWN:
            self.popitem(last=False)


@dataclass(slots=True)
class _Seen:
    first: Occurrence
    count: int = 0
    counted: Counted | None = None


@dataclass(slots=True)
class _Similar:
    messages: dict[str, None] = field(default_factory=dict)
    t: float = 0.0


@dataclass(slots=True)
class _Bucket:
    left: float
    t: float


class ControllerRecorder:
    """That of core/v1: the same is counted, what differs in its message alone is combined, too much is left out."""

    def __init__(self) -> None:
        self._seen = Recent[_Seen]()
        self._similar = Recent[_Similar]()
        self._buckets = Recent[_Bucket]()

    def hear(self, occurrence: Occurrence) -> tuple[Counted | None, Counted] | None:
        """The Event before and after; None where nothing is written."""
        key, message = self._combined(occurrence)
        seen = self._seen.get(key) or _Seen(occurrence)
        self._seen.put(key, seen)
        seen.count += 1
        if not self._may_say(occurrence):
            return None
        before, seen.counted = seen.counted, Counted(seen.first, occurrence, message, seen.count)
        return before, seen.counted

    def _combined(self, occurrence: Occurrence) -> tuple[Hashable, str]:
        """Under which key it is counted, and the message there."""
        key = (occurrence.source, occurrence.kind, occurrence.key, occurrence.uid, occurrence.type, occurrence.reason)
        similar = self._similar.get(key)
        if similar is None or occurrence.t - similar.t > SIMILAR_SECONDS:
            similar = _Similar()
        similar.messages[occurrence.message], similar.t = None, occurrence.t
        self._similar.put(key, similar)
        if len(similar.messages) < MOST_SIMILAR:
            return (*key, occurrence.message), occurrence.message
        del similar.messages[next(iter(similar.messages))]
        return key, COMBINED + occurrence.message

    def _may_say(self, occurrence: Occurrence) -> bool:
        key = (occurrence.source, occurrence.kind, occurrence.key, occurrence.uid)
        bucket = self._buckets.get(key) or _Bucket(BURST, occurrence.t)
        self._buckets.put(key, bucket)
        bucket.left = min(BURST, bucket.left + max(0.0, occurrence.t - bucket.t) / SECONDS_EACH)
        bucket.t = occurrence.t
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True


@dataclass(slots=True)
class _Series:
    counted: Counted
    count: int
    t: float


class SchedulerRecorder:
    """That of events.k8s.io: of what is the same but for its note the second begins a series.

    How far a series has come is written half-hourly. That its end is written, too, is not done here: nothing happens in
    the cluster at that time.
    """

    def __init__(self) -> None:
        self._series = Recent[_Series]()

    def hear(self, occurrence: Occurrence) -> tuple[Counted | None, Counted] | None:
        """The Event before and after; None where nothing is written."""
        key = (occurrence.kind, occurrence.key, occurrence.uid, occurrence.version, occurrence.type, occurrence.reason)
        series = self._series.get(key)
        if series is None or _is_over(series, occurrence.t):
            counted = Counted(occurrence, occurrence, occurrence.message)
            self._series.put(key, _Series(counted, 1, occurrence.t))
            return None, counted
        series.count, series.t = series.count + 1, occurrence.t
        before = series.counted
        is_due = occurrence.t // REFRESH_SECONDS > before.last.t // REFRESH_SECONDS
        if series.count > 2 and not is_due:
            return None
        series.counted = Counted(before.first, occurrence, before.message, series.count)
        return before, series.counted


def _is_over(series: _Series, t: float) -> bool:
    """Whether it was forgotten before a time: when the recorder looked and it was old enough."""
    looks = (series.t + FINISH_SECONDS) // FINISH_SECONDS + 1
    return t >= looks * FINISH_SECONDS


class Correlator:
    """All recorders of a cluster."""

    def __init__(self) -> None:
        self._scheduler, self._controllers = SchedulerRecorder(), ControllerRecorder()

    def hear(self, occurrence: Occurrence) -> tuple[Counted | None, Counted] | None:
        if occurrence.source in WITHOUT_UID:
            occurrence = replace(occurrence, uid="")
        return (self._controllers if occurrence.source else self._scheduler).hear(occurrence)
