"""Rehearsal: the lines of a repair carried out one after the other, with the controllers of the owners at work.

A line for an owner's template gives the pod nothing by itself: its controller has to replace the pod, and the new pod
has to get a node. Only the owners that the lines are about are at work: other controllers' pods stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.edits.json_patch import PatchError
from scheduler_core.edits.owners import owner_chain, owner_of
from scheduler_core.edits.steps import Command
from simulator.repair.commands import configure
from simulator.repair.line import Line
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation

# Kinds of owners → their controllers.
_CONTROLLERS: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("deployment", "replicaset"),
    "ReplicaSet": ("replicaset",),
    "ReplicationController": ("replicationcontroller",),
    "StatefulSet": ("statefulset",),
    "DaemonSet": ("daemonset",),
    "Job": ("job",),
    "CronJob": ("job",),
}
_ALWAYS = ("kubelet", "persistent-volume", "resource-claim")
# Records of a rehearsal: what takes longer is not believed.
_MOST_RECORDS = 4_000
_BETWEEN_LINES: Command = {"kind": "run", "until": {"seconds": 1}}
_AFTER_THEM: Command = {"kind": "run", "until": "idle"}
Owners = frozenset[tuple[str, str]]


class Rehearsal:
    """Rehearses repairs of some pods of one simulation. Nothing is written to the simulation."""

    def __init__(self, simulation: Simulation, keys: Sequence[str], out_of_time: Callable[[], bool]) -> None:
        self._simulation, self._keys, self._out_of_time = simulation, list(keys), out_of_time
        self._prepared: dict[Owners, Simulation] = {}

    def is_needed(self, lines: Sequence[Line]) -> bool:
        """Whether controllers decide what becomes of the pods, and the objects that they read are there."""
        return bool(self._owners(lines))

    def succeeds(self, lines: Sequence[Line]) -> bool:
        """Whether each pod, or the pod that its owner made in its place, gets a node."""
        owners = self._owners(lines)
        trial = self._with_controllers(owners)
        before = {key: self._placed(self._simulation, key) for key in self._keys}
        records = _MOST_RECORDS
        held = self._hold(trial) if self._are_made_again(lines) else []
        configuring = [line.edit for line in lines if line.edit.disabled or line.edit.profile is not None]
        try:
            if configuring:
                records -= self._carry_out(trial, configure(trial, configuring), records)
            for line in lines:
                if held and line.edit.of.key in self._keys:
                    records -= self._let_go(trial, held, records)
                for step in line.steps:
                    for command in step.commands(trial.cluster.store):
                        records -= self._carry_out(trial, command, records)
                    records -= self._carry_out(trial, _BETWEEN_LINES, records)
            records -= self._let_go(trial, held, records)
            self._carry_out(trial, _AFTER_THEM, records)
        except (CommandError, PatchError):
            return False
        return all(self._has_node(trial, key, before[key]) for key in self._keys)

    def _owners(self, lines: Sequence[Line]) -> Owners:
        """The owners whose controllers the lines need: kind and key of each; those that are not there left out."""
        store = self._simulation.cluster.store
        keys = list(self._keys) if any(step.replaces for line in lines for step in line.steps) else []
        keys += [line.edit.of.key for line in lines if line.edit.gone or line.edit.moved_to]
        pods = (pod for key in keys if (pod := store.get("Pod", key)) is not None)
        return frozenset(
            (obj.kind, obj.key) for pod in pods for obj in owner_chain(pod, store) if obj.kind in _CONTROLLERS
        )

    def _are_made_again(self, lines: Sequence[Line]) -> bool:
        """Whether other pods have to leave whose controllers make them again."""
        away = [line.edit.of.key for line in lines if line.edit.gone or line.edit.moved_to]
        pods = (self._simulation.cluster.find_pod(key) for key in away)
        return any(pod is not None and pod.controller is not None for pod in pods)

    def _hold(self, trial: Simulation) -> list[Pod]:
        """Take the pods out of the queue: whether they or those that are made again come first is a race."""
        pods = [pod for key in self._keys if (pod := trial.cluster.find_pod(key)) is not None and not pod.node_name]
        for pod in pods:
            trial.cluster.queue.delete(pod)
        return pods

    def _let_go(self, trial: Simulation, held: list[Pod], most: int) -> int:
        """Put pods back into the queue, after all others had their turn; return how many records that took."""
        count = self._carry_out(trial, _AFTER_THEM, most) if held else 0
        for pod in held:
            live = trial.cluster.find_pod(pod.key)
            if live is not None and not live.node_name:
                trial.cluster.queue.add(live)
        held.clear()
        return count

    def _with_controllers(self, owners: Owners) -> Simulation:
        if owners not in self._prepared:
            trial = fork(self._simulation)
            for obj in list(trial.cluster.store):
                if obj.kind in _CONTROLLERS and not _is_of(obj, owners):
                    trial.cluster.store.remove(obj.kind, obj.key)
            _switch_on(trial, owners)
            self._prepared[owners] = trial
        # Objects have by now what controllers need of them: they are taken over as they are.
        trial = fork(self._prepared[owners])
        _switch_on(trial, owners)
        return trial

    def _carry_out(self, trial: Simulation, command: Command, most: int) -> int:
        """Return how many records it took. Raises CommandError if it takes too many, or too long."""
        count = 0
        for _ in trial.apply(command):
            count += 1
            if count > most or self._out_of_time():
                raise CommandError([])
        return count

    def _has_node(self, trial: Simulation, key: str, before: int) -> bool:
        pod = trial.cluster.find_pod(key)
        if pod is not None and not pod.node_name:
            return False
        return pod is not None or self._placed(trial, key) > before

    def _placed(self, simulation: Simulation, key: str) -> int:
        """How many pods of the owner of this one have nodes; of a Job, which begins again, none before."""
        pod = self._simulation.cluster.find_pod(key)
        root = None if pod is None else owner_of(pod, self._simulation.cluster.store)
        if pod is None or root is None or (root[0] in ("Job", "CronJob") and simulation is self._simulation):
            return 0
        others: Iterable[Pod] = simulation.cluster.store.list("Pod", pod.namespace)
        placed = (other for other in others if other.node_name and not other.terminating)
        return sum(_root(other, simulation) == root[:2] for other in placed)


def _root(pod: Pod, simulation: Simulation) -> tuple[str, str] | None:
    owner = owner_of(pod, simulation.cluster.store)
    return None if owner is None else owner[:2]


def _is_of(obj: KubeObject, owners: Owners) -> bool:
    """Whether it is one of the owners, or owned by one, as the older ReplicaSets of a Deployment are."""
    owner = obj.controller
    above = None if owner is None else (owner.kind, f"{obj.namespace}/{owner.name}")
    return (obj.kind, obj.key) in owners or (above in owners and obj.kind != "Job")


def _switch_on(trial: Simulation, owners: Owners) -> None:
    names = {name for kind, _ in owners for name in _CONTROLLERS[kind]}

    def takes(obj: KubeObject) -> bool:
        return not isinstance(obj, Pod) or _has_owner(obj, trial, owners)

    trial.cluster.live(sorted({*names, *_ALWAYS}), trial.seed + trial.seq, trial.hashes, takes)
    for _ in trial.settle():
        pass


def _has_owner(pod: Pod, trial: Simulation, owners: Owners) -> bool:
    return any((obj.kind, obj.key) in owners for obj in owner_chain(pod, trial.cluster.store))
