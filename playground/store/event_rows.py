"""Event rows, except for the Events that a cycle's row implies.

Most cycles emit only the Event that their Pod was assigned, and their row already has its Pod, Node, time and record.
"""

from collections.abc import Iterable
from heapq import merge
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from playground.models import Cycle, Event, PodState
from playground.store.rows import insert_rows
from scheduler_core.cycle.scheduled_event import scheduled_event
from simulator.simulation import Record as EngineRecord

# The columns of an Event that have the same name in its record.
_OF_EVENT = ("type", "reason", "kind", "object", "message")
_REST = ("type", "reason", "message")
# The source of the scheduler's Events.
SCHEDULER = ""
# The bits of an Event's number below its record: the row's own key.
_PLACE_BITS = 36

Rows = list[tuple[Any, ...]]


class EventEntry(NamedTuple):
    """An Event. `number` is unique, and greater than that of any earlier Event of its cluster."""

    number: int
    seq: int
    t: float
    source: str
    kind: str
    object: str
    uid: str
    type: str
    reason: str
    message: str


class ReadPosition(NamedTuple):
    """The position of a reader of a cluster's Events: the last row and the last cycle that it has read."""

    row: int = 0
    cycle: int = 0


def is_implied_by_cycle(record: EngineRecord) -> bool:
    """Return True if the only Event of a cycle's record is that its Pod was assigned."""
    data = record.data
    if data["kind"] != "cycle" or len(events := data.get("events", ())) != 1:
        return False
    cycle = data["cycle"]
    return bool(events[0] == scheduled_event(cycle["pod"], cycle["node"]))


def make_rows(cluster_id: int, records: Iterable[EngineRecord]) -> Rows:
    """Return rows for the Events of these records, without those that the cycles' rows imply."""
    return [
        (cluster_id, record.seq, record.data["t"], *(event[name] for name in _OF_EVENT), event.get("from", ""), uid)
        for record in records
        if not is_implied_by_cycle(record)
        for event, uid in zip(record.data.get("events", ()), record.event_uids, strict=True)
    ]


def insert_events(rows: Rows) -> None:
    """Insert the rows that `make_rows` returned, in the same transaction."""
    insert_rows(Event, ("cluster_id", "seq", "t", *_OF_EVENT, "source", "uid"), rows)


def read_events_of_pod(cluster_id: int, key: str, upto: int, most: int) -> list[EventEntry]:
    """Return the newest Events about a Pod up to the record `upto`, in order."""
    rows = Event.objects.filter(cluster_id=cluster_id, kind="Pod", object=key, seq__lte=upto)
    cycles = Cycle.objects.filter(cluster_id=cluster_id, pod=key, seq__lte=upto)
    return [
        *merge(_entries_of_rows(rows.order_by("-pk")[:most]), _entries_of_cycles(cycles.order_by("-number"), most))
    ][-most:]


def read_events_after(
    cluster_id: int, heard: ReadPosition, upto: int, most: int
) -> tuple[list[EventEntry], ReadPosition]:
    """Return the Events after the position `heard` up to the record `upto`, in order, and the new position.

    At the initial position, return only the newest Events.
    """
    rows = Event.objects.filter(cluster_id=cluster_id, pk__gt=heard.row, seq__lte=upto).order_by("-pk")
    cycles = Cycle.objects.filter(cluster_id=cluster_id, number__gt=heard.cycle, seq__lte=upto).order_by("-number")
    few = most if heard == ReadPosition() else None
    entries = [*merge(_entries_of_rows(rows[:few]), _entries_of_cycles(cycles, few))]
    last_row = rows.values_list("pk", flat=True).first() or heard.row
    last_cycle = cycles.values_list("number", flat=True).first() or heard.cycle
    return entries if few is None else entries[-few:], ReadPosition(last_row, last_cycle)


def _entries_of_rows(newest: "QuerySet[Event]") -> list[EventEntry]:
    rows = newest.values_list("pk", "seq", "t", "source", "kind", "object", "uid", "type", "reason", "message")
    return [EventEntry((row[1] << _PLACE_BITS) + row[0], *row[1:]) for row in reversed(rows)]


def _entries_of_cycles(newest: "QuerySet[Cycle]", most: int | None) -> list[EventEntry]:
    # The version of the Pod that the cycle created.
    version = PodState.objects.filter(cluster_id=OuterRef("cluster_id"), pod=OuterRef("pod"), since=OuterRef("seq"))
    uid = Subquery(version.values("uid")[:1])
    cycles = newest.filter(tells_event=True).values_list("seq", "t", "pod", "node", uid)[:most]
    return [_entry_of_cycle(*row) for row in reversed(cycles)]


def _entry_of_cycle(seq: int, t: float, pod: str, node: str, uid: str | None) -> EventEntry:
    event = scheduled_event(pod, node)
    return EventEntry(seq << _PLACE_BITS, seq, t, SCHEDULER, "Pod", pod, uid or "", *(event[name] for name in _REST))
