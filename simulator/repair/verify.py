"""Proof: the edits made in a fork, and the scheduler run on. What is not seen to place the pod is not shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from kube_objects.sentences import Data, Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, Edits, Ref, in_order
from scheduler_core.edits.steps import Command
from simulator.repair.commands import Plan, plan
from simulator.repair.line import Line
from simulator.repair.lines import lines_of
from simulator.repair.rehearsal import Rehearsal
from simulator.repair.telling import ExplainedSideEffect
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork, fork_anew
from simulator.simulation.simulation import Simulation

# Attempts of a proof, those of the pods that come before among them.
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
class Effect:
    """What becomes of another pod: `evicted`, `deleted`, `pending`, `placed` or `moved`."""

    kind: str
    pod: str
    what: Data

    def as_dict(self) -> ExplainedSideEffect:
        return {"kind": self.kind, "pod": self.pod, "what": self.what}


@dataclass(slots=True)
class Proof:
    """`node` is where the pod got to, None where it did not. `whole`: the run went on until nothing was left to do.

    `works`: whether `lines` give the pod, or the one that its owner makes in its place, a node.
    """

    node: str | None = None
    lines: list[Line] = field(default_factory=list)
    works: bool = True
    plan: Plan = field(default_factory=Plan)
    effects: list[Effect] = field(default_factory=list)
    whole: bool = True


class Prover:
    """Proves repairs for pods of one simulation; what happens without a repair is found out once."""

    def __init__(self, simulation: Simulation, keys: Sequence[str], out_of_time: Callable[[], bool]) -> None:
        self._simulation = simulation
        self._key = keys[0]
        self._out_of_time = out_of_time
        self._before: dict[str, str] | None = None
        self._rehearsal = Rehearsal(simulation, keys, out_of_time)

    @property
    def anyway(self) -> str | None:
        """Where the pod gets to without any repair, if nobody does anything."""
        return self._without().get(self._key) or None

    def prove(self, edits: Edits) -> Proof:
        """In the cluster as it is, and once more as if the repaired scenario was played from its beginning.

        Then its lines are carried out in turn, where controllers decide what they lead to.
        """
        proof = Proof()
        trial = fork(self._simulation)
        try:
            proof.plan = plan(trial, edits, self._key)
            proof.plan.carry_out(trial, self._key)
        except CommandError:
            return proof
        again = fork_anew(trial)
        proof.whole = self._run(trial)
        node = _node_of(trial, self._key)
        if not node:
            return proof
        self._run(again)
        if not _node_of(again, self._key):
            return proof
        lines = self.lines_that_work(edits, {self._key: [self._key]})
        proof.works = lines is not None
        if lines is None:
            return proof
        proof.node, proof.lines = node, lines
        proof.plan.inverse = self.all_undone(trial, proof.plan.inverse)
        touched = {edit.of.key for edit in edits if edit.of.kind == "Pod"}
        deleted = {edit.of.key for edit in edits if edit.gone}
        proof.effects = [
            *(Effect("deleted", key, DELETED(pod=key)) for key in sorted(deleted)),
            *(_moved(edit) for edit in in_order(edits) if edit.moved_to),
            *_effects(self._without(), _places(trial), touched | {self._key}),
        ]
        return proof

    def lines_that_work(self, edits: Edits, alike: Mapping[str, Sequence[str]]) -> list[Line] | None:
        """Return the lines for these edits; None if there are none, or if controllers make something else of them.

        `alike`: of each pod that is edited, all pods of its template that the lines are to change.
        """
        store = self._simulation.cluster.store
        pods = {key: [pod for other in keys if (pod := store.get("Pod", other))] for key, keys in alike.items()}
        lines = lines_of(edits, store, pods)
        if lines is None or (self._rehearsal.is_needed(lines) and not self._rehearsal.succeeds(lines)):
            return None
        return lines

    def all_undone(self, trial: Simulation, inverse: list[Command]) -> list[Command]:
        """Every object that the repair, and the run after it, changed, made or took away, as it is now."""
        now, then = self._simulation.cluster.store, trial.cluster.store
        changed = [obj for obj in now if (other := then.get(obj.kind, obj.key)) is not obj and _differ(obj, other)]
        back = [dict(manifest_of(obj)) for obj in changed]
        new = [Ref.to(obj).as_dict() for obj in then if now.get(obj.kind, obj.key) is None]
        parts = (("objects", back), ("delete", new))
        restored: Command = {"kind": "restore", "placed": True, **{name: part for name, part in parts if part}}
        return [restored, *(command for command in inverse if command["kind"] != "restore")]

    def effects_of(self, trial: Simulation, known: set[str]) -> list[Effect]:
        """What is otherwise than it would be without, for all pods but those that are known."""
        return _effects(self._without(), _places(trial), known)

    def _without(self) -> dict[str, str]:
        if self._before is None:
            trial = fork(self._simulation)
            self._run(trial)
            self._before = _places(trial)
        return self._before

    def _run(self, trial: Simulation) -> bool:
        """Until nothing is left to do. False if that takes too long."""
        for _ in range(MOST_ATTEMPTS):
            if not may_go_on(trial):
                return True
            if self._out_of_time():
                return False
            for _ in trial.apply(_RUN_ONE):
                pass
        return not may_go_on(trial)


def may_go_on(trial: Simulation) -> bool:
    """Gangs that cannot be scheduled come back for ever: they are no reason to."""
    return trial.cluster.queue.can_pop and not trial.is_futile


def _differ(obj: KubeObject, other: KubeObject | None) -> bool:
    """Of pods more than the status: the scheduler writes that of whatever waits."""
    if other is None:
        return True
    old, new = manifest_of(obj), manifest_of(other)
    parts = {*old, *new} - ({"status"} if isinstance(obj, Pod) else set())
    return any(old.get(part) != new.get(part) for part in parts)


def _moved(edit: Edit) -> Effect:
    where = {name: edit.sentence["args"][name] for name in ("node", "other")}
    return Effect("moved", edit.of.key, ELSEWHERE(pod=edit.of.key, node=where["other"], other=where["node"]))


def _node_of(simulation: Simulation, key: str) -> str:
    pod = simulation.cluster.find_pod(key)
    return pod.node_name if pod is not None else ""


def _places(simulation: Simulation) -> dict[str, str]:
    pods: list[Pod] = list(simulation.cluster.store.list("Pod"))
    return {pod.key: pod.node_name for pod in pods if not pod.finished}


def _effects(before: dict[str, str], after: dict[str, str], known: set[str]) -> list[Effect]:
    found: list[Effect] = []
    for key, node in before.items():
        if key in known or after.get(key) == node:
            continue
        now = after.get(key)
        if now is None:
            found.append(Effect("evicted", key, EVICTED(pod=key, node=node)))
        elif not now:
            found.append(Effect("pending", key, PENDING(pod=key, node=node)))
        elif not node:
            found.append(Effect("placed", key, PLACED(pod=key, node=now)))
        else:
            found.append(Effect("moved", key, ELSEWHERE(pod=key, node=now, other=node)))
    found.sort(key=lambda effect: ("evicted", "pending", "moved", "placed").index(effect.kind))
    if len(found) > MOST_EFFECTS:
        rest = len(found) - MOST_EFFECTS
        found = [*found[:MOST_EFFECTS], Effect("more", "", MORE(count=rest))]
    return found
