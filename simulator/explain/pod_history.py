"""History of a pod, from the records of a run: its attempts, its moves in the queue and its Events."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_objects.parse import parse_pod
from simulator.simulation.journal import BOUND, GONE, WAITING, Record


def moves_of_pod(record: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Yield a record's moves of the pod: `{"seq", "t", "cycle", "from", "to", "event", "plugin", "hint"}`.

    `from` and `to` are equal if a hint kept the pod in its place. Fields that do not apply are "".
    """
    for move in record.get("moves", ()):
        if move["pod"] == key:
            yield {
                "seq": record["seq"],
                "t": record["t"],
                "cycle": record.get("cycle", {}).get("number"),
                **{name: move.get(name) or "" for name in ("from", "to", "event", "plugin", "hint")},
            }


class PodHistory:
    """A collector of one pod's history; it reads the records of a run from the first one on.

    `key` is `namespace/name`.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.seen = False
        self._manifest: Mapping[str, Any] | None = None
        self._lane = GONE
        self._cycles: dict[int, dict[str, Any]] = {}
        self._moves: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        data = record.data
        for _, kind, key, manifest in record.manifests:
            if (kind, key) == ("Pod", self.key):
                self._manifest = manifest
                self.seen = True
        if self.key in record.lanes:
            self._lane = record.lanes[self.key]["lane"]
        if data.get("cycle", {}).get("pod") == self.key:
            self._store_attempt(data["cycle"])
        self._moves += moves_of_pod({**data, "moves": record.moves}, self.key)
        for event in data.get("events", ()):
            if (event["kind"], event["object"]) == ("Pod", self.key):
                fields = {name: event[name] for name in ("type", "reason", "message")}
                self._events.append({"seq": data["seq"], "t": data["t"], **fields})

    def _store_attempt(self, cycle: Mapping[str, Any]) -> None:
        """Store an attempt's outcome. An attempt that waited at Permit ends in a later record with the same number."""
        fields = {name: cycle[name] for name in ("number", "attempt", "outcome", "node", "message")}
        self._cycles[cycle["number"]] = fields

    def describe(self) -> dict[str, Any]:
        """Return `{"pod", "manifest", "requests", "node", "lane", "cycles", "moves", "events"}`.

        `requests` are in base units (cpu: millicores). `cycles` are the attempts, `{"number", "attempt", "outcome",
        "node", "message"}`; `events` are `{"seq", "t", "type", "reason", "message"}`. A deleted pod keeps its history.
        """
        cycles = [self._cycles[number] for number in sorted(self._cycles)]
        # A pod that has ended still exists as an object, but requests nothing.
        requesting = None if self._lane == GONE else self._manifest
        return {
            "pod": self.key,
            "manifest": self._manifest,
            "requests": {} if requesting is None else dict(parse_pod(requesting).requests),
            "node": self._node(cycles),
            "lane": self._lane,
            "cycles": cycles,
            "moves": self._moves,
            "events": self._events,
        }

    def _node(self, cycles: list[dict[str, Any]]) -> str | None:
        """Return the pod's node; while it waits at Permit, the node that the scheduler assumes."""
        if self._lane == WAITING:
            return str(cycles[-1]["node"])
        return str(self._manifest["spec"]["nodeName"]) if self._lane == BOUND and self._manifest is not None else None
