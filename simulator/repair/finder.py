"""Finder of repairs for one pod: each is verified, with its side effects and with the claim how cheap it is."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import TypedDict

from kube_objects.sentences import Data, Template
from scheduler_core.edits.costs import Prices
from scheduler_core.edits.edit import Edits, total_cost
from scheduler_core.edits.steps import Command
from simulator.repair.edit_lines import Claim, EditLine, ExplainedRepair
from simulator.repair.fallback_search import fallback_candidates
from simulator.repair.prover import Prover, SideEffect
from simulator.repair.search import NOTHING, Search, Tally, without_one
from simulator.simulation.simulation import Simulation

MINIMUM: Claim = "minimum"
MINIMAL: Claim = "minimal"
FOUND: Claim = "found"

# The fallback search starts if no repair was found after this many sets, or in this share of the time.
_FALLBACK_AFTER_SETS, _FALLBACK_AFTER_TIME = 300, 0.4

NO_POD = Template("there is no pod {pod}")
HAS_NODE = Template("{pod} runs on {node} already")
ENDED = Template("{pod} has ended, or is being deleted")
NO_PROFILE = Template("no profile has the pod's schedulerName, {name}")
ANYWAY = Template("nothing has to be changed: {pod} gets {node} when its turn comes")
IN_GROUP = Template("a pod group is being scheduled just now: ask when its cycle is over")
AT_PERMIT = Template("{pod} has been given a node and waits for its binding")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search: `results` repairs of different shapes, `seconds` of the clock, and `most_cost`."""

    results: int = 8
    seconds: float = 10.0
    most_cost: int | None = None


@dataclass(slots=True)
class Repair:
    """A verified set of edits with which the pod gets `node`.

    `claim`: `minimum` (no set costs less), `minimal` (no edit can be left out) or `found`. `whole` is true if the proof
    ran until nothing was left to schedule. `lines` are the edits in the order of their command lines.
    """

    edits: Edits
    cost: int
    node: str
    claim: Claim
    effects: list[SideEffect] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    inverse: list[Command] = field(default_factory=list)
    whole: bool = True
    lines: list[EditLine] = field(default_factory=list)

    def as_dict(self) -> ExplainedRepair:
        return {
            "edits": [line.as_dict() for line in self.lines],
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
class SearchOutcome:
    """Repairs found so far, with statistics; `why` is the reason if there is nothing to search for."""

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
            "searched": {
                "sets": tally.tried,
                "looks": tally.diagnoses,
                "nodes": tally.nodes,
                "unproven": self.not_proven,
            },
            "exhaustive": self.finished and tally.exhaustive,
            "why": self.why,
        }


class Finder:
    """A search for repairs of one pod; iterate over `find()` or `steps()`.

    `outcome` holds the results so far. The simulation does not change.
    """

    def __init__(
        self,
        simulation: Simulation,
        pod_key: str,
        prices: Prices,
        clock: Callable[[], float],
        limits: Limits | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.outcome = SearchOutcome(pod_key)
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
        """Return the repairs in order of cost, one of each shape."""
        return (repair for repair in self.steps() if repair is not None)

    def steps(self) -> Iterator[Repair | None]:
        """Yield the repairs in order of cost, and None after each search step without one, so that callers can pause.

        1. Return the reason if the pod needs no repair or cannot get one.
        2. Take the next candidate set from the search, or from the fallback search if the search takes too long.
        3. Remove edits that are not needed, and verify the rest in a fork.
        4. Claim `minimum` for the first cost found by an exhaustive search.
        5. Stop at the limits.
        """
        self.outcome.why = self._why_no_search()
        if self.outcome.why is not None:
            self.outcome.finished = True
            return
        limits, repairs = self._limits, self.outcome.repairs
        least_cost: int | None = None
        for candidate in self._candidates():
            if candidate is None:
                yield None
                continue
            if limits.most_cost is not None and candidate.cost > limits.most_cost:
                break
            repair = candidate if candidate.node else self._verify(candidate.edits)
            if repair is None or self._is_known(repair.edits):
                continue
            exhaustive = self.outcome.tally.exhaustive
            least_cost = repair.cost if least_cost is None and exhaustive else least_cost
            if exhaustive and repair.cost == least_cost:
                repair.claim = MINIMUM
            repairs.append(repair)
            self._shapes.append(_shape(repair.edits))
            yield repair
            if len(repairs) >= limits.results:
                break
        else:
            self.outcome.finished = not self.out_of_time()

    def _candidates(self) -> Iterator[Repair | None]:
        """Yield candidate repairs; one without a node still has to be verified.

        If the search finds nothing for long, the fallback search runs once. Its verified repair comes when the search's
        bound reaches its cost, or at the end.
        """
        search, has_fallback = self._search, False
        fallback: Repair | None = None
        for edits in search.candidates(self._is_known):
            if edits is not None:
                yield Repair(edits, total_cost(edits), "", FOUND)
                continue
            if not has_fallback and self._needs_fallback():
                has_fallback, fallback = True, (yield from self._fallback_repair())
            if fallback is not None and search.bound is not None and search.bound >= fallback.cost:
                yield fallback
                fallback = None
            yield None
        if fallback is not None:
            yield fallback

    def _needs_fallback(self) -> bool:
        too_long = self._clock() - self._began > self._limits.seconds * _FALLBACK_AFTER_TIME
        return not self.outcome.repairs and (too_long or self.outcome.tally.tried > _FALLBACK_AFTER_SETS)

    def _fallback_repair(self) -> Generator[None, None, Repair | None]:
        """Return the cheapest verified repair of the fallback search. Verify now, because time may run out later."""
        best: Repair | None = None
        for edits in fallback_candidates(self._search):
            if edits is None:
                yield None
            elif best is None or total_cost(edits) < best.cost:
                best = self._verify(edits) or best
        return best

    def _verify(self, edits: Edits) -> Repair | None:
        """Minimize the set and verify it.

        Return None if the proof fails, or if a repair of the same shape is known.
        """
        edits, minimal = self._minimize(edits)
        if self._is_known(edits):
            return None
        proof = self._prover.prove(edits)
        if proof.node is None:
            # Other pods may take the room; the search's bounds do not cover that.
            self.outcome.not_proven += 1
            self._search.tally.exhaustive = False
            self._not_proven.add(edits)
            if proof.works:
                self._search.try_first_in_queue(edits)
            return None
        cost, claim, plan = total_cost(edits), MINIMAL if minimal else FOUND, proof.plan
        return Repair(
            edits, cost, proof.node, claim, proof.effects, plan.commands, plan.inverse, proof.whole, proof.lines
        )

    def _why_no_search(self) -> Data | None:
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
            return NO_PROFILE(name=pod.scheduler_name)
        node = None if pod.node_name else self._prover.node_without_repair or self._node_without_event()
        return None if node is None else ANYWAY(pod=key, node=node)

    def _node_without_event(self) -> str | None:
        """Return the node of a pod that would be placed, but that no event activates before its next retry."""
        diagnosis = self._search.diagnose(NOTHING)
        return self._prover.prove(NOTHING).node if diagnosis is not None and diagnosis.node else None

    def _is_known(self, edits: Edits) -> bool:
        """Return True if a repair whose shape is part of this one's shape was found already."""
        shape = _shape(edits)
        return any(_is_part(known, shape) for known in self._shapes)

    def _minimize(self, edits: Edits) -> tuple[Edits, bool]:
        """Return the set without unnecessary edits, and True if it is certainly minimal."""
        if len(edits) == 1:
            empty = self._search.diagnose(NOTHING)
            return edits, empty is not None and not empty.places
        for fewer in without_one(edits):
            if self.out_of_time():
                return edits, False
            diagnosis = self._search.diagnose(fewer)
            if diagnosis is not None and diagnosis.places and fewer not in self._not_proven:
                return self._minimize(fewer)
        return edits, True


def _shape(edits: Edits) -> list[str]:
    return sorted(edit.shape for edit in edits)


def _is_part(known: list[str], shape: list[str]) -> bool:
    left = list(shape)
    for edit_shape in known:
        if edit_shape not in left:
            return False
        left.remove(edit_shape)
    return True
