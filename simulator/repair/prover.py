"""Verification of repairs: a run of the scheduler in a fork with the edits made.

Only a repair that places the pod counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, Edits, Ref, sort_edits
from scheduler_core.edits.steps import Command
from simulator.repair.command_lines import command_lines
from simulator.repair.commands import RepairPlan, plan_repair
from simulator.repair.edit_lines import EditLine, ExplainedSideEffect
from simulator.repair.rehearsal import Rehearsal
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork, fork_from_start
from simulator.simulation.simulation import Simulation

# Attempts per proof, including those of pods ahead in the queue.
MOST_ATTEMPTS = 2000
MOST_EFFECTS = 20

EVICTED = Template("{pod} is evicted from {node}")
PENDING = Template("{pod} stays pending, which else would get {node}")
PLACED = Template("{pod} gets {node}, too")
ELSEWHERE = Template("{pod} goes to {node} instead of {other}")
DELETED = Template("{pod} is deleted")
MORE = Template("{count} others change as well")
_RUN_ONE = {"kind": "run", "until": {"cycles": 1}}


@dataclass(frozen=True, slots=True)
class SideEffect:
    """An effect of a repair on another pod: `evicted`, `deleted`, `pending`, `placed` or `moved`."""

    kind: str
    pod: str
    what: Data

    def as_dict(self) -> ExplainedSideEffect:
        return {"kind": self.kind, "pod": self.pod, "what": self.what}


@dataclass(slots=True)
class Proof:
    """Result of verifying a repair.

    `node` is the pod's node, None if it got none. `whole` is true if the run went on until nothing was left to
    schedule. `works` is true if `lines` give a node to the pod, or to the pod that its owner creates in its place.
    """

    node: str | None = None
    lines: list[EditLine] = field(default_factory=list)
    works: bool = True
    plan: RepairPlan = field(default_factory=RepairPlan)
    effects: list[SideEffect] = field(default_factory=list)
    whole: bool = True


class Prover:
    """A verifier of repairs for pods of one simulation. It runs the simulation without a repair only once."""

    def __init__(self, simulation: Simulation, keys: Sequence[str], out_of_time: Callable[[], bool]) -> None:
        self._simulation = simulation
        self._key = keys[0]
        self._out_of_time = out_of_time
        self._before: dict[str, str] | None = None
        self._rehearsal = Rehearsal(simulation, keys, out_of_time)

    @property
    def node_without_repair(self) -> str | None:
        """Return the node that the pod gets without a repair."""
        return self._places_without_repair().get(self._key) or None

    def prove(self, edits: Edits) -> Proof:
        """Verify that the pod gets a node with these edits.

        1. Apply the edits in a fork of the cluster and run the scheduler.
        2. Run the repaired scenario from its beginning.
        3. Rehearse the command lines with the controllers of the pods' owners.
        4. Compute the inverse and the effects on other pods.
        """
        proof = Proof()
        trial = fork(self._simulation)
        try:
            proof.plan = plan_repair(trial, edits, self._key)
            proof.plan.carry_out(trial, self._key)
        except CommandError:
            return proof
        from_beginning = fork_from_start(trial)
        proof.whole = self._run(trial)
        node = _node_of(trial, self._key)
        if not node:
            return proof
        self._run(from_beginning)
        if not _node_of(from_beginning, self._key):
            return proof
        lines = self.lines_that_work(edits, {self._key: [self._key]})
        proof.works = lines is not None
        if lines is None:
            return proof
        proof.node, proof.lines = node, lines
        proof.plan.inverse = self.inverse_commands(trial, proof.plan.inverse)
        touched = {edit.of.key for edit in edits if edit.of.kind == "Pod"}
        deleted = {edit.of.key for edit in edits if edit.gone}
        proof.effects = [
            *(SideEffect("deleted", key, DELETED(pod=key)) for key in sorted(deleted)),
            *(_move_effect(edit) for edit in sort_edits(edits) if edit.moved_to),
            *_compare_places(self._places_without_repair(), _places(trial), touched | {self._key}),
        ]
        return proof

    def lines_that_work(self, edits: Edits, same_template: Mapping[str, Sequence[str]]) -> list[EditLine] | None:
        """Return the command lines for these edits, or None if there are none or controllers undo them.

        `same_template`: for each edited pod, all pods of its template that the lines change.
        """
        store = self._simulation.cluster.store
        pods = {key: [pod for other in keys if (pod := store.get("Pod", other))] for key, keys in same_template.items()}
        lines = command_lines(edits, store, pods)
        if lines is None or (self._rehearsal.is_needed(lines) and not self._rehearsal.succeeds(lines)):
            return None
        return lines

    def inverse_commands(self, trial: Simulation, inverse: list[Command]) -> list[Command]:
        """Return the commands that restore every object that the repair and the run changed, created or deleted."""
        current, repaired = self._simulation.cluster.store, trial.cluster.store
        changed = [
            obj for obj in current if (other := repaired.get(obj.kind, obj.key)) is not obj and _differ(obj, other)
        ]
        back = [dict(manifest_of(obj)) for obj in changed]
        new = [Ref.to(obj).as_dict() for obj in repaired if current.get(obj.kind, obj.key) is None]
        parts = (("objects", back), ("delete", new))
        restored: Command = {"kind": "restore", "placed": True, **{name: part for name, part in parts if part}}
        return [restored, *(command for command in inverse if command["kind"] != "restore")]

    def side_effects(self, trial: Simulation, known: set[str]) -> list[SideEffect]:
        """Return the differences from a run without the repair, for all pods except `known` ones."""
        return _compare_places(self._places_without_repair(), _places(trial), known)

    def _places_without_repair(self) -> dict[str, str]:
        if self._before is None:
            trial = fork(self._simulation)
            self._run(trial)
            self._before = _places(trial)
        return self._before

    def _run(self, trial: Simulation) -> bool:
        """Schedule until nothing is left to do; return False if that takes too long."""
        for _ in range(MOST_ATTEMPTS):
            if not has_work_left(trial):
                return True
            if self._out_of_time():
                return False
            for _ in trial.apply(_RUN_ONE):
                pass
        return not has_work_left(trial)


def has_work_left(trial: Simulation) -> bool:
    """Return True if a pod can be popped; pod groups that failed since the last change of the cluster don't count."""
    return trial.cluster.queue.can_pop and not trial.has_only_unschedulable_groups


def _differ(obj: KubeObject, other: KubeObject | None) -> bool:
    """Return True if the objects differ; a pod's status doesn't count, because the scheduler writes it."""
    if other is None:
        return True
    old, new = manifest_of(obj), manifest_of(other)
    parts = {*old, *new} - ({"status"} if isinstance(obj, Pod) else set())
    return any(old.get(part) != new.get(part) for part in parts)


def _move_effect(edit: Edit) -> SideEffect:
    nodes = {name: edit.sentence["args"][name] for name in ("node", "other")}
    return SideEffect("moved", edit.of.key, ELSEWHERE(pod=edit.of.key, node=nodes["other"], other=nodes["node"]))


def _node_of(simulation: Simulation, key: str) -> str:
    pod = simulation.cluster.find_pod(key)
    return pod.node_name if pod is not None else ""


def _places(simulation: Simulation) -> dict[str, str]:
    pods: list[Pod] = list(simulation.cluster.store.list("Pod"))
    return {pod.key: pod.node_name for pod in pods if not pod.finished}


def _compare_places(before: dict[str, str], after: dict[str, str], known: set[str]) -> list[SideEffect]:
    effects: list[SideEffect] = []
    for key, node in before.items():
        if key in known or after.get(key) == node:
            continue
        now = after.get(key)
        if now is None:
            effects.append(SideEffect("evicted", key, EVICTED(pod=key, node=node)))
        elif not now:
            effects.append(SideEffect("pending", key, PENDING(pod=key, node=node)))
        elif not node:
            effects.append(SideEffect("placed", key, PLACED(pod=key, node=now)))
        else:
            effects.append(SideEffect("moved", key, ELSEWHERE(pod=key, node=now, other=node)))
    effects.sort(key=lambda effect: ("evicted", "pending", "moved", "placed").index(effect.kind))
    if len(effects) > MOST_EFFECTS:
        rest = len(effects) - MOST_EFFECTS
        effects = [*effects[:MOST_EFFECTS], SideEffect("more", "", MORE(count=rest))]
    return effects
