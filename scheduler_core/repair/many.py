"""One repair for many pods: the template's change that lets all of them in, or the nodes that do.

What helps the first of them is tried for all: an edit of the pod becomes one of each, and costs once, as their template
is changed once. Each is proven by running all of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edits, Ref, cost_of, in_order
from scheduler_core.repair.capacity import Addition, add_nodes
from scheduler_core.repair.commands import Command, plan
from scheduler_core.repair.finding import Finder, Limits
from scheduler_core.repair.telling import told
from scheduler_core.repair.verify import MOST_ATTEMPTS, Effect, Prover, may_go_on
from scheduler_core.simulation.commands.command import CommandError
from scheduler_core.simulation.fork import fork, fork_anew
from scheduler_core.simulation.simulation import Simulation

MOST_PODS = 2_000


@dataclass(slots=True)
class ManyRepair:
    """`edits` are those of the first pod, which stand for all; or `nodes` are added. `placed`: pod → node."""

    edits: Edits
    cost: int
    placed: dict[str, str]
    nodes: dict[str, int] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            "edits": [told(edit) for edit in in_order(self.edits)],
            "nodes": self.nodes,
            "cost": self.cost,
            "placed": self.placed,
            "verified": True,
            "claim": "found",
            "side_effects": [effect.as_dict() for effect in self.effects],
            "commands": self.commands,
        }


def repair_many(
    simulation: Simulation,
    keys: Sequence[str],
    prices: Prices,
    clock: Callable[[], float],
    limits: Limits | None = None,
) -> Iterator[ManyRepair]:
    """Repairs that place all of the pods, the cheapest first; the nodes that would do come last. Nothing is written."""
    first = keys[0]
    finder = Finder(simulation, first, prices, clock, limits)
    prover = Prover(simulation, first, finder.out_of_time)
    for repair in finder.find():
        found = _tried(simulation, repair.edits, keys, prover)
        if found is not None:
            yield found
    cost = prices.of("add_node")
    if cost is not None:
        added = add_nodes(_only(simulation, keys))
        if not added.pending and added.nodes:
            yield _of_nodes(added, cost, keys)


def _of_nodes(added: Addition, cost: int, keys: Sequence[str]) -> ManyRepair:
    return ManyRepair(frozenset(), cost * sum(added.nodes.values()), dict.fromkeys(keys, ""), dict(added.nodes))


def _tried(simulation: Simulation, edits: Edits, keys: Sequence[str], prover: Prover) -> ManyRepair | None:
    """None where not all of them get a node, as the cluster is or when the scenario is played from its beginning."""
    whole = frozenset(each for key in keys for each in for_pod(edits, keys[0], key))
    trial = fork(simulation)
    try:
        made = plan(trial, whole, keys[0])
        made.carry_out(trial, keys[0])
    except CommandError:
        return None
    for run in (fork_anew(trial), trial):
        for _ in range(MOST_ATTEMPTS + len(keys)):
            if not may_go_on(run):
                break
            for _ in run.apply({"kind": "schedule_one"}):
                pass
        placed = {key: pod.node_name for key in keys if (pod := run.cluster.find_pod(key)) is not None}
        if len(placed) < len(keys) or not all(placed.values()):
            return None
    effects = prover.effects_of(trial, {*keys, *(edit.of.key for edit in whole)})
    return ManyRepair(edits, cost_of(edits), placed, {}, effects, made.commands)


def for_pod(edits: Edits, first: str, key: str) -> Edits:
    """The edits that another pod of the same template needs: its own, and those of everything else."""
    namespace, name = key.split("/", 1)
    return frozenset(
        replace(edit, of=Ref("Pod", name, namespace)) if (edit.of.kind, edit.of.key) == ("Pod", first) else edit
        for edit in edits
    )


def _only(simulation: Simulation, keys: Sequence[str]) -> Simulation:
    """Without the other pods that wait: nodes are added for these."""
    trial, wanted = fork(simulation), set(keys)
    others = [pod for pod in trial.cluster.store.list("Pod") if not pod.node_name and pod.key not in wanted]
    gone = [{"kind": "Pod", "namespace": pod.namespace, "name": pod.name} for pod in others]
    if gone:
        for _ in trial.apply({"kind": "delete", "objects": gone}):
            pass
    return trial
