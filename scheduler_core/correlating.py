"""Events that say the same, or nearly: which of them become an Event object, and which only count in one.

kube-scheduler has the recorder of events.k8s.io, controllers and kubelets that of core/v1. Both are in client-go,
before anything is written: what they leave out no API server ever knows.
Source: client-go/tools/record/events_cache.go, client-go/tools/events/event_broadcaster.go.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

V = TypeVar("V")

MOST_KNOWN = 4_096
MOST_SIMILAR, SIMILAR_SECONDS = 10, 600
COMBINED = "(combined from similar events): "
BURST, SECONDS_EACH = 25, 300
# The scheduler's recorder looks through what it knows so often.
FINISH_SECONDS, REFRESH_SECONDS = 360, 1_800


@dataclass(frozen=True, slots=True)
class Said:
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
class Told:
    """An Event object: what it was made of, what was last written into it, how often that was said."""

    first: Said
    last: Said
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
    first: Said
    count: int = 0
    told: Told | None = None


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

    def hear(self, said: Said) -> tuple[Told | None, Told] | None:
        """The Event before and after; None where nothing is written."""
        key, message = self._combined(said)
        seen = self._seen.get(key) or _Seen(said)
        self._seen.put(key, seen)
        seen.count += 1
        if not self._may_say(said):
            return None
        before, seen.told = seen.told, Told(seen.first, said, message, seen.count)
        return before, seen.told

    def _combined(self, said: Said) -> tuple[Hashable, str]:
        """Under which key it is counted, and the message there."""
        key = (said.source, said.kind, said.key, said.uid, said.type, said.reason)
        similar = self._similar.get(key)
        if similar is None or said.t - similar.t > SIMILAR_SECONDS:
            similar = _Similar()
        similar.messages[said.message], similar.t = None, said.t
        self._similar.put(key, similar)
        if len(similar.messages) < MOST_SIMILAR:
            return (*key, said.message), said.message
        del similar.messages[next(iter(similar.messages))]
        return key, COMBINED + said.message

    def _may_say(self, said: Said) -> bool:
        key = (said.source, said.kind, said.key, said.uid)
        bucket = self._buckets.get(key) or _Bucket(BURST, said.t)
        self._buckets.put(key, bucket)
        bucket.left = min(BURST, bucket.left + max(0.0, said.t - bucket.t) / SECONDS_EACH)
        bucket.t = said.t
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True


@dataclass(slots=True)
class _Series:
    told: Told
    count: int
    t: float


class SchedulerRecorder:
    """That of events.k8s.io: of what is the same but for its note the second begins a series.

    How far a series has come is written half-hourly. That its end is written, too, is not done here: nothing happens in
    the cluster at that time.
    """

    def __init__(self) -> None:
        self._series = Recent[_Series]()

    def hear(self, said: Said) -> tuple[Told | None, Told] | None:
        """The Event before and after; None where nothing is written."""
        key = (said.kind, said.key, said.uid, said.version, said.type, said.reason)
        series = self._series.get(key)
        if series is None or _is_over(series, said.t):
            told = Told(said, said, said.message)
            self._series.put(key, _Series(told, 1, said.t))
            return None, told
        series.count, series.t = series.count + 1, said.t
        before = series.told
        is_due = said.t // REFRESH_SECONDS > before.last.t // REFRESH_SECONDS
        if series.count > 2 and not is_due:
            return None
        series.told = Told(before.first, said, before.message, series.count)
        return before, series.told


def _is_over(series: _Series, t: float) -> bool:
    """Whether it was forgotten before a time: when the recorder looked and it was old enough."""
    looks = (series.t + FINISH_SECONDS) // FINISH_SECONDS + 1
    return t >= looks * FINISH_SECONDS


class Correlator:
    """All recorders of a cluster."""

    def __init__(self) -> None:
        self._scheduler, self._controllers = SchedulerRecorder(), ControllerRecorder()

    def hear(self, said: Said) -> tuple[Told | None, Told] | None:
        return (self._controllers if said.source else self._scheduler).hear(said)
