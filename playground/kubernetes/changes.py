"""What changed of a cluster's objects since a moment, and what clients that watch a resource are told of it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.reads import go_json
from kube_apiserver.reads.forms import TABLE, Form
from kube_apiserver.resources import Resource
from kube_apiserver.writes import deleting
from playground.kubernetes import clock, events, reading, versions
from playground.models import Cluster, ObjectChange

Object = dict[str, Any]

ADDED, MODIFIED, DELETED, BOOKMARK, ERROR = "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
EVENTS = "Event"


@dataclass(frozen=True, slots=True)
class Change:
    """An object before and after a record; None for one that was not there, or is gone."""

    seq: int
    kind: str
    key: str
    before: Object | None
    before_seq: int
    after: Object | None
    version: int
    # When it was read: not before it happened.
    time: datetime


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """What a watch says of a change."""

    version: int
    type: str
    value: Object


@dataclass(frozen=True, slots=True)
class View:
    """What a watch shows: of which resource, in which namespace ("" for all), which objects, in which form."""

    cluster: Cluster
    resource: Resource
    namespace: str
    matches: Callable[[Object], bool]
    form: Form
    # In which version of the kind; the resource is that of the one that is stored.
    served: Resource

    def watch_events(self, changes: Iterable[Change]) -> Iterator[WatchEvent]:
        """An object that comes into the selection was added, one that leaves it was deleted."""
        start = f"{self.namespace}/" if self.namespace else ""
        for each in changes:
            if each.kind != self.resource.kind or not each.key.startswith(start):
                continue
            before = self._shown(each.key, each.before, each.before_seq)
            after = self._shown(each.key, each.after, each.seq)
            if after is not None:
                yield WatchEvent(each.version, ADDED if before is None else MODIFIED, after)
            elif before is not None:
                is_pod_gone = each.kind == "Pod" and each.after is None
                last = deleting.last_seen(before, each.time) if is_pod_gone else None
                if last is not None:
                    # One record here, two writes of a server.
                    yield WatchEvent(each.version - 1, MODIFIED, _at(last, each.version - 1))
                yield WatchEvent(each.version, DELETED, _at(last or before, each.version))

    def _shown(self, key: str, stored: Object | None, seq: int) -> Object | None:
        found = reading.at(self.cluster, self.resource, key, stored, seq)
        return found if found is not None and self.matches(found) else None

    def written(self, type_: str, value: Object, *, is_first: bool = False) -> bytes:
        """An event as a line. A Table names its columns the first time."""
        printed = conversion.printed(self.resource, self.served)
        shown = dict(conversion.answer(self.served, self.form.one(printed, value, clock.now(self.cluster))))
        if self.form.name == TABLE and not is_first:
            shown["columnDefinitions"] = None
        return line(type_, shown)

    def bookmark(self, version: int, *, ends_initial_events: bool = False) -> bytes:
        metadata: Object = {"resourceVersion": str(version)}
        if ends_initial_events:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        value: Object = {"kind": self.served.manifest_kind, "apiVersion": self.served.api_version, "metadata": metadata}
        if self.form.name == TABLE:
            head = {"kind": TABLE, "apiVersion": f"meta.k8s.io/{self.form.version}"}
            value = {**head, "metadata": metadata, "columnDefinitions": None, "rows": []}
        return line(BOOKMARK, value)


def _at(value: Object, version: int) -> Object:
    return {**value, "metadata": {**value["metadata"], "resourceVersion": str(version)}}


def line(type_: str, value: Object) -> bytes:
    return go_json.compact({"type": type_, "object": value}).encode() + b"\n"


def since(cluster_id: int, version: int, kinds: Iterable[str]) -> tuple[int, list[Change]] | None:
    """The last record, and what changed since a version, in the order of versions.

    None when that is not known any more.
    """
    cluster = Cluster.objects.find_watched(cluster_id=cluster_id)
    first = versions.seq_of(version)
    if cluster is None or cluster.watched_since is None or cluster.watched_since >= first:
        return None
    wanted, now = sorted(kinds), clock.now(cluster)
    # No further than all that is read here: what is written meanwhile comes with the next look.
    found: dict[tuple[int, str, str], Change] = {}
    rows = ObjectChange.objects.select_range(cluster_id=cluster_id, first=first, last=cluster.revision, kinds=wanted)
    for seq, kind, key, before, before_seq, after in rows:
        place = (seq, kind, key)
        # A record's change of an object is one, from what was before the record to what is after it.
        earlier = found.get(place)
        was, written = (before, before_seq) if earlier is None else (earlier.before, earlier.before_seq)
        found[place] = Change(*place, was, written, after, versions.of(*place), now)
    if EVENTS in wanted:
        happened = events.between(cluster, first, cluster.revision)
        if happened is None:
            return None
        for seq, key, value_before, value in happened:
            place = (seq, EVENTS, key)
            earlier_event = found.get(place)
            found[place] = Change(
                *place, earlier_event.before if earlier_event else value_before, 0, value, versions.of(*place), now
            )
        for seq, key, value in events.gone(cluster, first, cluster.revision):
            place = (seq, EVENTS, key)
            found[place] = Change(*place, value, 0, None, versions.of(*place), now)
    newer = sorted((each for each in found.values() if each.version > version), key=lambda change: change.version)
    return cluster.revision, newer
