"""Rollouts over virtual time: counts of each workload's pods by revision and state."""

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, NamedTuple, TypedDict

from kube_controllers.deployment import util
from kube_objects.manifests import Manifest, number, spec, status
from kube_objects.meta import OwnerReference
from kube_objects.pod import Pod
from kube_objects.text.tables import row_writer
from scheduler_core.edits.owners import find_top_owner
from simulator.simulation.journal import Record
from simulator.simulation.simulation import Simulation

if TYPE_CHECKING:
    from simulator.simulation.controller_runtime import ControllerRuntime

# The states of pods that are counted. Terminating pods are not counted, as in the status of their controllers.
STATES = ("ready", "starting", "waiting", "ended", "failed")
READY, STARTING, WAITING, ENDED, FAILED = range(len(STATES))
_FINISHED = {"Succeeded": ENDED, "Failed": FAILED}
_HASH = "controller-revision-hash"


class Workload(NamedTuple):
    kind: str
    key: str


class Rollout(TypedDict):
    """The pods of a workload at one time.

    `pods` has the counts by revision, in the order of STATES. `wanted` is the number of replicas, and `least` and
    `most` are the bounds of a rolling update; None where the kind has none.
    """

    wanted: int | None
    least: int | None
    most: int | None
    pods: dict[str, list[int]]


class _CountedPod(NamedTuple):
    owners: tuple[OwnerReference, ...]
    workload: Workload
    revision: str
    state: int


class Rollouts:
    """A counter of the pods of workloads that is updated with each record while controllers are on."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._controllers: ControllerRuntime | None = None
        self._pods: dict[str, _CountedPod] = {}
        self._counts: dict[Workload, dict[str, list[int]]] = {}
        self._changed: dict[Workload, None] = {}
        self._follow_controllers()
        self._changed.clear()  # existing workloads have not changed

    def _follow_controllers(self) -> bool:
        """Count all pods again if controllers were switched or the cluster was reset; return whether that happened."""
        controllers = self._simulation.cluster.controllers
        if controllers is self._controllers:
            return False
        self._controllers, self._pods = controllers, {}
        self._changed |= dict.fromkeys(self._counts)
        self._counts = {}
        if controllers is not None:
            for pod in self._simulation.cluster.store.list("Pod"):
                self._count_pod(pod.key)
        return True

    def count_record(self, record: Record) -> None:
        """Update the counts with the last record of the simulation."""
        if self._follow_controllers() or self._controllers is None:
            return
        for _, kind, key, _ in record.manifests:
            if kind == "Pod":
                self._count_pod(key)

    def pop_changed(self) -> dict[Workload, Rollout]:
        """Return the present state of the workloads that have changed since the last call."""
        rollouts = {workload: self._rollout(workload) for workload in self._changed}
        self._changed = {}
        return rollouts

    def _count_pod(self, key: str) -> None:
        before = self._pods.pop(key, None)
        pod = self._simulation.cluster.find_pod(key)
        now = None if pod is None or pod.terminating else self._describe_pod(pod, before)
        if now is not None:
            self._pods[key] = now
        if before is not None and now is not None and before[1:] == now[1:]:
            return
        for counted, change in ((before, -1), (now, 1)):
            if counted is not None:
                counts = self._counts.setdefault(counted.workload, {}).setdefault(counted.revision, [0] * len(STATES))
                counts[counted.state] += change
                if not any(counts):
                    del self._counts[counted.workload][counted.revision]
                self._changed[counted.workload] = None

    def _describe_pod(self, pod: Pod, before: _CountedPod | None) -> _CountedPod | None:
        if before is not None and before.owners is pod.owners:
            return before._replace(state=_state(pod))
        owner, controller = find_top_owner(pod, self._simulation.cluster.store), pod.controller
        if owner is None or controller is None:
            return None
        kind, name, _ = owner
        revision = controller.name if controller.kind != kind else pod.labels.get(_HASH, "")
        return _CountedPod(pod.owners, Workload(kind, f"{pod.namespace}/{name}"), revision, _state(pod))

    def _rollout(self, workload: Workload) -> Rollout:
        manifest = None if self._controllers is None else self._controllers.manager.objects.get(*workload)
        least = most = None
        if manifest is not None and workload.kind == "Deployment":
            least, most = util.min_available(manifest), util.replicas(manifest) + util.max_surge(manifest)
        pods = {revision: list(counts) for revision, counts in self._counts.get(workload, {}).items()}
        wanted = None if manifest is None else _wanted_replicas(workload.kind, manifest)
        return {"wanted": wanted, "least": least, "most": most, "pods": pods}


def _state(pod: Pod) -> int:
    if pod.phase in _FINISHED:
        return _FINISHED[pod.phase]
    if not pod.node_name:
        return WAITING
    is_ready = any(condition.type == "Ready" and condition.status == "True" for condition in pod.conditions)
    return READY if is_ready else STARTING


def _wanted_replicas(kind: str, manifest: Manifest) -> int | None:
    match kind:
        case "DaemonSet":
            return number(status(manifest).get("desiredNumberScheduled"), 0)
        case "Job":
            return number(spec(manifest).get("completions"), number(spec(manifest).get("parallelism"), 1))
        case "CronJob":
            return None
    return number(spec(manifest).get("replicas"), 1)


def write_csv(file: IO[str], rows: Mapping[float, Mapping[Workload, Rollout]]) -> None:
    """Write a row for each revision of each changed workload. `rows` has the changed workloads by virtual time."""
    write = row_writer(file, line_end="\n")
    write(["seconds", "kind", "namespace", "name", "wanted", "at_least", "at_most", "revision", *STATES])
    for t, rollouts in rows.items():
        for (kind, key), rollout in rollouts.items():
            namespace, _, name = key.rpartition("/")
            numbers = (rollout["wanted"], rollout["least"], rollout["most"])
            bounds = ["" if bound is None else bound for bound in numbers]
            for revision, counts in rollout["pods"].items() or [("", [0] * len(STATES))]:
                write([t, kind, namespace, name, *bounds, revision, *counts])
