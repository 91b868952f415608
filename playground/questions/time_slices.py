"""Run a long search in time slices, on a thread of its own and only while a client waits for its results.

The main thread of the process must be free for other users' questions after each slice.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from threading import Event, Semaphore, Thread, get_ident
from typing import Generic, TypeVar

from kube_objects.defects import EndsTheRun
from kube_objects.sentences import say
from playground.limits import ANSWER_SECONDS
from playground.problems import Refused, problem

Found = TypeVar("Found")

# A search that does not pause this long after its slice's end goes on beside other questions.
GRACE_SECONDS = 0.5
UNAVAILABLE = 503


class AbandonedError(EndsTheRun):
    """The end of a search whose client asks no more."""


class _SharedState(Generic[Found]):
    """The state that both threads share. It doesn't refer to `Slices`, whose end abandons the work."""

    def __init__(self) -> None:
        self.found: deque[Found] = deque()
        self.error: BaseException | None = None
        self.is_over = self.is_abandoned = False
        self.worked, self.since, self.until = 0.0, 0.0, 0.0
        self.worker = 0
        self.resting, self.going = Event(), Semaphore(0)
        self.resting.set()

    def pulse(self) -> None:
        """Rest when the slice is over, until the next one begins. Other threads than the search's go on."""
        if get_ident() == self.worker and time.perf_counter() > self.until:
            self.rest()

    def rest(self) -> None:
        if self.since:
            self.worked += time.perf_counter() - self.since
        self.resting.set()
        self.going.acquire()
        if self.is_abandoned:
            raise AbandonedError
        self.since = time.perf_counter()

    def clock(self) -> float:
        """Return the seconds that the search has worked; rest when the slice is over."""
        self.pulse()
        return self.worked + (time.perf_counter() - self.since if self.since else 0.0)


class TimeSlices(Generic[Found]):
    """A search in slices. Give its `pulse` or its `clock` to what works long: they are where it rests.

    `rests_after`: the finds after which a slice ends at once.
    """

    def __init__(self, rests_after: Callable[[Found], bool] = lambda found: False) -> None:
        self._state: _SharedState[Found] = _SharedState()
        self._rests_after = rests_after
        self.pulse, self.clock = self._state.pulse, self._state.clock
        self.ended = False

    def begin(self, steps: Iterator[Found]) -> None:
        """Take `steps` as the search. It makes no step before the first slice."""
        Thread(target=_run_search, args=(self._state, steps, self._rests_after), daemon=True).start()

    def advance(self, seconds: float) -> list[Found]:
        """Run the search for about `seconds` and return the results since the last call.

        Raises the exception of the search, and Refused (503) if it has not paused for ANSWER_SECONDS.
        """
        state = self._state
        now = time.perf_counter()
        if state.resting.is_set() and not state.is_over:
            state.until = now + seconds
            state.resting.clear()
            state.going.release()
        elif not state.is_over and now - state.until > ANSWER_SECONDS:
            rule = say("working out the answer takes longer than {n} s", n=ANSWER_SECONDS)
            raise Refused([problem("", rule, hint=say("ask about a later cycle, near a checkpoint"))], UNAVAILABLE)
        state.resting.wait(max(seconds, 0.0) + GRACE_SECONDS)
        results = [state.found.popleft() for _ in range(len(state.found))]
        if state.error is not None:
            raise state.error
        self.ended = state.is_over and not state.found
        return results

    @property
    def worked(self) -> float:
        """Seconds that the search has worked."""
        state = self._state
        return state.worked + (0.0 if state.resting.is_set() else time.perf_counter() - state.since)

    def __del__(self) -> None:
        self._state.is_abandoned = True
        self._state.until = 0.0
        self._state.going.release()


def _run_search(state: _SharedState[Found], steps: Iterator[Found], rests_after: Callable[[Found], bool]) -> None:
    state.worker = get_ident()
    try:
        state.rest()
        for found in steps:
            state.found.append(found)
            if rests_after(found):
                state.until = 0.0
            state.pulse()
    except AbandonedError:
        pass
    except BaseException as error:
        state.error = error
    finally:
        if state.since:
            state.worked += time.perf_counter() - state.since
        state.is_over = True
        state.resting.set()
