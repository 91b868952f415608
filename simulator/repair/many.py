"""One repair for many pods: changes of their templates and of nodes that let all of them in, or the nodes that do.

What helps the first of a template is tried for all of its pods: an edit of the pod becomes one of each, and costs once,
as their template is changed once. Each answer is proven by running all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edit, Edits, Ref, in_order
from scheduler_core.edits.steps import Command
from simulator.repair.capacity import Addition, Group, added_manifests, adding
from simulator.repair.commands import plan
from simulator.repair.finding import FOUND, MINIMAL, MINIMUM, Finder, Limits
from simulator.repair.line import Line
from simulator.repair.pod_templates import by_template
from simulator.repair.search import Search
from simulator.repair.shapes import shapes
from simulator.repair.telling import Claim, ExplainedEdit, ExplainedSideEffect, explained
from simulator.repair.verify import MOST_ATTEMPTS, Effect, Prover, may_go_on
from simulator.simulation.commands.command import CommandError
from simulator.simulation.fork import fork, fork_anew
from simulator.simulation.simulation import Simulation

MOST_PODS = 2_000
# Changes that are put together one after the other, and repairs of a pod that are tried for each.
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
class Unit:
    """One change: an edit of the pod `first` stands for those of all `pods` of its template."""

    edit: Edit
    first: str = ""
    pods: tuple[str, ...] = ()

    def edits(self) -> Iterator[Edit]:
        for key in self.pods or ("",):
            namespace, _, name = key.partition("/")
            yield replace(self.edit, of=Ref("Pod", name, namespace)) if key else self.edit


@dataclass(slots=True)
class ManyRepair:
    """`edits` are those of the first pod of each template, which stand for all; or `nodes` are added. `placed`: pod →
    node.
    """

    edits: Edits
    cost: int
    placed: dict[str, str]
    claim: Claim = FOUND
    nodes: dict[str, int] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    def as_dict(self) -> ExplainedManyRepair:
        return {
            "edits": [explained(line) for line in self.lines],
            "nodes": self.nodes,
            "cost": self.cost,
            "placed": self.placed,
            "verified": True,
            "claim": self.claim,
            "side_effects": [effect.as_dict() for effect in self.effects],
            "commands": self.commands,
            "inverse": self.inverse,
        }


class ManyFinder:
    """Iterate over `steps()`. Nothing is written to the simulation."""

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
        self._alike = by_template(simulation, self.keys)

    def steps(self) -> Iterator[ManyRepair | None]:
        """The cheapest first, the nodes that would do last; None after each step that found nothing."""
        found = False
        for repair in self._finder.steps() if len(set(self._alike.values())) == 1 else ():
            done = None if repair is None else self._smaller(self._units(repair.edits, self.keys[0]))
            if done is not None and repair is not None:
                found = True
                done.claim = MINIMUM if repair.claim == MINIMUM and self._stands_alone() else done.claim
            yield done
        if not found:
            yield from self._step_by_step()
        cost = self._prices.of("add_node")
        if cost is not None:
            yield from self._nodes(cost)

    def _units(self, edits: Edits, first: str) -> list[Unit]:
        alike = tuple(key for key in self.keys if self._alike[key] == self._alike[first])
        namespace, _, name = alike[0].partition("/")
        return [
            Unit(replace(edit, of=Ref("Pod", name, namespace)), alike[0], alike)
            if (edit.of.kind, edit.of.key) == ("Pod", first)
            else Unit(edit)
            for edit in in_order(edits)
        ]

    def _stands_alone(self) -> bool:
        """Nothing that is done for the others could help the first: what it needs at least, all need at least."""
        pod = self._simulation.cluster.find_pod(self.keys[0])
        near = pod is not None and (pod.pod_affinity or pod.spread_constraints or pod.scheduling_group)
        return pod is not None and not near

    def _smaller(self, units: list[Unit]) -> ManyRepair | None:
        """Without what it can do without; None where not all pods get a node."""
        found = self._tried(units)
        if found is None:
            return None
        for unit in sorted(units, key=lambda one: -one.edit.cost) if len(units) > 1 else ():
            if self._finder.out_of_time():
                return found
            fewer = self._smaller([one for one in units if one is not unit])
            if fewer is not None:
                return fewer
        found.claim = MINIMAL
        return found

    def _tried(self, units: Sequence[Unit]) -> ManyRepair | None:
        """Run as the cluster is, and as if the scenario was played from its beginning."""
        whole = frozenset(edit for unit in units for edit in unit.edits())
        trial = fork(self._simulation)
        try:
            made = plan(trial, whole, self.keys[0])
            made.carry_out(trial, self.keys[0])
        except (CommandError, LookupError, TypeError):
            return None  # another template is not as the first one is
        for run in (fork_anew(trial), trial):
            self._run(run)
            if self._waiting(run):
                return None
        edits = frozenset(unit.edit for unit in units)
        lines = self._lines(units)
        if lines is None:
            return None
        touched = {edit.of.key for edit in whole}
        found = self._done(trial, edits, _cost_of(units), made.commands, made.inverse, touched)
        found.lines = lines
        return found

    def _lines(self, units: Sequence[Unit]) -> list[Line] | None:
        """One line for each template, as long as it is there; else one for each pod. None where they do not work."""
        alike = {unit.first: unit.pods for unit in units if unit.first}
        return self._prover.lines_that_work(frozenset(unit.edit for unit in units), alike)

    def _done(
        self,
        trial: Simulation,
        edits: Edits,
        cost: int,
        commands: list[Command],
        inverse: list[Command],
        touched: AbstractSet[str] = frozenset(),
    ) -> ManyRepair:
        """All of them have their nodes in the trial."""
        placed = {key: pod.node_name for key in self.keys if (pod := trial.cluster.find_pod(key)) is not None}
        effects = self._prover.effects_of(trial, {*self.keys, *touched})
        undone = self._prover.all_undone(trial, inverse)
        return ManyRepair(edits, cost, placed, FOUND, effects=effects, commands=commands, inverse=undone)

    def _run(self, run: Simulation) -> None:
        for _ in range(MOST_ATTEMPTS + len(self.keys)):
            if not may_go_on(run):
                break
            for _ in run.apply({"kind": "schedule_one"}):
                pass

    def _waiting(self, run: Simulation) -> list[str]:
        pods = ((key, run.cluster.find_pod(key)) for key in self.keys)
        return [key for key, pod in pods if pod is None or not pod.node_name]

    def _step_by_step(self) -> Iterator[ManyRepair | None]:
        """What one change does not do, several may: each time the one after which the fewest wait."""
        units: list[Unit] = []
        left = self.keys
        for _ in range(_MOST_ROUNDS):
            trial = self._with(units)
            left = self._waiting(trial) if trial is not None else []
            if trial is None or not left or self._finder.out_of_time():
                break
            best: tuple[int, int, list[Unit]] | None = None
            # Whichever of them gets the room that is made: no proof for this one is asked for.
            search = Search(trial, left[0], self._prices, self._finder.out_of_time)
            tried = 0
            for edits in search.candidates(lambda edits: False):
                yield None
                if edits is None:
                    continue
                more = [*units, *(one for one in self._units(edits, left[0]) if one not in units)]
                after = self._with(more)
                rank = (len(self._waiting(after)), _cost_of(more)) if after is not None else None
                if rank is not None and rank[0] < len(left) and (best is None or rank < best[:2]):
                    best = (*rank, more)
                tried += 1
                if tried == _MOST_TRIED:
                    break
            if best is None:
                return
            units = best[2]
        if units and not left:
            yield self._smaller(units)

    def _with(self, units: Sequence[Unit]) -> Simulation | None:
        trial = fork(self._simulation)
        try:
            plan(trial, frozenset(edit for unit in units for edit in unit.edits()), self.keys[0]).carry_out(
                trial, self.keys[0]
            )
        except (CommandError, LookupError, TypeError):
            return None
        self._run(trial)
        return trial

    def _nodes(self, cost: int) -> Iterator[ManyRepair | None]:
        simulation = _only(self._simulation, self.keys)
        steps = adding(simulation, [Group(node) for node in shapes(simulation.cluster.store)])
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
            # Others that wait may come first: then these nodes are not enough.
            if not self._waiting(trial):
                found = self._done(trial, frozenset(), cost * sum(added.nodes.values()), [create], [])
                found.nodes = dict(added.nodes)
                yield found


def _cost_of(units: Sequence[Unit]) -> int:
    return sum(unit.edit.cost for unit in units)


def repair_many(
    simulation: Simulation,
    keys: Sequence[str],
    prices: Prices,
    clock: Callable[[], float],
    limits: Limits | None = None,
) -> Iterator[ManyRepair]:
    """Repairs that place all of the pods, the cheapest first; the nodes that would do come last."""
    finder = ManyFinder(simulation, keys, prices, clock, limits)
    return (found for found in finder.steps() if found is not None)


def _only(simulation: Simulation, keys: Sequence[str]) -> Simulation:
    """Without the other pods that wait: nodes are added for these."""
    trial, wanted = fork(simulation), set(keys)
    others = [pod for pod in trial.cluster.store.list("Pod") if not pod.node_name and pod.key not in wanted]
    gone = [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name} for pod in others]
    if gone:
        for _ in trial.apply({"kind": "delete", "objects": gone}):
            pass
    return trial
