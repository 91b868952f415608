"""What would make a pod fit: a search that is gone on with for a moment whenever it is asked about.

So no other question waits for it, and one that nobody asks about any more costs nothing.
"""

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from playground.limits import REPAIR_RESULTS, REPAIR_SECONDS, REPAIR_SLICE_SECONDS
from playground.problems import Refused, of_found
from playground.questions.moments import Moment
from scheduler_core.edits.costs import CostsError, Prices, read_prices
from scheduler_core.repair.finding import ExplainedSearch, Finder, Limits, Repair
from scheduler_core.simulation.fork import fork


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

    def told(self) -> ExplainedRepairs:
        return {**self.finder.outcome.as_dict(), "finished": self.ended, "seconds": round(self._worked, 3)}


def repairs(moment: Moment, arguments: Mapping[str, Any]) -> ExplainedRepairs:
    """What is known so far; `finished` says whether more may come when it is asked again."""
    try:
        prices = read_prices(arguments["costs"], arguments["locks"])
    except CostsError as error:
        raise Refused([of_found(problem) for problem in error.problems]) from error
    pod = arguments["pod"]
    key = f"repairs {pod} {json.dumps(prices.as_dict(), sort_keys=True)}"
    running: Running | None = moment.cache.get(key)
    if running is None:
        running = moment.cache[key] = Running(moment, pod, prices)
    if not running.ended:
        running.go_on(REPAIR_SLICE_SECONDS)
    return running.told()
