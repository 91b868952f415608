"""Capacity questions as series of simulations; each request continues its series for a short time.

So a long question delays no other, and a question costs nothing once its client stops asking.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, TypedDict

from kube_objects.node import Node
from kube_objects.sentences import say
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem
from playground.capacity import failure_search
from playground.limits import CAPACITY_COPIES, CAPACITY_NODES, CAPACITY_SLICE_SECONDS
from playground.problems import Refused, to_api_problem
from playground.questions.moments import Moment
from playground.questions.time_slices import TimeSlices
from playground.response_types import to_plain
from simulator.repair import capacity
from simulator.repair.node_shapes import nodes_by_shape
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation


class CapacityProgress(TypedDict):
    finished: bool
    seconds: float


class ExplainedCopies(CapacityProgress, capacity.CapacityAnswer):
    pass


class NodesSoFar(TypedDict):
    groups: list[str]
    runs: int
    addition: Annotated[capacity.Addition, "ExplainedAddition"] | None


class ExplainedNodesToAdd(CapacityProgress, NodesSoFar):
    pass


class DrainSoFar(TypedDict):
    drained: list[Annotated[capacity.Drained, "ExplainedDrained"]]
    of: int


class ExplainedDrainOrder(CapacityProgress, DrainSoFar):
    pass


SoFar = capacity.CapacityAnswer | NodesSoFar | DrainSoFar
# Yields the intermediate answer after each simulation.
Steps = Callable[[Simulation, Mapping[str, Any]], Iterator[SoFar]]


class CapacitySearch:
    """A question in progress; `answer` returns the intermediate result."""

    def __init__(self, simulation: Simulation, steps: Steps, arguments: Mapping[str, Any]) -> None:
        self._slices: TimeSlices[SoFar] = TimeSlices()
        # Another request may move the moment to a later record, so the search works on a fork.
        trial = fork(simulation)
        trial.pulse = self._slices.pulse
        answers = steps(trial, arguments)
        self._known = next(answers)
        self._slices.begin(answers)

    @property
    def ended(self) -> bool:
        return self._slices.ended

    def advance(self, seconds: float) -> None:
        if found := self._slices.advance(seconds):
            self._known = found[-1]

    def answer(self) -> dict[str, Any]:
        """Return the JSON-ready answer."""
        progress: CapacityProgress = {"finished": self.ended, "seconds": round(self._slices.worked, 3)}
        return {**to_plain(self._known), **progress}


def copies(simulation: Simulation, wanted: Mapping[str, Any]) -> Iterator[capacity.CapacityAnswer]:
    pod = simulation.cluster.find_pod(wanted["pod"])
    if pod is None:
        raise _missing("pod", wanted["pod"], "Pod")
    for found in capacity.copy_steps(simulation, manifest_of(pod), CAPACITY_COPIES):
        yield found.as_dict()


def nodes(simulation: Simulation, wanted: Mapping[str, Any]) -> Iterator[NodesSoFar]:
    groups = []
    for name, price in wanted["groups"].items():
        node = simulation.cluster.store.get("Node", name)
        if not isinstance(node, Node):
            raise _missing(f"groups.{name}", name, "Node")
        groups.append(capacity.Group(node, price))
    steps = capacity.add_nodes_stepwise(simulation, groups or None, CAPACITY_NODES)
    names = [group.node.name for group in groups] or [node.name for node in nodes_by_shape(simulation.cluster.store)]
    runs = 0
    while True:
        yield {"groups": names, "runs": runs, "addition": None}
        try:
            next(steps)
        except StopIteration as end:
            yield {"groups": names, "runs": runs, "addition": end.value}
            return
        runs += 1


def drain(simulation: Simulation, wanted: Mapping[str, Any]) -> Iterator[DrainSoFar]:
    rows: list[capacity.Drained] = []
    total = len(simulation.cluster.cache.table)
    yield {"drained": [], "of": total}
    for drained in capacity.drainable_nodes(simulation):
        rows.append(drained)
        yield {"drained": list(rows), "of": total}


def _missing(path: str, value: Any, kind: str) -> Refused:
    return Refused([to_api_problem(Problem(path, value, say("no such {kind}", kind=kind)))], 404)


def answer_slice(name: str, steps: Steps) -> Callable[[Moment, Mapping[str, Any]], dict[str, Any]]:
    """Return the engine's handler of a capacity question, which answers with the intermediate result."""

    def question(moment: Moment, arguments: Mapping[str, Any]) -> dict[str, Any]:
        key = f"{name} {json.dumps(arguments, sort_keys=True)}"
        running: CapacitySearch | None = moment.cache.get(key)
        if running is None:
            running = moment.cache[key] = CapacitySearch(moment.simulation, steps, arguments)
        if not running.ended:
            running.advance(CAPACITY_SLICE_SECONDS)
        return running.answer()

    return question


QUESTIONS = {
    f"capacity_{name}": answer_slice(f"capacity {name}", steps)
    for name, steps in (("copies", copies), ("nodes", nodes), ("drain", drain))
} | {"capacity_failures": failure_search.answer_failures}
