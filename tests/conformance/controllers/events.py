"""The Events that an API server stores: repeated ones counted, similar ones combined."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scheduler_core.correlating import Correlator, Occurrence

SCHEDULER = "default-scheduler"


@dataclass(slots=True)
class Event:
    object: str
    type: str
    reason: str
    message: str
    by: str
    count: int = 0
    namespace: str = ""


@dataclass(slots=True)
class EventLog:
    """Events by the number of their first occurrence. `touched`: those created or counted since it was cleared."""

    events: dict[int, Event] = field(default_factory=dict)
    touched: dict[int, None] = field(default_factory=dict)
    _correlator: Correlator = field(default_factory=Correlator)
    _number: int = 0

    def add(self, seen: Mapping[str, Any], now: float, is_ending: bool = False) -> None:
        """Add an event of a record: `{type, reason, kind, object, message, from?}`; `object` with its uid and version.

        `is_ending`: its namespace is being deleted, so existing Events are counted, but none is created.
        """
        self._number += 1
        words = (seen[name] for name in ("kind", "object", "uid", "type", "reason", "message", "version"))
        found = self._correlator.correlate(Occurrence(self._number, 0, now, 0, seen.get("from", ""), *words))
        if found is not None:
            _, counted = found
            first = counted.first
            if is_ending and first.number not in self.events:
                return
            namespace, _, named = first.key.rpartition("/")
            about = f"{first.kind}/{named}"
            self.touched[first.number] = None
            self.events[first.number] = Event(
                about, first.type, first.reason, counted.message, first.source or SCHEDULER, counted.count, namespace
            )

    def forget(self, namespace: str) -> None:
        """Remove the Events of a deleted namespace."""
        for number in [number for number, event in self.events.items() if event.namespace == namespace]:
            del self.events[number]
            self.touched.pop(number, None)

    @property
    def all(self) -> Iterable[Event]:
        return self.events.values()

    def take(self) -> list[Event]:
        found = [self.events[number] for number in self.touched]
        self.touched.clear()
        return found
