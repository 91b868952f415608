"""Work: the keys that actors have to look at, in the order in which upstream's work queues would give them.

Source: client-go/util/workqueue: a key waits once, however often it was added; one that failed comes back after a
backoff that doubles, until it succeeds.
"""

import heapq
import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

Item = tuple[str, str]  # actor, key


class Work:
    def __init__(self) -> None:
        self._ready: OrderedDict[Item, None] = OrderedDict()  # whose first one is found at once, however many have gone
        self._later: list[tuple[float, int, Item]] = []
        self._due: dict[Item, tuple[float, int]] = {}  # of those in `_later`, the entry that counts
        self._order = 0
        self._failures: dict[Item, int] = {}

    def add(self, item: Item) -> None:
        self._ready.setdefault(item)

    def add_at(self, item: Item, at: float) -> None:
        """Later; an item that waits already comes at the earlier of the two times."""
        if item in self._due and self._due[item][0] <= at:
            return
        self._order += 1
        self._due[item] = (at, self._order)
        heapq.heappush(self._later, (at, self._order, item))

    def failed(self, item: Item) -> int:
        """How often it had failed before."""
        before = self._failures.get(item, 0)
        self._failures[item] = before + 1
        return before

    def succeeded(self, item: Item) -> None:
        self._failures.pop(item, None)

    def take(self, now: float) -> Item | None:
        """The next item whose time has come."""
        if self._later and self._later[0][0] <= now:
            self._fall_due(now)
        return self._ready.popitem(last=False)[0] if self._ready else None

    def _fall_due(self, now: float) -> None:
        while self.next_time <= now:
            item = heapq.heappop(self._later)[2]
            del self._due[item]
            self.add(item)

    def has_ready(self, now: float) -> bool:
        return bool(self._ready) or self.next_time <= now

    @property
    def next_time(self) -> float:
        """The time at which the first of the items that wait for one falls due; inf if none does."""
        while self._later and self._due.get(self._later[0][2]) != self._later[0][:2]:
            heapq.heappop(self._later)  # it was brought forward
        return self._later[0][0] if self._later else math.inf

    def later(self) -> Iterator[tuple[float, Item]]:
        """What waits for a time, with that time, the first one first."""
        if self.next_time < math.inf:
            at, _, first = self._later[0]
            yield at, first
            others = ((due, order, item) for item, (due, order) in self._due.items() if item != first)
            yield from ((due, item) for due, _, item in sorted(others))

    def dump(self) -> dict[str, Any]:
        return {
            "ready": [list(item) for item in self._ready],
            "later": [[at, order, list(item)] for item, (at, order) in self._due.items()],
            "order": self._order,
            "failures": [[*item, count] for item, count in self._failures.items()],
        }

    def load(self, data: Mapping[str, Any]) -> None:
        self._ready = OrderedDict.fromkeys((actor, key) for actor, key in data["ready"])
        self._due = {(item[0], item[1]): (at, order) for at, order, item in data["later"]}
        self._later = sorted((at, order, item) for item, (at, order) in self._due.items())
        self._order = data["order"]
        self._failures = {(actor, key): count for actor, key, count in data["failures"]}
