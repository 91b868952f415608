"""What would make a pod fit: a search that is gone on with for a moment whenever it is asked about.

So no other question waits for it, and one that nobody asks about any more costs nothing.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, TypedDict

from playground.limits import REPAIR_RESULTS, REPAIR_SECONDS, REPAIR_SLICE_SECONDS
from playground.problems import Refused, of_found
from playground.questions.moments import Moment
from scheduler_core.edits.costs import CostsError, Prices, read_prices
from scheduler_core.repair.capacity import waiting
from scheduler_core.repair.finding import ExplainedSearch, Finder, Limits, Repair
from scheduler_core.repair.many import MOST_PODS, ExplainedManyRepair, ManyFinder, ManyRepair
from scheduler_core.repair.pod_templates import owner_named
from scheduler_core.sentences import say
from scheduler_core.simulation.fork import fork
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.text.problems import Problem


class ExplainedRepairs(ExplainedSearch):
    finished: bool
    seconds: float


class Running:
    """A search, and a clock that stands still while nobody asks about it."""

    def __init__(self, moment: Moment, pod: str, prices: Prices) -> None:
        self._worked = self._since = 0.0
        # A moment may be taken on to a later one.
        simulation = fork(moment.simulation)
        limits = Limits(REPAIR_RESULTS, REPAIR_SECONDS)
        self.finder = Finder(simulation, pod, prices, self._clock, limits)
        self._steps: Iterator[Repair | None] = self.finder.steps()
        self.ended = False

    def _clock(self) -> float:
        return self._worked + (time.perf_counter() - self._since if self._since else 0.0)

    def go_on(self, seconds: float) -> None:
        """Until something is found, or the time is over."""
        self._since = time.perf_counter()
        try:
            for found in self._steps:
                if found is not None or time.perf_counter() - self._since > seconds:
                    return
            self.ended = True
        finally:
            self._worked, self._since = self._clock(), 0.0

    def answer(self) -> ExplainedRepairs:
        return {**self.finder.outcome.as_dict(), "finished": self.ended, "seconds": round(self._worked, 3)}


def repairs(moment: Moment, arguments: Mapping[str, Any]) -> ExplainedRepairs:
    """What is known so far; `finished` says whether more may come when it is asked again."""
    prices = _prices(arguments)
    pod = arguments["pod"]
    key = f"repairs {pod} {json.dumps(prices.as_dict(), sort_keys=True)}"
    running: Running | None = moment.cache.get(key)
    if running is None:
        running = moment.cache[key] = Running(moment, pod, prices)
    if not running.ended:
        running.go_on(REPAIR_SLICE_SECONDS)
    return running.answer()


def _prices(arguments: Mapping[str, Any]) -> Prices:
    try:
        return read_prices(arguments["costs"], arguments["locks"])
    except CostsError as error:
        raise Refused([of_found(problem) for problem in error.problems]) from error


# Many pods at once


class ExplainedOwner(TypedDict):
    """Pods that wait: how many an owner has."""

    owner: str
    pods: int


class ExplainedMany(TypedDict):
    """`owners`: what may be asked about instead of all that wait."""

    pods: list[str]
    waiting: int
    owners: list[ExplainedOwner]
    repairs: list[ExplainedManyRepair]
    finished: bool
    seconds: float


class RunningForMany:
    """The same for many pods: those that match a pattern, or those of an owner."""

    def __init__(self, moment: Moment, arguments: Mapping[str, Any]) -> None:
        simulation = fork(moment.simulation)
        every = waiting(simulation)
        names = {key: owner_named(simulation, key) for key in every}
        self._waiting, self._owners = len(every), Counter(name for name in names.values() if name)
        pattern, owner = arguments["pods"], arguments["owner"]
        self._keys = [key for key in every if fnmatchcase(key, pattern) and owner in ("", names[key])]
        if len(self._keys) > MOST_PODS:
            rule = say("at most {n} pods are repaired at once", n=MOST_PODS)
            raise Refused([of_found(Problem("pods", pattern, rule))])
        self._worked = self._since = 0.0
        self._found: list[ManyRepair] = []
        self._steps = self._search(simulation, _prices(arguments))
        self.ended = False

    def _search(self, simulation: Simulation, prices: Prices) -> Iterator[ManyRepair | None]:
        if self._keys:
            limits = Limits(REPAIR_RESULTS, REPAIR_SECONDS)
            yield from ManyFinder(simulation, self._keys, prices, self._clock, limits).steps()

    def _clock(self) -> float:
        return self._worked + (time.perf_counter() - self._since if self._since else 0.0)

    def go_on(self, seconds: float) -> None:
        self._since = time.perf_counter()
        try:
            for found in self._steps:
                self._found += [found] if found is not None else []
                if time.perf_counter() - self._since > seconds:
                    return
            self.ended = True
        finally:
            self._worked, self._since = self._clock(), 0.0

    def answer(self) -> ExplainedMany:
        return {
            "pods": self._keys,
            "waiting": self._waiting,
            "owners": [{"owner": name, "pods": count} for name, count in sorted(self._owners.items())],
            "repairs": [found.as_dict() for found in self._found],
            "finished": self.ended,
            "seconds": round(self._worked, 3),
        }


def many(moment: Moment, arguments: Mapping[str, Any]) -> ExplainedMany:
    """As `repairs`, one for all of the pods."""
    key = f"repairs_many {json.dumps(arguments, sort_keys=True)}"
    running: RunningForMany | None = moment.cache.get(key)
    if running is None:
        running = moment.cache[key] = RunningForMany(moment, arguments)
    if not running.ended:
        running.go_on(REPAIR_SLICE_SECONDS)
    return running.answer()
