"""Run a long search in time slices, on its own thread.

The search runs only while a client waits for its results. After each slice it pauses, so that the main thread can
answer other users' questions.
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

Result = TypeVar("Result")

# If a search has not paused after this time, it continues while the main thread answers other questions.
GRACE_SECONDS = 0.5
UNAVAILABLE = 503


class AbandonedError(EndsTheRun):
    """The exception that ends a search whose client sends no more requests."""


class _SharedState(Generic[Result]):
    """The state that both threads share.

    It has no reference to `TimeSlices`, because the deletion of that object abandons the search.
    """

    def __init__(self) -> None:
        self.results: deque[Result] = deque()
        self.error: BaseException | None = None
        self.is_finished = self.is_abandoned = False
        # Times of `perf_counter`; `slice_start` is 0 before the first slice.
        self.worked, self.slice_start, self.slice_end = 0.0, 0.0, 0.0
        self.thread_id = 0
        self.is_paused, self.may_resume = Event(), Semaphore(0)
        self.is_paused.set()

    def pulse(self) -> None:
        """Pause the search from the end of its slice to the start of the next one. Ignore calls of other threads."""
        if get_ident() == self.thread_id and time.perf_counter() > self.slice_end:
            self.pause()

    def pause(self) -> None:
        if self.slice_start:
            self.worked += time.perf_counter() - self.slice_start
        self.is_paused.set()
        self.may_resume.acquire()
        if self.is_abandoned:
            raise AbandonedError
        self.slice_start = time.perf_counter()

    def clock(self) -> float:
        """Return the seconds that the search has worked. Pause at the end of the slice, as `pulse` does."""
        self.pulse()
        return self.worked + (time.perf_counter() - self.slice_start if self.slice_start else 0.0)


class TimeSlices(Generic[Result]):
    """A search that runs in slices. It pauses only when it calls `pulse` or `clock`.

    A slice also ends after a result for which `pauses_after` returns True.
    """

    def __init__(self, pauses_after: Callable[[Result], bool] = lambda result: False) -> None:
        self._state: _SharedState[Result] = _SharedState()
        self._pauses_after = pauses_after
        self.pulse, self.clock = self._state.pulse, self._state.clock
        self.ended = False

    def begin(self, steps: Iterator[Result]) -> None:
        """Set the search, which yields results. It starts with the first slice."""
        Thread(target=_run_search, args=(self._state, steps, self._pauses_after), daemon=True).start()

    def advance(self, seconds: float) -> list[Result]:
        """Run the search for about `seconds` and return the results since the last call.

        Raises the exception of the search, and Refused (503) if it has not paused for ANSWER_SECONDS.
        """
        state = self._state
        now = time.perf_counter()
        if state.is_paused.is_set() and not state.is_finished:
            state.slice_end = now + seconds
            state.is_paused.clear()
            state.may_resume.release()
        elif not state.is_finished and now - state.slice_end > ANSWER_SECONDS:
            rule = say("working out the answer takes longer than {n} s", n=ANSWER_SECONDS)
            raise Refused([problem("", rule, hint=say("ask about a later cycle, near a checkpoint"))], UNAVAILABLE)
        state.is_paused.wait(max(seconds, 0.0) + GRACE_SECONDS)
        results = [state.results.popleft() for _ in range(len(state.results))]
        if state.error is not None:
            raise state.error
        self.ended = state.is_finished and not state.results
        return results

    @property
    def worked(self) -> float:
        """Return the seconds that the search has worked."""
        state = self._state
        return state.worked + (0.0 if state.is_paused.is_set() else time.perf_counter() - state.slice_start)

    def __del__(self) -> None:
        self._state.is_abandoned = True
        self._state.slice_end = 0.0
        self._state.may_resume.release()


def _run_search(state: _SharedState[Result], steps: Iterator[Result], pauses_after: Callable[[Result], bool]) -> None:
    state.thread_id = get_ident()
    try:
        state.pause()
        for result in steps:
            state.results.append(result)
            if pauses_after(result):
                state.slice_end = 0.0
            state.pulse()
    except AbandonedError:
        pass
    except BaseException as error:
        state.error = error
    finally:
        if state.slice_start:
            state.worked += time.perf_counter() - state.slice_start
        state.is_finished = True
        state.is_paused.set()
