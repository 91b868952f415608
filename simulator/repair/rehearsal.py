"""Rehearsal of a repair's command lines, one after the other, with the controllers of the pods' owners running.

A changed template does not give the pod a node: its controller has to replace the pod, and the new pod has to get a
node. Only owners that the lines concern have controllers; other pods stay as they are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.edits.json_patch import PatchError
from scheduler_core.edits.owners import find_owner_chain, find_top_owner
from scheduler_core.edits.steps import Command
from simulator.repair.commands import config_command
from simulator.repair.edit_lines import EditLine
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
# Limit of records per rehearsal; a longer rehearsal counts as failed.
_MOST_RECORDS = 4_000
_BETWEEN_LINES: Command = {"kind": "run", "until": {"seconds": 1}}
_AFTER_THEM: Command = {"kind": "run", "until": "idle"}
Owners = frozenset[tuple[str, str]]


class Rehearsal:
    """Rehearsals of repairs for some pods of one simulation. The simulation does not change."""

    def __init__(self, simulation: Simulation, keys: Sequence[str], out_of_time: Callable[[], bool]) -> None:
        self._simulation, self._keys, self._out_of_time = simulation, list(keys), out_of_time
        self._prepared: dict[Owners, Simulation] = {}

    def is_needed(self, lines: Sequence[EditLine]) -> bool:
        """Return True if controllers affect the result and their objects exist."""
        return bool(self._owners(lines))

    def succeeds(self, lines: Sequence[EditLine]) -> bool:
        """Return True if each pod, or the pod that its owner creates in its place, gets a node.

        1. Start the owners' controllers in a fork.
        2. If other pods leave and are created again, take the pending pods out of the queue: their order is a race.
        3. Apply the configuration, then each line's commands, and run for a second after each line.
        4. Put the pods back, and run until idle.
        """
        owners = self._owners(lines)
        trial = self._with_controllers(owners)
        before = {key: self._placed(self._simulation, key) for key in self._keys}
        records = _MOST_RECORDS
        held = self._hold_back(trial) if self._recreates_pods(lines) else []
        configuring = [line.edit for line in lines if line.edit.disabled or line.edit.profile is not None]
        try:
            if configuring:
                records -= self._carry_out(trial, config_command(trial, configuring), records)
            for line in lines:
                if held and line.edit.of.key in self._keys:
                    records -= self._release(trial, held, records)
                for step in line.steps:
                    for command in step.commands(trial.cluster.store):
                        records -= self._carry_out(trial, command, records)
                    records -= self._carry_out(trial, _BETWEEN_LINES, records)
            records -= self._release(trial, held, records)
            self._carry_out(trial, _AFTER_THEM, records)
        except (CommandError, PatchError):
            return False
        return all(self._has_node(trial, key, before[key]) for key in self._keys)

    def _owners(self, lines: Sequence[EditLine]) -> Owners:
        """Return kind and key of the existing owners whose controllers the lines need."""
        store = self._simulation.cluster.store
        keys = list(self._keys) if any(step.replaces for line in lines for step in line.steps) else []
        keys += [line.edit.of.key for line in lines if line.edit.gone or line.edit.moved_to]
        pods = (pod for key in keys if (pod := store.get("Pod", key)) is not None)
        return frozenset(
            (obj.kind, obj.key) for pod in pods for obj in find_owner_chain(pod, store) if obj.kind in _CONTROLLERS
        )

    def _recreates_pods(self, lines: Sequence[EditLine]) -> bool:
        """Return True if the lines remove other pods that controllers create again."""
        away = [line.edit.of.key for line in lines if line.edit.gone or line.edit.moved_to]
        pods = (self._simulation.cluster.find_pod(key) for key in away)
        return any(pod is not None and pod.controller is not None for pod in pods)

    def _hold_back(self, trial: Simulation) -> list[Pod]:
        """Take the pending pods out of the queue, because their order with recreated pods is a race."""
        pods = [pod for key in self._keys if (pod := trial.cluster.find_pod(key)) is not None and not pod.node_name]
        for pod in pods:
            trial.cluster.queue.delete(pod)
        return pods

    def _release(self, trial: Simulation, held: list[Pod], most: int) -> int:
        """Run all other pods, then put the held pods back into the queue; return the number of records."""
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
                if obj.kind in _CONTROLLERS and not _belongs_to(obj, owners):
                    trial.cluster.store.remove(obj.kind, obj.key)
            _start_controllers(trial, owners)
            self._prepared[owners] = trial
        # The prepared objects have the fields that controllers need, so the fork uses them unchanged.
        trial = fork(self._prepared[owners])
        _start_controllers(trial, owners)
        return trial

    def _carry_out(self, trial: Simulation, command: Command, most: int) -> int:
        """Apply a command and return the number of records. Raises CommandError if it takes too many, or too long."""
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
        """Count the owner's pods that have nodes; 0 before a Job, which starts again."""
        pod = self._simulation.cluster.find_pod(key)
        root = None if pod is None else find_top_owner(pod, self._simulation.cluster.store)
        if pod is None or root is None or (root[0] in ("Job", "CronJob") and simulation is self._simulation):
            return 0
        others: Iterable[Pod] = simulation.cluster.store.list("Pod", pod.namespace)
        placed = (other for other in others if other.node_name and not other.terminating)
        return sum(_root(other, simulation) == root[:2] for other in placed)


def _root(pod: Pod, simulation: Simulation) -> tuple[str, str] | None:
    owner = find_top_owner(pod, simulation.cluster.store)
    return None if owner is None else owner[:2]


def _belongs_to(obj: KubeObject, owners: Owners) -> bool:
    """Return True for an owner, and for objects that one owns, for example older ReplicaSets of a Deployment."""
    owner = obj.controller
    above = None if owner is None else (owner.kind, f"{obj.namespace}/{owner.name}")
    return (obj.kind, obj.key) in owners or (above in owners and obj.kind != "Job")


def _start_controllers(trial: Simulation, owners: Owners) -> None:
    names = {name for kind, _ in owners for name in _CONTROLLERS[kind]}

    def takes(obj: KubeObject) -> bool:
        return not isinstance(obj, Pod) or _has_owner(obj, trial, owners)

    trial.cluster.switch_controllers(sorted({*names, *_ALWAYS}), trial.seed + trial.seq, trial.hashes, takes)
    for _ in trial.settle():
        pass


def _has_owner(pod: Pod, trial: Simulation, owners: Owners) -> bool:
    return any((obj.kind, obj.key) in owners for obj in find_owner_chain(pod, trial.cluster.store))
