"""Events as an API server ends up with them: counted, and similar ones combined."""

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


@dataclass(slots=True)
class EventLog:
    """By the number of what each began with. `touched`: those that came or were counted since it was cleared."""

    events: dict[int, Event] = field(default_factory=dict)
    touched: dict[int, None] = field(default_factory=dict)
    _correlator: Correlator = field(default_factory=Correlator)
    _number: int = 0

    def add(self, seen: Mapping[str, Any], now: float) -> None:
        """An event of a record: `{type, reason, kind, object, message, from?}`; `object` with its uid and version."""
        self._number += 1
        words = (seen[name] for name in ("kind", "object", "uid", "type", "reason", "message", "version"))
        found = self._correlator.hear(Occurrence(self._number, 0, now, 0, seen.get("from", ""), *words))
        if found is not None:
            _, counted = found
            first = counted.first
            about = f"{first.kind}/{first.key.rpartition('/')[2]}"
            self.touched[first.number] = None
            self.events[first.number] = Event(
                about, first.type, first.reason, counted.message, first.source or SCHEDULER, counted.count
            )

    @property
    def all(self) -> Iterable[Event]:
        return self.events.values()

    def take(self) -> list[Event]:
        found = [self.events[number] for number in self.touched]
        self.touched.clear()
        return found
