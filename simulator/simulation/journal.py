"""Journal: what happened since the last record was made. Everything that changes the cluster tells it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.framework.trace import Timing
from scheduler_core.queue.moves import QueueMove, SubQueue

# (op, kind, key, manifest or None)
ManifestChange = tuple[str, str, str, Mapping[str, Any] | None]
# Where a pod is when it is in no sub-queue.
WAITING, BOUND, IGNORED, GONE, NEW = "waiting", "bound", "ignored", "gone", "new"


@dataclass(slots=True)
class Record:
    """One record of the trace, with what travels beside it.

    `data` is the JSON-ready dict of docs/trace_format.md. `manifests` are the objects that changed; `objects` the same,
    typed, by kind and key, but for those that are gone. `lanes` tells, for every pod whose place changed:
    `{lane, attempts, since, backoff_until, plugins, gate, priority}`. `moves` are all of the queue moves, where `data`
    has only the first ones. `timings` say how long the steps took, if there is a clock.
    """

    data: dict[str, Any]
    manifests: list[ManifestChange]
    lanes: dict[str, dict[str, Any]]
    matrix: Any = None  # simulator.simulation.matrix.Matrix, for cycles that looked at nodes
    answers: bytes | None = None  # what extenders answered meanwhile, set by whoever keeps their Recorder
    objects: dict[tuple[str, str], KubeObject] = field(default_factory=dict)
    moves: list[dict[str, Any]] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    # The uids of the objects that the Events of `data` are about, in their order.
    told_of: list[str] = field(default_factory=list)
    error: Exception | None = None  # the defect of the engine that `data["error"]` names

    @property
    def seq(self) -> int:
        return int(self.data["seq"])


@dataclass(slots=True)
class Journal:
    moves: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    told_of: list[str] = field(default_factory=list)
    # The first exception of the engine since the last record: later ones may follow from it.
    error: Exception | None = None
    changes: dict[tuple[str, str], tuple[str, KubeObject | None]] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)  # keys of pods whose place may have changed, in order

    def move(self, move: QueueMove) -> None:
        """The queue's `on_move`."""
        self.touched[move.pod_key] = None
        entry: dict[str, Any] = {
            "pod": move.pod_key,
            "from": move.source.value or NEW,
            "to": move.target.value or GONE,
            "event": move.event,
        }
        if move.plugin is not None:
            entry["plugin"] = move.plugin
        if move.hint is not None:
            entry["hint"] = move.hint.value
        if move.during_attempt is not None:
            entry["during"] = move.during_attempt
        if not (move.source is SubQueue.IN_FLIGHT and move.target is SubQueue.OUTSIDE):
            self.moves.append(entry)

    def place(self, pod_key: str, source: str, target: str, event: str) -> None:
        """A move that the queue does not see: to Permit's waiting room, to a node, out of sight."""
        self.touched[pod_key] = None
        self.moves.append({"pod": pod_key, "from": source, "to": target, "event": event})

    def come_from(self, lanes: Mapping[str, str]) -> None:
        """What the queue takes for new pods was in these lanes before, by pod. Who stays where it was did not move."""
        known = dict(lanes)
        for entry in self.moves:
            if entry["from"] == NEW:
                entry["from"] = known.pop(entry["pod"], NEW)
        self.moves = [entry for entry in self.moves if entry["from"] != entry["to"]]

    def event(self, obj: KubeObject, type_: str, reason: str, message: str, by: str = "") -> None:
        """A Kubernetes Event. `by` is the component that tells it, where that is not the scheduler."""
        made = {"type": type_, "reason": reason, "kind": obj.kind, "object": obj.key, "message": message}
        self.events.append(made | {"from": by} if by else made)
        self.told_of.append(obj.uid)

    def change(self, op: str, obj: KubeObject) -> None:
        """An object was created, updated or deleted; several changes of one object in a record are one."""
        key = (obj.kind, obj.key)
        previous = self.changes.get(key)
        if op == "update" and previous is not None and previous[0] == "create":
            op = "create"
        if op == "create" and previous is not None and previous[0] == "delete":
            op = "update"
        self.changes[key] = (op, None if op == "delete" else obj)
        if isinstance(obj, Pod):
            self.touched[key[1]] = None

    def compare(self, before: Iterable[KubeObject]) -> None:
        """Everything was made anew over the objects of `before`: say what that means for each object."""
        for obj in before:
            key = (obj.kind, obj.key)
            made = self.changes.get(key)
            self.changes[key] = ("delete", None) if made is None else ("update", made[1])
            if isinstance(obj, Pod):
                self.touched[obj.key] = None

    def defect(self, error: Exception) -> None:
        """Note an exception of the engine, for the next record."""
        self.error = self.error or error

    def clear(self) -> None:
        self.error = None
        self.moves, self.events, self.told_of, self.changes, self.touched = [], [], [], {}, {}
