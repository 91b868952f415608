"""The search for Pods that find no Node when Nodes fail. One worker starts it, and several workers share it."""

import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypedDict

from playground.capacity.shared_search import Shared
from playground.engine import workers
from playground.engine.triggers import MOST_TRIGGERS, trigger_failure_analysis
from playground.limits import CAPACITY_SLICE_SECONDS
from playground.questions.moments import Moment
from playground.questions.time_slices import TimeSlices
from playground.response_types import to_plain
from simulator.repair import capacity
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation


class ExplainedFailures(TypedDict):
    """The failures found so far. `helpers` is the number of workers that helped the one that answers questions."""

    finished: bool
    seconds: float
    failures: list[Annotated[capacity.Failure, "ExplainedFailure"]]
    of: int
    keys: list[str]
    helpers: int


class _TooLongError(Exception):
    """The time of this worker is up; another one takes the value."""


class FailureSearch:
    """A search that continues with every request until it is finished. Small clusters finish before a helper starts."""

    def __init__(self, cluster_id: int, simulation: Simulation, by: str) -> None:
        self.key = secrets.token_hex(8)
        self._about = {"cluster": cluster_id, "seq": simulation.seq, "by": by}
        self._began = self._ended = time.monotonic()
        self._domains = list(capacity.domains_of(simulation, by or None))
        # Schedules the pending Pods first, which may take long.
        self._slices: TimeSlices[capacity.FailureSimulation] = TimeSlices()
        trial = fork(simulation)
        trial.pulse = self._slices.pulse
        self._slices.begin(_ready_results(trial, by or None))
        self._failing: capacity.FailureSimulation | None = None
        self._keys = _keys(simulation)
        self._results: dict[str, Mapping[str, Any]] = {}
        self._helpers: set[str] = set()
        self._is_new = True

    @property
    def ended(self) -> bool:
        return len(self._results) == len(self._domains)

    def advance(self, seconds: float) -> None:
        if self._failing is None:
            if not (ready := self._slices.advance(seconds)):
                self._ended = time.monotonic()
                return
            self._failing = ready[0]
        with workers.connect() as broker:
            shared = Shared(broker, self.key)
            left, at_work = shared.keep_alive(
                self._about, [domain for domain in self._domains if domain not in self._results]
            )
            if not self._is_new:
                trigger_failure_analysis(self.key, min(left, MOST_TRIGGERS - at_work))
            if not at_work:
                self._simulate_some(shared, seconds, bool(workers.list_alive(broker)))
            for helper, row in shared.pop_results(seconds if at_work else 0):
                self._results[row["what"]] = row
                self._helpers.add(helper)
        self._is_new, self._ended = False, time.monotonic()

    def _simulate_some(self, shared: Shared, seconds: float, may_leave: bool) -> None:
        """Simulate failures until the time is up. If helpers can take over, give back a failure that takes longer."""
        failing, until = self._failing, time.monotonic() + seconds
        assert failing is not None

        def stop_when_late() -> None:
            if may_leave and time.monotonic() > until:
                raise _TooLongError

        while time.monotonic() < until and (value := shared.take_value()) is not None:
            try:
                self._results[value] = to_plain(failing.once(value, stop_when_late))
            except _TooLongError:
                shared.give_back(value)

    def answer(self) -> dict[str, Any]:
        """Return the JSON-ready answer, in the order of the values."""
        return {
            "finished": self.ended,
            "seconds": round(self._ended - self._began, 3),
            "failures": [self._results[value] for value in self._domains if value in self._results],
            "of": len(self._domains),
            "keys": self._keys,
            "helpers": len(self._helpers),
        }


def _ready_results(simulation: Simulation, by: str | None) -> Iterator[capacity.FailureSimulation]:
    yield capacity.FailureSimulation(simulation, by)


def answer_failures(moment: Moment, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the failures that are known so far."""
    by = arguments["by"]
    name = f"capacity failures {by}"
    running: FailureSearch | None = moment.cache.get(name)
    if running is None:
        # Another request may move the moment to a later record, so the search works on a fork.
        running = moment.cache[name] = FailureSearch(moment.cluster_id, moment.simulation, by)
    if not running.ended:
        running.advance(CAPACITY_SLICE_SECONDS)
    return running.answer()


def _keys(simulation: Simulation) -> list[str]:
    """Return the label keys that group Nodes: more than one value, and fewer values than Nodes."""
    values: dict[str, set[str]] = {}
    nodes = simulation.cluster.store.list("Node")
    for node in nodes:
        for key, value in node.labels.items():
            values.setdefault(key, set()).add(value)
    return sorted(key for key, own in values.items() if 1 < len(own) < len(nodes))
