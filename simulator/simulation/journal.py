"""The journal of a simulated cluster: all changes, queue moves and Events since its last record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.framework.trace import Timing
from scheduler_core.queue.moves import QueueMove, SubQueue

# (op, kind, key, manifest or None)
ManifestChange = tuple[str, str, str, Mapping[str, Any] | None]
# The places of a pod outside the sub-queues.
WAITING, BOUND, IGNORED, GONE, NEW = "waiting", "bound", "ignored", "gone", "new"


@dataclass(slots=True)
class Record:
    """One record of the trace, with its changed objects and other data that the trace leaves out.

    `data` is the JSON-ready dict of docs/reference/commands-and-trace.md. `manifests` are the changed objects;
    `objects` are the same as typed objects by kind and key, without the deleted ones. `lanes` has an entry for each pod
    whose place changed:
    `{lane, attempts, since, backoff_until, plugins, gate, priority}`. `moves` are all queue moves; `data` has only the
    first ones. `timings` are the durations of the steps, if the simulation has a clock.
    """

    data: dict[str, Any]
    manifests: list[ManifestChange]
    lanes: dict[str, dict[str, Any]]
    matrix: Any = None  # simulator.simulation.matrix.Matrix, for cycles that evaluated nodes
    answers: bytes | None = None  # the answers of extenders; the caller that owns their Recorder sets it
    objects: dict[tuple[str, str], KubeObject] = field(default_factory=dict)
    moves: list[dict[str, Any]] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    # The uid of the involved object of each Event in `data`, in the same order.
    event_uids: list[str] = field(default_factory=list)
    error: Exception | None = None  # the defect of the engine that `data["error"]` names

    @property
    def seq(self) -> int:
        return int(self.data["seq"])


@dataclass(slots=True)
class Journal:
    """The collected changes from which the next record is made."""

    moves: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    event_uids: list[str] = field(default_factory=list)
    # The first exception of the engine since the last record. It may have caused the later ones.
    error: Exception | None = None
    changes: dict[tuple[str, str], tuple[str, KubeObject | None]] = field(default_factory=dict)
    touched: dict[str, None] = field(default_factory=dict)  # keys of pods whose place may have changed, in order

    def move(self, move: QueueMove) -> None:
        """Add a move of the scheduling queue, which calls this as its `on_move`."""
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
        """Add a move outside the scheduling queue: to the pods that wait at Permit, to a node, to ignored pods."""
        self.touched[pod_key] = None
        self.moves.append({"pod": pod_key, "from": source, "to": target, "event": event})

    def set_previous_queues(self, lanes: Mapping[str, str]) -> None:
        """Replace the source "new" of moves by the queue in which the pod was before a restart (pod key → queue).

        A pod that returned to its queue has not moved, so its entry is removed.
        """
        unused = dict(lanes)
        for entry in self.moves:
            if entry["from"] == NEW:
                entry["from"] = unused.pop(entry["pod"], NEW)
        self.moves = [entry for entry in self.moves if entry["from"] != entry["to"]]

    def event(self, obj: KubeObject, type_: str, reason: str, message: str, by: str = "") -> None:
        """Add a Kubernetes Event. `by` is its reporting component if that is not the scheduler."""
        event = {"type": type_, "reason": reason, "kind": obj.kind, "object": obj.key, "message": message}
        self.events.append(event | {"from": by} if by else event)
        self.event_uids.append(obj.uid)

    def change(self, op: str, obj: KubeObject) -> None:
        """Add the creation, update or deletion of an object; several changes of one object become one."""
        key = (obj.kind, obj.key)
        previous = self.changes.get(key)
        if op == "update" and previous is not None and previous[0] == "create":
            op = "create"
        if op == "create" and previous is not None and previous[0] == "delete":
            op = "update"
        self.changes[key] = (op, None if op == "delete" else obj)
        if isinstance(obj, Pod):
            self.touched[key[1]] = None

    def record_replacement(self, before: Iterable[KubeObject]) -> None:
        """Add the changes from the objects `before` to those of a new cluster, whose creations were added already."""
        for obj in before:
            key = (obj.kind, obj.key)
            creation = self.changes.get(key)
            self.changes[key] = ("delete", None) if creation is None else ("update", creation[1])
            if isinstance(obj, Pod):
                self.touched[obj.key] = None

    def record_defect(self, error: Exception) -> None:
        """Store an exception of the engine for the next record."""
        self.error = self.error or error

    def clear(self) -> None:
        self.error = None
        self.moves, self.events, self.event_uids, self.changes, self.touched = [], [], [], {}, {}
