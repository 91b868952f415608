"""What changed of a cluster's objects since a moment, and what clients that watch a resource are told of it."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kubernetes_api import conversion
from kubernetes_api.reads.forms import TABLE, Form
from kubernetes_api.resources import Resource
from kubernetes_api.writes import deleting
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
    # When it was read: not before it happened.
    time: datetime


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """What a watch says of a change."""

    seq: int
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
                yield WatchEvent(each.seq, ADDED if before is None else MODIFIED, after)
            elif before is not None:
                last = deleting.last_seen(before, each.time) if each.kind == "Pod" else None
                if last is not None and each.after is None:
                    # One record here, two writes of a server. Who hears only the first of them comes back to both.
                    yield WatchEvent(each.seq, MODIFIED, _at(last, each.seq - 1))
                yield WatchEvent(each.seq, DELETED, _at(last or before, each.seq))

    def _shown(self, key: str, stored: Object | None, seq: int) -> Object | None:
        found = reading.at(self.cluster, self.resource, key, stored, seq)
        return found if found is not None and self.matches(found) else None

    def written(self, type_: str, value: Object, *, is_first: bool = False) -> bytes:
        """An event as a line. A Table names its columns the first time."""
        shown = dict(conversion.answer(self.served, self.form.one(self.resource, value, clock.now(self.cluster))))
        if self.form.name == TABLE and not is_first:
            shown["columnDefinitions"] = None
        return line(type_, shown)

    def bookmark(self, seq: int, *, ends_initial_events: bool = False) -> bytes:
        metadata: Object = {"resourceVersion": versions.of(seq)}
        if ends_initial_events:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        value: Object = {"kind": self.served.kind, "apiVersion": self.served.api_version, "metadata": metadata}
        if self.form.name == TABLE:
            head = {"kind": TABLE, "apiVersion": f"meta.k8s.io/{self.form.version}"}
            value = {**head, "metadata": metadata, "columnDefinitions": None, "rows": []}
        return line(BOOKMARK, value)


def _at(value: Object, seq: int) -> Object:
    return {**value, "metadata": {**value["metadata"], "resourceVersion": versions.of(seq)}}


def line(type_: str, value: Object) -> bytes:
    return json.dumps({"type": type_, "object": value}, separators=(",", ":")).encode() + b"\n"


def since(cluster_id: int, seq: int, kinds: Iterable[str]) -> tuple[int, list[Change]] | None:
    """The last record, and what changed after record `seq`; None when that is not known any more."""
    cluster = Cluster.objects.filter(pk=cluster_id).only("revision", "watched_since", "t").first()
    if cluster is None or cluster.watched_since is None or cluster.watched_since > seq:
        return None
    wanted, now = sorted(kinds), clock.now(cluster)
    rows = ObjectChange.objects.filter(cluster_id=cluster_id, seq__gt=seq, kind__in=wanted).order_by("seq", "pk")
    found = [Change(row.seq, row.kind, row.key, row.before, row.before_seq, row.after, now) for row in rows]
    if EVENTS in wanted:
        happened = (Change(at, EVENTS, key, None, 0, value, now) for at, key, value in events.after(cluster_id, seq))
        found = sorted([*found, *happened], key=lambda change: change.seq)
    # What came in between the two reads is told, and not told again.
    return max([cluster.revision, *(change.seq for change in found[-1:])]), found
