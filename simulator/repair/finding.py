"""Repairs of one pod, as they are found: each proven, minimal and minimum kept apart, with what it does to others."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import TypedDict

from kube_objects.sentences import Data, Template
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edits, cost_of
from scheduler_core.edits.steps import Command
from simulator.repair.line import Line
from simulator.repair.rescue import rescued
from simulator.repair.search import NOTHING, Search, Tally, without_one
from simulator.repair.telling import Claim, ExplainedRepair, explained
from simulator.repair.verify import Effect, Prover
from simulator.simulation.simulation import Simulation

MINIMUM: Claim = "minimum"
MINIMAL: Claim = "minimal"
FOUND: Claim = "found"

# A search that has tried so many sets, or worked for such a part of its time, and found nothing.
_MANY_SETS, _LONG = 300, 0.4

NO_POD = Template("there is no pod {pod}")
HAS_NODE = Template("{pod} runs on {node} already")
ENDED = Template("{pod} has ended, or is being deleted")
NOBODYS = Template("no profile has the pod's schedulerName, {name}")
ANYWAY = Template("nothing has to be changed: {pod} gets {node} when its turn comes")
IN_GROUP = Template("a pod group is being scheduled just now: ask when its cycle is over")
AT_PERMIT = Template("{pod} has been given a node and waits for its binding")


@dataclass(frozen=True, slots=True)
class Limits:
    """When a search ends: `results` that differ in kind, `seconds` on the clock that it is given."""

    results: int = 8
    seconds: float = 10.0
    most_cost: int | None = None


@dataclass(slots=True)
class Repair:
    """`claim`: `minimum` (nothing of the catalogue costs less), `minimal` (no edit can be left out) or `found`.

    `whole`: the proof went on until nothing was left to schedule. `lines`: the edits in the order of their lines.
    """

    edits: Edits
    cost: int
    node: str
    claim: Claim
    effects: list[Effect] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)
    whole: bool = True
    lines: list[Line] = field(default_factory=list)

    def as_dict(self) -> ExplainedRepair:
        return {
            "edits": [explained(line) for line in self.lines],
            "cost": self.cost,
            "node": self.node,
            "verified": True,
            "claim": self.claim,
            "side_effects": [effect.as_dict() for effect in self.effects],
            "commands": self.commands,
            "inverse": self.inverse,
        }


class ExplainedSearch(TypedDict):
    pod: str
    repairs: list[ExplainedRepair]
    searched: dict[str, int]
    exhaustive: bool
    why: Data | None


@dataclass(slots=True)
class Outcome:
    """`why` is set where there is nothing to search for."""

    pod: str
    repairs: list[Repair] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    finished: bool = False
    why: Data | None = None
    not_proven: int = 0

    def as_dict(self) -> ExplainedSearch:
        tally = self.tally
        return {
            "pod": self.pod,
            "repairs": [repair.as_dict() for repair in self.repairs],
            "searched": {"sets": tally.tried, "looks": tally.looks, "nodes": tally.nodes, "unproven": self.not_proven},
            "exhaustive": self.finished and tally.exhaustive,
            "why": self.why,
        }


class Finder:
    """Iterate over `find()`; `outcome` has what is known so far. Nothing is written to the simulation."""

    def __init__(
        self,
        simulation: Simulation,
        pod_key: str,
        prices: Prices,
        clock: Callable[[], float],
        limits: Limits | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.outcome = Outcome(pod_key)
        self._simulation, self._prices = simulation, prices
        self._limits = limits or Limits()
        self._clock, self._began, self._stopped = clock, clock(), stopped
        self._search = Search(simulation, pod_key, prices, self.out_of_time, self.outcome.tally)
        self._prover = Prover(simulation, [pod_key], self.out_of_time)
        self._shapes: list[list[str]] = []
        self._not_proven: set[Edits] = set()

    def out_of_time(self) -> bool:
        return self._stopped() or self._clock() - self._began > self._limits.seconds

    def find(self) -> Iterator[Repair]:
        """The cheapest first; one of each shape."""
        return (repair for repair in self.steps() if repair is not None)

    def steps(self) -> Iterator[Repair | None]:
        """The same, with None after each step of the search that found nothing: it may be gone on with later."""
        self.outcome.why = self._why_not()
        if self.outcome.why is not None:
            self.outcome.finished = True
            return
        limits, found = self._limits, self.outcome.repairs
        least: int | None = None
        for candidate in self._candidates():
            if candidate is None:
                yield None
                continue
            if limits.most_cost is not None and candidate.cost > limits.most_cost:
                break
            repair = candidate if candidate.node else self._proven(candidate.edits)
            if repair is None or self._is_known(repair.edits):
                continue
            exhaustive = self.outcome.tally.exhaustive
            least = repair.cost if least is None and exhaustive else least
            if exhaustive and repair.cost == least:
                repair.claim = MINIMUM
            found.append(repair)
            self._shapes.append(_shape(repair.edits))
            yield repair
            if len(found) >= limits.results:
                break
        else:
            self.outcome.finished = not self.out_of_time()

    def _candidates(self) -> Iterator[Repair | None]:
        """What the search comes to, without a node as long as it is not proven.

        Where it finds nothing for long, what is sure is looked for, too: it comes once nothing costs less, or when the
        time is over.
        """
        search, has_sure = self._search, False
        sure: Repair | None = None
        for edits in search.candidates(self._is_known):
            if edits is not None:
                yield Repair(edits, cost_of(edits), "", FOUND)
                continue
            if not has_sure and self._takes_long():
                has_sure, sure = True, (yield from self._sure())
            if sure is not None and search.bound is not None and search.bound >= sure.cost:
                yield sure
                sure = None
            yield None
        if sure is not None:
            yield sure

    def _takes_long(self) -> bool:
        too_long = self._clock() - self._began > self._limits.seconds * _LONG
        return not self.outcome.repairs and (too_long or self.outcome.tally.tried > _MANY_SETS)

    def _sure(self) -> Generator[None, None, Repair | None]:
        """The cheapest of what is sure, proven now: later there may be no time."""
        best: Repair | None = None
        for edits in rescued(self._search):
            if edits is None:
                yield None
            elif best is None or cost_of(edits) < best.cost:
                best = self._proven(edits) or best
        return best

    def _proven(self, edits: Edits) -> Repair | None:
        """With as few of the edits as do; None where it is not proven, or others like it are known."""
        edits, minimal = self._smaller(edits)
        if self._is_known(edits):
            return None
        proof = self._prover.prove(edits)
        if proof.node is None:
            # Others take the place that was made: then no bound of the search says anything of that.
            self.outcome.not_proven += 1
            self._search.tally.exhaustive = False
            self._not_proven.add(edits)
            if proof.works:
                self._search.come_first(edits)
            return None
        cost, claim, done = cost_of(edits), MINIMAL if minimal else FOUND, proof.plan
        return Repair(
            edits, cost, proof.node, claim, proof.effects, done.commands, done.inverse, proof.whole, proof.lines
        )

    def _why_not(self) -> Data | None:
        cluster, key = self._simulation.cluster, self.outcome.pod
        pod = cluster.find_pod(key)
        if pod is None:
            return NO_POD(pod=key)
        if pod.finished or pod.terminating:
            return ENDED(pod=key)
        if pod.node_name and cluster.store.get("Node", pod.node_name) is not None:
            return HAS_NODE(pod=key, node=pod.node_name)
        if cluster.group is not None:
            return IN_GROUP()
        if cluster.cache.is_assumed(pod.uid):
            return AT_PERMIT(pod=key)
        if pod.scheduler_name not in cluster.scheduler.frameworks:
            return NOBODYS(name=pod.scheduler_name)
        node = None if pod.node_name else self._prover.anyway or self._fits_unnoticed()
        return None if node is None else ANYWAY(pod=key, node=node)

    def _fits_unnoticed(self) -> str | None:
        """The node of a pod that no event wakes, though it would be placed: it is tried again after a while."""
        met = self._search.look(NOTHING)
        return self._prover.prove(NOTHING).node if met is not None and met.node else None

    def _is_known(self, edits: Edits) -> bool:
        """Others like it, or a part of it, are found already."""
        shape = _shape(edits)
        return any(_is_part(known, shape) for known in self._shapes)

    def _smaller(self, edits: Edits) -> tuple[Edits, bool]:
        """The set without what it can do without, and whether that is sure."""
        if len(edits) == 1:
            empty = self._search.look(NOTHING)
            return edits, empty is not None and not empty.places
        for fewer in without_one(edits):
            if self.out_of_time():
                return edits, False
            look = self._search.look(fewer)
            if look is not None and look.places and fewer not in self._not_proven:
                return self._smaller(fewer)
        return edits, True


def _shape(edits: Edits) -> list[str]:
    return sorted(edit.shape for edit in edits)


def _is_part(known: list[str], shape: list[str]) -> bool:
    left = list(shape)
    for one in known:
        if one not in left:
            return False
        left.remove(one)
    return True
