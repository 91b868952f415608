"""What breaks if nodes fail: a moment of it by the worker that is asked, the rest by all of them."""

import secrets
import time
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypedDict

from playground.capacity.shared import Shared
from playground.engine import workers
from playground.engine.wake import MOST_AT_ONCE, wake_for_failures
from playground.limits import CAPACITY_SLICE_SECONDS
from playground.questions.moments import Moment
from playground.questions.slices import Slices
from playground.shapes import plain
from simulator.repair import capacity
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation


class ExplainedFailures(TypedDict):
    """`helpers`: how many workers have had a part in it, besides the one that answers questions."""

    finished: bool
    seconds: float
    failures: list[Annotated[capacity.Failure, "ExplainedFailure"]]
    of: int
    keys: list[str]
    helpers: int


class _TooLongError(Exception):
    """What is begun here is left to a worker."""


class Running:
    """One question that is asked again until it is finished. Small clusters are done before anybody comes to help."""

    def __init__(self, cluster_id: int, simulation: Simulation, by: str) -> None:
        self.key = secrets.token_hex(8)
        self._about = {"cluster": cluster_id, "seq": simulation.seq, "by": by}
        self._began = self._ended = time.monotonic()
        self._domains = list(capacity.domains_of(simulation, by or None))
        # Pending Pods are tried first, which may take long.
        self._slices: Slices[capacity.FailureSimulation] = Slices()
        trial = fork(simulation)
        trial.pulse = self._slices.pulse
        self._slices.begin(_made(trial, by or None))
        self._failing: capacity.FailureSimulation | None = None
        self._keys = _keys(simulation)
        self._known: dict[str, Mapping[str, Any]] = {}
        self._helpers: set[str] = set()
        self._is_new = True

    @property
    def ended(self) -> bool:
        return len(self._known) == len(self._domains)

    def go_on(self, seconds: float) -> None:
        if self._failing is None:
            if not (made := self._slices.go_on(seconds)):
                self._ended = time.monotonic()
                return
            self._failing = made[0]
        with workers.connect() as broker:
            shared = Shared(broker, self.key)
            left, at_work = shared.ask(self._about, [one for one in self._domains if one not in self._known])
            if not self._is_new:
                wake_for_failures(self.key, min(left, MOST_AT_ONCE - at_work))
            if not at_work:
                self._do_some(shared, seconds, bool(workers.alive(broker)))
            for helper, row in shared.news(seconds if at_work else 0):
                self._known[row["what"]] = row
                self._helpers.add(helper)
        self._is_new, self._ended = False, time.monotonic()

    def _do_some(self, shared: Shared, seconds: float, may_leave: bool) -> None:
        """Where others are there to do it, a failure of many pods is left to them: here other questions wait for it."""
        failing, until = self._failing, time.monotonic() + seconds
        assert failing is not None

        def look() -> None:
            if may_leave and time.monotonic() > until:
                raise _TooLongError

        while time.monotonic() < until and (value := shared.take()) is not None:
            try:
                self._known[value] = plain(failing.once(value, look))
            except _TooLongError:
                shared.give_back(value)

    def answer(self) -> dict[str, Any]:
        """JSON-ready; in the order of the values."""
        return {
            "finished": self.ended,
            "seconds": round(self._ended - self._began, 3),
            "failures": [self._known[value] for value in self._domains if value in self._known],
            "of": len(self._domains),
            "keys": self._keys,
            "helpers": len(self._helpers),
        }


def _made(simulation: Simulation, by: str | None) -> Iterator[capacity.FailureSimulation]:
    yield capacity.FailureSimulation(simulation, by)


def failures(moment: Moment, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """As far as it is known."""
    by = arguments["by"]
    name = f"capacity failures {by}"
    running: Running | None = moment.cache.get(name)
    if running is None:
        # A moment may be taken on to a later one.
        running = moment.cache[name] = Running(moment.cluster_id, moment.simulation, by)
    if not running.ended:
        running.go_on(CAPACITY_SLICE_SECONDS)
    return running.answer()


def _keys(simulation: Simulation) -> list[str]:
    """The labels that nodes have in common: by more than one value, and by fewer than there are nodes."""
    values: dict[str, set[str]] = {}
    found = simulation.cluster.store.list("Node")
    for node in found:
        for key, value in node.labels.items():
            values.setdefault(key, set()).add(value)
    return sorted(key for key, own in values.items() if 1 < len(own) < len(found))
