"""Rollouts over virtual time: of each workload's pods how many of a revision are ready, start, find no node, ended."""

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, NamedTuple, TypedDict

from kube_controllers.deployment import util
from kube_objects.manifests import Manifest, number, spec, status
from kube_objects.meta import OwnerReference
from kube_objects.pod import Pod
from kube_objects.text.tables import row_writer
from scheduler_core.edits.owners import owner_of
from simulator.simulation.journal import Record
from simulator.simulation.simulation import Simulation

if TYPE_CHECKING:
    from simulator.simulation.life import Life

# What a pod is counted as; one that is being deleted as nothing, as its controller counts it.
STATES = ("ready", "starting", "waiting", "ended", "failed")
READY, STARTING, WAITING, ENDED, FAILED = range(len(STATES))
_FINISHED = {"Succeeded": ENDED, "Failed": FAILED}
_HASH = "controller-revision-hash"


class Workload(NamedTuple):
    kind: str
    key: str


class Rollout(TypedDict):
    """A workload at one time: `pods` by revision, in the order of STATES; between which bounds its controller stays."""

    wanted: int | None
    least: int | None
    most: int | None
    pods: dict[str, list[int]]


class _Seen(NamedTuple):
    owners: tuple[OwnerReference, ...]
    workload: Workload
    revision: str
    state: int


class Rollouts:
    """Counts pods of workloads as records come, each change at a price of its own, while controllers are at work."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._life: Life | None = None
        self._seen: dict[str, _Seen] = {}
        self._counts: dict[Workload, dict[str, list[int]]] = {}
        self._changed: dict[Workload, None] = {}
        self._is_new()
        self._changed.clear()  # what was there before is told already

    def _is_new(self) -> bool:
        """Whether the controllers are others than before (switched on or off, a reset): then all is counted anew."""
        life = self._simulation.cluster.life
        if life is self._life:
            return False
        self._life, self._seen = life, {}
        self._changed |= dict.fromkeys(self._counts)
        self._counts = {}
        if life is not None:
            for pod in self._simulation.cluster.store.list("Pod"):
                self._see(pod.key)
        return True

    def follow(self, record: Record) -> None:
        """The simulation is as it was left by this record."""
        if self._is_new() or self._life is None:
            return
        for _, kind, key, _ in record.manifests:
            if kind == "Pod":
                self._see(key)

    def take(self) -> dict[Workload, Rollout]:
        """The workloads that have changed since the last call, as they are now."""
        found = {workload: self._rollout(workload) for workload in self._changed}
        self._changed = {}
        return found

    def _see(self, key: str) -> None:
        before = self._seen.pop(key, None)
        pod = self._simulation.cluster.find_pod(key)
        now = None if pod is None or pod.terminating else self._seen_of(pod, before)
        if now is not None:
            self._seen[key] = now
        if before is not None and now is not None and before[1:] == now[1:]:
            return
        for one, by in ((before, -1), (now, 1)):
            if one is not None:
                counts = self._counts.setdefault(one.workload, {}).setdefault(one.revision, [0] * len(STATES))
                counts[one.state] += by
                if not any(counts):
                    del self._counts[one.workload][one.revision]
                self._changed[one.workload] = None

    def _seen_of(self, pod: Pod, before: _Seen | None) -> _Seen | None:
        if before is not None and before.owners is pod.owners:
            return before._replace(state=_state(pod))
        owner, controller = owner_of(pod, self._simulation.cluster.store), pod.controller
        if owner is None or controller is None:
            return None
        kind, name, _ = owner
        revision = controller.name if controller.kind != kind else pod.labels.get(_HASH, "")
        return _Seen(pod.owners, Workload(kind, f"{pod.namespace}/{name}"), revision, _state(pod))

    def _rollout(self, workload: Workload) -> Rollout:
        found = None if self._life is None else self._life.manager.objects.get(*workload)
        least = most = None
        if found is not None and workload.kind == "Deployment":
            least, most = util.min_available(found), util.replicas(found) + util.max_surge(found)
        pods = {revision: list(counts) for revision, counts in self._counts.get(workload, {}).items()}
        wanted = None if found is None else _wanted(workload.kind, found)
        return {"wanted": wanted, "least": least, "most": most, "pods": pods}


def _state(pod: Pod) -> int:
    if pod.phase in _FINISHED:
        return _FINISHED[pod.phase]
    if not pod.node_name:
        return WAITING
    return READY if any(one.type == "Ready" and one.status == "True" for one in pod.conditions) else STARTING


def _wanted(kind: str, found: Manifest) -> int | None:
    match kind:
        case "DaemonSet":
            return number(status(found).get("desiredNumberScheduled"), 0)
        case "Job":
            return number(spec(found).get("completions"), number(spec(found).get("parallelism"), 1))
        case "CronJob":
            return None
    return number(spec(found).get("replicas"), 1)


def write_csv(file: IO[str], rows: Mapping[float, Mapping[Workload, Rollout]]) -> None:
    """A row for each revision of each workload that had changed by then, with the virtual time."""
    write = row_writer(file, line_end="\n")
    write(["seconds", "kind", "namespace", "name", "wanted", "at_least", "at_most", "revision", *STATES])
    for t, rollouts in rows.items():
        for (kind, key), rollout in rollouts.items():
            namespace, _, name = key.rpartition("/")
            bounds = ["" if one is None else one for one in (rollout["wanted"], rollout["least"], rollout["most"])]
            for revision, counts in rollout["pods"].items() or [("", [0] * len(STATES))]:
                write([t, kind, namespace, name, *bounds, revision, *counts])
