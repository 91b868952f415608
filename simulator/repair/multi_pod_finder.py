"""Finder of one repair for many pods: changes of their templates and of nodes, or new nodes.

A repair of the first pod of a template is tried for all its pods: an edit of the pod becomes one edit per pod, but
costs once because the template is changed once. Each result is verified by a run with all pods.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit, Edits, Ref, sort_edits
from scheduler_core.edits.steps import Command
from simulator.repair.capacity import Addition, Group, add_nodes_stepwise, added_manifests
from simulator.repair.commands import plan_repair
from simulator.repair.edit_lines import Claim, EditLine, ExplainedEdit, ExplainedSideEffect
from simulator.repair.finder import FOUND, MINIMAL, MINIMUM, Finder, Limits
from simulator.repair.node_shapes import nodes_by_shape
from simulator.repair.pod_templates import templates_by_pod
from simulator.repair.prover import MOST_ATTEMPTS, Prover, SideEffect, has_work_left
from simulator.repair.search import Search
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork, fork_from_start
from simulator.simulation.simulation import Simulation

MOST_PODS = 2_000
# Limits of the step-by-step search: number of changes, and repairs tried per change.
_MOST_ROUNDS, _MOST_TRIED = 12, 4


class ExplainedManyRepair(TypedDict):
    edits: list[ExplainedEdit]
    nodes: Mapping[str, int]
    cost: int
    placed: Mapping[str, str]
    verified: bool
    claim: Claim
    side_effects: list[ExplainedSideEffect]
    commands: NotRequired[list[Command]]
    inverse: NotRequired[list[Command]]


@dataclass(frozen=True, slots=True)
class TemplateEdit:
    """A change with one cost: an edit of the pod `first` stands for the edits of all `pods` of its template."""

    edit: Edit
    first: str = ""
    pods: tuple[str, ...] = ()

    def edits(self) -> Iterator[Edit]:
        """Yield the edit of each pod, or the edit itself if it is not about a pod."""
        for key in self.pods or ("",):
            namespace, _, name = key.partition("/")
            yield replace(self.edit, of=Ref("Pod", name, namespace)) if key else self.edit


@dataclass(slots=True)
class MultiPodRepair:
    """A verified repair for all pods; `placed` maps each pod to its node.

    `edits` are those of the first pod of each template, or `nodes` are added.
    """

    edits: Edits
    cost: int
    placed: dict[str, str]
    claim: Claim = FOUND
    nodes: dict[str, int] = field(default_factory=dict)
    effects: list[SideEffect] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)
    lines: list[EditLine] = field(default_factory=list)

    def as_dict(self) -> ExplainedManyRepair:
        return {
            "edits": [line.as_dict() for line in self.lines],
            "nodes": self.nodes,
            "cost": self.cost,
            "placed": self.placed,
            "verified": True,
            "claim": self.claim,
            "side_effects": [effect.as_dict() for effect in self.effects],
            "commands": self.commands,
            "inverse": self.inverse,
        }


class MultiPodFinder:
    """A search for repairs of many pods; iterate over `steps()`. The simulation does not change."""

    def __init__(
        self,
        simulation: Simulation,
        keys: Sequence[str],
        prices: Prices,
        clock: Callable[[], float],
        limits: Limits | None = None,
    ) -> None:
        self.keys = list(keys)
        self._simulation, self._prices, self._clock = simulation, prices, clock
        self._limits = limits or Limits()
        self._finder = Finder(simulation, self.keys[0], prices, clock, self._limits)
        self._prover = Prover(simulation, self.keys, self._finder.out_of_time)
        self._templates = templates_by_pod(simulation, self.keys)

    def steps(self) -> Iterator[MultiPodRepair | None]:
        """Yield repairs in order of cost, new nodes last, and None after each step without one.

        1. If all pods have one template, try the repairs of the first pod for all.
        2. Otherwise, or if none of them works, combine changes step by step.
        3. Add nodes, if that is allowed.
        """
        has_repair = False
        for repair in self._finder.steps() if len(set(self._templates.values())) == 1 else ():
            result = None if repair is None else self._minimize(self._template_edits(repair.edits, self.keys[0]))
            if result is not None and repair is not None:
                has_repair = True
                result.claim = MINIMUM if repair.claim == MINIMUM and self._is_independent() else result.claim
            yield result
        if not has_repair:
            yield from self._combine_changes()
        cost = self._prices.cost_of("add_node")
        if cost is not None:
            yield from self._add_nodes(cost)

    def _template_edits(self, edits: Edits, first: str) -> list[TemplateEdit]:
        same_template = tuple(key for key in self.keys if self._templates[key] == self._templates[first])
        namespace, _, name = same_template[0].partition("/")
        return [
            TemplateEdit(replace(edit, of=Ref("Pod", name, namespace)), same_template[0], same_template)
            if (edit.of.kind, edit.of.key) == ("Pod", first)
            else TemplateEdit(edit)
            for edit in sort_edits(edits)
        ]

    def _is_independent(self) -> bool:
        """Return True if changes for other pods cannot help the first one, so that its minimum is a minimum for all."""
        pod = self._simulation.cluster.find_pod(self.keys[0])
        near = pod is not None and (pod.pod_affinity or pod.spread_constraints or pod.scheduling_group)
        return pod is not None and not near

    def _minimize(self, units: list[TemplateEdit]) -> MultiPodRepair | None:
        """Return the repair after removing unnecessary changes, or None if a pod stays pending."""
        repair = self._verify(units)
        if repair is None:
            return None
        for unit in sorted(units, key=lambda unit: -unit.edit.cost) if len(units) > 1 else ():
            if self._finder.out_of_time():
                return repair
            fewer = self._minimize([other for other in units if other is not unit])
            if fewer is not None:
                return fewer
        repair.claim = MINIMAL
        return repair

    def _verify(self, units: Sequence[TemplateEdit]) -> MultiPodRepair | None:
        """Verify that all pods get nodes; return the repair, or None if a pod stays pending.

        1. Apply the changes in a fork of the present cluster.
        2. Schedule all pods from the start of the scenario, then in the fork.
        3. Find command lines that make the changes.
        """
        all_edits = frozenset(edit for unit in units for edit in unit.edits())
        trial = fork(self._simulation)
        try:
            repair_plan = plan_repair(trial, all_edits, self.keys[0])
            repair_plan.carry_out(trial, self.keys[0])
        except (CommandError, LookupError, TypeError):
            return None  # The edit does not apply to a pod of another template.
        for run in (fork_from_start(trial), trial):
            self._run(run)
            if self._pending(run):
                return None
        edits = frozenset(unit.edit for unit in units)
        lines = self._lines(units)
        if lines is None:
            return None
        touched = {edit.of.key for edit in all_edits}
        repair = self._describe_repair(
            trial, edits, _cost_of(units), repair_plan.commands, repair_plan.inverse, touched
        )
        repair.lines = lines
        return repair

    def _lines(self, units: Sequence[TemplateEdit]) -> list[EditLine] | None:
        """Return one line per existing template, otherwise one per pod; None if the lines do not work."""
        same_template = {unit.first: unit.pods for unit in units if unit.first}
        return self._prover.lines_that_work(frozenset(unit.edit for unit in units), same_template)

    def _describe_repair(
        self,
        trial: Simulation,
        edits: Edits,
        cost: int,
        commands: list[Command],
        inverse: list[Command],
        touched: AbstractSet[str] = frozenset(),
    ) -> MultiPodRepair:
        """Return the repair of a trial in which all pods have nodes."""
        placed = {key: pod.node_name for key in self.keys if (pod := trial.cluster.find_pod(key)) is not None}
        effects = self._prover.side_effects(trial, {*self.keys, *touched})
        undone = self._prover.inverse_commands(trial, inverse)
        return MultiPodRepair(edits, cost, placed, FOUND, effects=effects, commands=commands, inverse=undone)

    def _run(self, run: Simulation) -> None:
        for _ in range(MOST_ATTEMPTS + len(self.keys)):
            if not has_work_left(run):
                break
            for _ in run.apply({"kind": "schedule_one"}):
                pass

    def _pending(self, run: Simulation) -> list[str]:
        pods = ((key, run.cluster.find_pod(key)) for key in self.keys)
        return [key for key, pod in pods if pod is None or not pod.node_name]

    def _combine_changes(self) -> Iterator[MultiPodRepair | None]:
        """Combine changes; in each round, add the one after which the fewest pods are pending."""
        units: list[TemplateEdit] = []
        left = self.keys
        for _ in range(_MOST_ROUNDS):
            trial = self._trial_with(units)
            left = self._pending(trial) if trial is not None else []
            if trial is None or not left or self._finder.out_of_time():
                break
            best: tuple[int, int, list[TemplateEdit]] | None = None
            # Any pod may use the new room, so the edits are not verified for this pod alone.
            search = Search(trial, left[0], self._prices, self._finder.out_of_time)
            tried = 0
            for edits in search.candidates(lambda edits: False):
                yield None
                if edits is None:
                    continue
                more = [*units, *(unit for unit in self._template_edits(edits, left[0]) if unit not in units)]
                after = self._trial_with(more)
                rank = (len(self._pending(after)), _cost_of(more)) if after is not None else None
                if rank is not None and rank[0] < len(left) and (best is None or rank < best[:2]):
                    best = (*rank, more)
                tried += 1
                if tried == _MOST_TRIED:
                    break
            if best is None:
                return
            units = best[2]
        if units and not left:
            yield self._minimize(units)

    def _trial_with(self, units: Sequence[TemplateEdit]) -> Simulation | None:
        trial = fork(self._simulation)
        try:
            plan_repair(trial, frozenset(edit for unit in units for edit in unit.edits()), self.keys[0]).carry_out(
                trial, self.keys[0]
            )
        except (CommandError, LookupError, TypeError):
            return None
        self._run(trial)
        return trial

    def _add_nodes(self, cost: int) -> Iterator[MultiPodRepair | None]:
        simulation = _without_other_pending(self._simulation, self.keys)
        steps = add_nodes_stepwise(simulation, [Group(node) for node in nodes_by_shape(simulation.cluster.store)])
        while True:
            try:
                next(steps)
            except StopIteration as end:
                added: Addition = end.value
                break
            yield None
        if added.nodes and not added.pending:
            create: Command = {"kind": "create", "objects": added_manifests(self._simulation, added)}
            trial = fork(self._simulation)
            list(trial.apply(create))
            self._run(trial)
            # Other pending pods may use the new nodes first; then these nodes are not enough.
            if not self._pending(trial):
                repair = self._describe_repair(trial, frozenset(), cost * sum(added.nodes.values()), [create], [])
                repair.nodes = dict(added.nodes)
                yield repair


def _cost_of(units: Sequence[TemplateEdit]) -> int:
    return sum(unit.edit.cost for unit in units)


def repair_many(
    simulation: Simulation,
    keys: Sequence[str],
    prices: Prices,
    clock: Callable[[], float],
    limits: Limits | None = None,
) -> Iterator[MultiPodRepair]:
    """Return repairs that place all pods, in order of cost; the ones that add nodes come last."""
    finder = MultiPodFinder(simulation, keys, prices, clock, limits)
    return (repair for repair in finder.steps() if repair is not None)


def _without_other_pending(simulation: Simulation, keys: Sequence[str]) -> Simulation:
    """Return a fork without the other pending pods, so that nodes are added for these pods only."""
    trial, wanted = fork(simulation), set(keys)
    others = [pod for pod in trial.cluster.store.list("Pod") if not pod.node_name and pod.key not in wanted]
    gone = [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name} for pod in others]
    if gone:
        for _ in trial.apply({"kind": "delete", "objects": gone}):
            pass
    return trial
