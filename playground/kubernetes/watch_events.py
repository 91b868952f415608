"""The changes of a cluster's objects since a version, and the watch events that follow from them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.reads import encoding
from kube_apiserver.reads.forms import TABLE, Form
from kube_apiserver.resources import Resource
from kube_apiserver.writes import deleting
from playground.kubernetes import api_clock, event_objects, object_reads, resource_versions
from playground.models import Cluster, ObjectChange

Object = dict[str, Any]

ADDED, MODIFIED, DELETED, BOOKMARK, ERROR = "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
EVENTS = "Event"


@dataclass(frozen=True, slots=True)
class WatchedChange:
    """An object before and after a record. None stands for an object that did not exist."""

    seq: int
    kind: str
    key: str
    before: Object | None
    before_seq: int
    after: Object | None
    version: int
    # The time of the read, which is never before the change.
    time: datetime


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """A watch event for a client."""

    version: int
    type: str
    value: Object


@dataclass(frozen=True, slots=True)
class WatchView:
    """The selection of a watch (resource, namespace, "" for all, and a filter) and the form of its objects."""

    cluster: Cluster
    resource: Resource
    namespace: str
    matches: Callable[[Object], bool]
    form: Form
    # The version of the kind in which the client gets objects. `resource` is the stored version.
    served: Resource

    def watch_events(self, changes: Iterable[WatchedChange]) -> Iterator[WatchEvent]:
        """Yield the events of these changes.

        An object that begins or ceases to match is ADDED or DELETED.
        """
        start = f"{self.namespace}/" if self.namespace else ""
        for change in changes:
            if change.kind != self.resource.kind or not change.key.startswith(start):
                continue
            before = self._convert_for_client(change.key, change.before, change.before_seq)
            after = self._convert_for_client(change.key, change.after, change.seq)
            if after is not None:
                yield WatchEvent(change.version, ADDED if before is None else MODIFIED, after)
            elif before is not None:
                is_pod_gone = change.kind == "Pod" and change.after is None
                last = deleting.last_seen(before, change.time) if is_pod_gone else None
                if last is not None:
                    # A server writes twice here, but this playground has one record.
                    yield WatchEvent(change.version - 1, MODIFIED, _at(last, change.version - 1))
                yield WatchEvent(change.version, DELETED, _at(last or before, change.version))

    def _convert_for_client(self, key: str, stored: Object | None, seq: int) -> Object | None:
        value = object_reads.object_at(self.cluster, self.resource, key, stored, seq)
        return value if value is not None and self.matches(value) else None

    def written(self, type_: str, value: Object, *, is_first: bool = False) -> bytes:
        """Return an event as a line. The first Table has the column definitions."""
        printed = conversion.printed(self.resource, self.served)
        shown = dict(
            conversion.answer(self.served, self.form.one(printed, value, api_clock.cluster_time(self.cluster)))
        )
        if self.form.name == TABLE and not is_first:
            shown["columnDefinitions"] = None
        return encode_line(type_, shown)

    def bookmark(self, version: int, *, ends_initial_events: bool = False) -> bytes:
        metadata: Object = {"resourceVersion": str(version)}
        if ends_initial_events:
            metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
        value: Object = {"kind": self.served.manifest_kind, "apiVersion": self.served.api_version, "metadata": metadata}
        if self.form.name == TABLE:
            head = {"kind": TABLE, "apiVersion": f"meta.k8s.io/{self.form.version}"}
            value = {**head, "metadata": metadata, "columnDefinitions": None, "rows": []}
        return encode_line(BOOKMARK, value)


def _at(value: Object, version: int) -> Object:
    return {**value, "metadata": {**value["metadata"], "resourceVersion": str(version)}}


def encode_line(type_: str, value: Object) -> bytes:
    return encoding.compact_json({"type": type_, "object": value}).encode() + b"\n"


def changes_since(cluster_id: int, version: int, kinds: Iterable[str]) -> tuple[int, list[WatchedChange]] | None:
    """Return the number of the last record and the changes since a version, ordered by version.

    Return None if that version is too old.
    """
    cluster = Cluster.objects.find_watched(cluster_id=cluster_id)
    first = resource_versions.seq_of(version)
    if cluster is None or cluster.watched_since is None or cluster.watched_since >= first:
        return None
    wanted, now = sorted(kinds), api_clock.cluster_time(cluster)
    # Read up to this revision only. The next read returns later changes.
    merged: dict[tuple[int, str, str], WatchedChange] = {}
    rows = ObjectChange.objects.select_range(cluster_id=cluster_id, first=first, last=cluster.revision, kinds=wanted)
    for seq, kind, key, before, before_seq, after in rows:
        place = (seq, kind, key)
        # Merge the writes of one record into one change, from the object before the record to the object after it.
        earlier = merged.get(place)
        was, written = (before, before_seq) if earlier is None else (earlier.before, earlier.before_seq)
        merged[place] = WatchedChange(*place, was, written, after, resource_versions.object_version(*place), now)
    if EVENTS in wanted:
        happened = event_objects.read_event_writes(cluster, first, cluster.revision)
        if happened is None:
            return None
        for seq, key, value_before, value in happened:
            place = (seq, EVENTS, key)
            earlier_event = merged.get(place)
            merged[place] = WatchedChange(
                *place,
                earlier_event.before if earlier_event else value_before,
                0,
                value,
                resource_versions.object_version(*place),
                now,
            )
        for seq, key, value in event_objects.read_deleted_events(cluster, first, cluster.revision):
            place = (seq, EVENTS, key)
            merged[place] = WatchedChange(*place, value, 0, None, resource_versions.object_version(*place), now)
    newer = sorted((each for each in merged.values() if each.version > version), key=lambda change: change.version)
    return cluster.revision, newer
