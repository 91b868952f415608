"""Events as an API server ends up with them: counted, and similar ones combined.

Source: client-go/tools/record/events_cache.go; the scheduler's recorder counts equal ones, and combines nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_SIMILAR = 10
BURST = 25
REFILL_SECONDS = 300.0
_COMBINED = "(combined from similar events): "
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
    """`touched` are the events that came or were counted since it was last cleared."""

    events: dict[tuple[str, ...], Event] = field(default_factory=dict)
    touched: dict[tuple[str, ...], None] = field(default_factory=dict)
    _similar: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    _tokens: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    def add(self, seen: Mapping[str, Any], now: float) -> None:
        """An event of a record: `{type, reason, kind, object, message, from?}`; `object` with what it is known by."""
        by = seen.get("from", SCHEDULER)
        about, message = f"{seen['kind']}/{seen['object'].rpartition('/')[2]}", seen["message"]
        who = (by, about + seen.get("uid", ""))
        if by != SCHEDULER:
            if not self._take_token(who, now):
                return
            similar = self._similar.setdefault((*who, seen["type"], seen["reason"]), set())
            similar.add(message)
            if len(similar) >= MOST_SIMILAR:
                similar.discard(message)
                message = _COMBINED + message
        key = (*who, seen["type"], seen["reason"], _COMBINED if message.startswith(_COMBINED) else message)
        event = self.events.setdefault(key, Event(about, seen["type"], seen["reason"], message, by))
        event.count += 1
        event.message = message
        self.touched[key] = None

    def _take_token(self, who: tuple[str, str], now: float) -> bool:
        tokens, since = self._tokens.get(who, (float(BURST), now))
        tokens = min(tokens + (now - since) / REFILL_SECONDS, float(BURST))
        self._tokens[who] = (tokens - 1 if tokens >= 1 else tokens, now)
        return tokens >= 1

    @property
    def all(self) -> Iterable[Event]:
        return self.events.values()

    def take(self) -> list[Event]:
        found = [self.events[key] for key in self.touched]
        self.touched.clear()
        return found
