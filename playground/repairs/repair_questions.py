"""Searches for repairs; each request continues its search for a short time.

So a long search delays no other question, and it costs nothing once its client stops asking.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypedDict

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from playground.limits import REPAIR_RESULTS, REPAIR_SECONDS, REPAIR_SLICE_SECONDS
from playground.problems import Refused, to_api_problem
from playground.questions.moments import Moment
from playground.questions.time_slices import TimeSlices
from scheduler_core.edits.costs import CostsError, Prices, read_prices
from simulator.repair.capacity import pending_pods
from simulator.repair.finder import ExplainedSearch, Finder, Limits, Repair
from simulator.repair.multi_pod_finder import MOST_PODS, ExplainedManyRepair, MultiPodFinder, MultiPodRepair
from simulator.repair.pod_templates import template_owner
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation


class ExplainedRepairs(ExplainedSearch):
    finished: bool
    seconds: float


class RepairSearch:
    """A search for repairs, with a clock that runs only during requests."""

    def __init__(self, moment: Moment, pod: str, prices: Prices) -> None:
        self.slices: TimeSlices[Repair | None] = TimeSlices(pauses_after=lambda found: found is not None)
        simulation = _trial(moment, self.slices.pulse)
        limits = Limits(REPAIR_RESULTS, REPAIR_SECONDS)
        self.finder = Finder(simulation, pod, prices, self.slices.clock, limits)
        self.slices.begin(self.finder.steps())

    def answer(self) -> ExplainedRepairs:
        seconds = round(self.slices.worked, 3)
        return {**self.finder.outcome.as_dict(), "finished": self.slices.ended, "seconds": seconds}


def _trial(moment: Moment, pulse: Callable[[], None]) -> Simulation:
    """Return a fork of the moment's simulation, because another request may move the moment to a later record."""
    simulation = fork(moment.simulation)
    simulation.pulse = pulse
    return simulation


def answer_repairs(moment: Moment, arguments: Mapping[str, Any]) -> ExplainedRepairs:
    """Return the repairs that are known so far; `finished` says whether more may follow."""
    prices = _prices(arguments)
    pod = arguments["pod"]
    key = f"repairs {pod} {json.dumps(prices.as_dict(), sort_keys=True)}"
    running: RepairSearch | None = moment.cache.get(key)
    if running is None:
        running = moment.cache[key] = RepairSearch(moment, pod, prices)
    if not running.slices.ended:
        running.slices.advance(REPAIR_SLICE_SECONDS)
    return running.answer()


def _prices(arguments: Mapping[str, Any]) -> Prices:
    try:
        return read_prices(arguments["costs"], arguments["locks"])
    except CostsError as error:
        raise Refused([to_api_problem(problem) for problem in error.problems]) from error


# Repairs of many Pods at once


class ExplainedOwner(TypedDict):
    """An owner, and the number of its pending Pods."""

    owner: str
    pods: int


class ExplainedMany(TypedDict):
    """Repairs for many Pods. `owners` are the owners that the next request may select."""

    pods: list[str]
    waiting: int
    owners: list[ExplainedOwner]
    repairs: list[ExplainedManyRepair]
    finished: bool
    seconds: float


class MultiPodRepairSearch:
    """A search for repairs of many Pods: those that match a pattern, or those of an owner."""

    def __init__(self, moment: Moment, arguments: Mapping[str, Any]) -> None:
        self._slices: TimeSlices[MultiPodRepair | None] = TimeSlices()
        simulation = _trial(moment, self._slices.pulse)
        every = pending_pods(simulation)
        names = {key: template_owner(simulation, key) for key in every}
        self._waiting, self._owners = len(every), Counter(name for name in names.values() if name)
        pattern, owner = arguments["pods"], arguments["owner"]
        self._keys = [key for key in every if fnmatchcase(key, pattern) and owner in ("", names[key])]
        if len(self._keys) > MOST_PODS:
            rule = say("at most {n} Pods can be fixed at once", n=MOST_PODS)
            raise Refused([to_api_problem(Problem("pods", pattern, rule))])
        self._found: list[MultiPodRepair] = []
        self._slices.begin(_search(simulation, self._keys, _prices(arguments), self._slices.clock))

    @property
    def ended(self) -> bool:
        return self._slices.ended

    def advance(self, seconds: float) -> None:
        self._found += [found for found in self._slices.advance(seconds) if found is not None]

    def answer(self) -> ExplainedMany:
        return {
            "pods": self._keys,
            "waiting": self._waiting,
            "owners": [{"owner": name, "pods": count} for name, count in sorted(self._owners.items())],
            "repairs": [found.as_dict() for found in self._found],
            "finished": self.ended,
            "seconds": round(self._slices.worked, 3),
        }


def _search(
    simulation: Simulation, keys: list[str], prices: Prices, clock: Callable[[], float]
) -> Iterator[MultiPodRepair | None]:
    if keys:
        yield from MultiPodFinder(simulation, keys, prices, clock, Limits(REPAIR_RESULTS, REPAIR_SECONDS)).steps()


def answer_many_repairs(moment: Moment, arguments: Mapping[str, Any]) -> ExplainedMany:
    """Return repairs that fix all of these Pods at once, as `repairs` does for one."""
    key = f"repairs_many {json.dumps(arguments, sort_keys=True)}"
    running: MultiPodRepairSearch | None = moment.cache.get(key)
    if running is None:
        running = moment.cache[key] = MultiPodRepairSearch(moment, arguments)
    if not running.ended:
        running.advance(REPAIR_SLICE_SECONDS)
    return running.answer()
