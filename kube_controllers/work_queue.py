"""The controllers' work queue, with the order of upstream's queues.

A key waits once, however often it is added. A failed key comes back after a backoff that doubles until it succeeds.

Source: client-go/util/workqueue.
"""

import heapq
import math
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

Item = tuple[str, str]  # controller, key


class WorkQueue:
    """Items that are ready, in order, and items that wait for a time."""

    def __init__(self) -> None:
        self._ready: OrderedDict[Item, None] = OrderedDict()  # removes its first item in constant time
        self._waiting: list[tuple[float, int, Item]] = []
        self._due: dict[Item, tuple[float, int]] = {}  # the valid entry of each item in `_waiting`
        self._order = 0
        self._failures: dict[Item, int] = {}

    def add(self, item: Item) -> None:
        self._ready.setdefault(item)

    def add_at(self, item: Item, due: float) -> None:
        """Add an item at a time. An item that waits already takes the earlier of the two times."""
        if item in self._due and self._due[item][0] <= due:
            return
        self._order += 1
        self._due[item] = (due, self._order)
        heapq.heappush(self._waiting, (due, self._order, item))

    def record_failure(self, item: Item) -> int:
        """Count a failure of the item, and return how many it had before."""
        before = self._failures.get(item, 0)
        self._failures[item] = before + 1
        return before

    def forget(self, item: Item) -> None:
        """Reset the item's failures."""
        self._failures.pop(item, None)

    def pop_ready(self, now: float) -> Item | None:
        """Remove and return the next item that is due; None if there is none."""
        if self._waiting and self._waiting[0][0] <= now:
            self._move_due(now)
        return self._ready.popitem(last=False)[0] if self._ready else None

    def _move_due(self, now: float) -> None:
        """Move the items whose time has come to the ready ones."""
        while self.next_time <= now:
            item = heapq.heappop(self._waiting)[2]
            del self._due[item]
            self.add(item)

    def has_ready(self, now: float) -> bool:
        return bool(self._ready) or self.next_time <= now

    @property
    def next_time(self) -> float:
        """Return the time of the first waiting item; inf if none waits."""
        while self._waiting and self._due.get(self._waiting[0][2]) != self._waiting[0][:2]:
            heapq.heappop(self._waiting)  # the item has an earlier entry
        return self._waiting[0][0] if self._waiting else math.inf

    def delayed(self) -> Iterator[tuple[float, Item]]:
        """Yield the waiting items with their times, in the order of time."""
        if self.next_time < math.inf:
            at, _, first = self._waiting[0]
            yield at, first
            others = ((due, order, item) for item, (due, order) in self._due.items() if item != first)
            yield from ((due, item) for due, _, item in sorted(others))

    def dump(self) -> dict[str, Any]:
        """Return the queue for a checkpoint, as JSON."""
        return {
            "ready": [list(item) for item in self._ready],
            "later": [[at, order, list(item)] for item, (at, order) in self._due.items()],
            "order": self._order,
            "failures": [[*item, count] for item, count in self._failures.items()],
        }

    def load(self, data: Mapping[str, Any]) -> None:
        """Restore the result of `dump`."""
        self._ready = OrderedDict.fromkeys((actor, key) for actor, key in data["ready"])
        self._due = {(item[0], item[1]): (at, order) for at, order, item in data["later"]}
        self._waiting = sorted((at, order, item) for item, (at, order) in self._due.items())
        self._order = data["order"]
        self._failures = {(actor, key): count for actor, key, count in data["failures"]}
