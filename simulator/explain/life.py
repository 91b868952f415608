"""A pod's life, out of the records of a run: its attempts, its way through the queue, its Events."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_objects.parse import parse_pod
from simulator.simulation.journal import BOUND, GONE, WAITING, Record


def moves_in(record: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Where a record moved the pod and why: `{"seq", "t", "cycle", "from", "to", "event", "plugin", "hint"}`.

    `from` and `to` are the same where a hint left it in its place; what does not apply is "".
    """
    for move in record.get("moves", ()):
        if move["pod"] == key:
            yield {
                "seq": record["seq"],
                "t": record["t"],
                "cycle": record.get("cycle", {}).get("number"),
                **{name: move.get(name) or "" for name in ("from", "to", "event", "plugin", "hint")},
            }


class Life:
    """Follows the records of a simulation, from its first one on, for the pod `key` (`namespace/name`)."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.seen = False
        self._manifest: Mapping[str, Any] | None = None
        self._lane = GONE
        self._cycles: dict[int, dict[str, Any]] = {}
        self._moves: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def follow(self, record: Record) -> None:
        """The next record."""
        data = record.data
        for _, kind, key, manifest in record.manifests:
            if (kind, key) == ("Pod", self.key):
                self._manifest = manifest
                self.seen = True
        if self.key in record.lanes:
            self._lane = record.lanes[self.key]["lane"]
        if data.get("cycle", {}).get("pod") == self.key:
            self._attempt(data["cycle"])
        self._moves += moves_in({**data, "moves": record.moves}, self.key)
        for event in data.get("events", ()):
            if (event["kind"], event["object"]) == ("Pod", self.key):
                fields = {name: event[name] for name in ("type", "reason", "message")}
                self._events.append({"seq": data["seq"], "t": data["t"], **fields})

    def _attempt(self, cycle: Mapping[str, Any]) -> None:
        """Or the end of one that waited at Permit, which has the number of its beginning."""
        fields = {name: cycle[name] for name in ("number", "attempt", "outcome", "node", "message")}
        self._cycles[cycle["number"]] = fields

    def describe(self) -> dict[str, Any]:
        """`{"pod", "manifest", "requests", "node", "lane", "cycles", "moves", "events"}`.

        `requests` are in base units (cpu: millicores); `cycles` are the attempts, `{"number", "attempt", "outcome",
        "node", "message"}`; `events` `{"seq", "t", "type", "reason", "message"}`. Of a pod that is gone the past stays.
        """
        cycles = [self._cycles[number] for number in sorted(self._cycles)]
        # A pod that has ended is an object still, but asks for nothing.
        asks = None if self._lane == GONE else self._manifest
        return {
            "pod": self.key,
            "manifest": self._manifest,
            "requests": {} if asks is None else dict(parse_pod(asks).requests),
            "node": self._node(cycles),
            "lane": self._lane,
            "cycles": cycles,
            "moves": self._moves,
            "events": self._events,
        }

    def _node(self, cycles: list[dict[str, Any]]) -> str | None:
        """The one that it runs on; while it waits at Permit, the one that the scheduler counts it on."""
        if self._lane == WAITING:
            return str(cycles[-1]["node"])
        return str(self._manifest["spec"]["nodeName"]) if self._lane == BOUND and self._manifest is not None else None
