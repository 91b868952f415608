"""Searches in slices: wherever a search is, the process that answers is free for others after a moment."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from playground.problems import Refused
from playground.questions import time_slices
from playground.questions.time_slices import TimeSlices


def steps(search: TimeSlices[int], worked: list[int], ended: threading.Event) -> Iterator[int]:
    """A search that finds something once in three pulses."""
    try:
        for number in range(6):
            worked.append(number)
            search.pulse()
            if number % 3 == 2:
                yield number
    finally:
        ended.set()


def test_a_search_rests_at_its_pulse_and_goes_on_from_there() -> None:
    search, worked, ended = TimeSlices[int](), list[int](), threading.Event()
    search.begin(steps(search, worked, ended))
    assert worked == []
    found: list[int] = []
    while not search.ended:
        found += search.advance(-1)
    assert (found, worked) == ([2, 5], [0, 1, 2, 3, 4, 5])
    assert ended.is_set()


def test_a_find_can_end_the_slice() -> None:
    search = TimeSlices[int](pauses_after=lambda found: True)
    search.begin(iter([1, 2]))
    assert (search.advance(60), search.ended) == ([1], False)
    assert (search.advance(60), search.advance(60), search.ended) == ([2], [], True)


def test_a_search_that_nobody_asks_about_any_more_ends() -> None:
    search, worked, ended = TimeSlices[int](), list[int](), threading.Event()

    def lonely(pulse: Callable[[], None]) -> Iterator[int]:
        try:
            while True:
                worked.append(1)
                pulse()
                yield 1
        finally:
            ended.set()

    search.begin(lonely(search.pulse))
    search.advance(-1)
    assert not ended.is_set()
    del search
    assert ended.wait(30)


def test_what_a_search_raises_is_raised_to_whoever_asks() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ZeroDivisionError

    search = TimeSlices[int]()
    search.begin(broken())
    with pytest.raises(ZeroDivisionError):
        search.advance(60)


def test_a_search_that_does_not_rest_lets_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_slices, "GRACE_SECONDS", 0.01)
    finish = threading.Event()

    def long() -> Iterator[int]:
        finish.wait()
        yield 1

    search = TimeSlices[int]()
    search.begin(long())
    began = time.monotonic()
    assert (search.advance(0.01), search.ended) == ([], False)
    assert time.monotonic() - began < 10
    monkeypatch.setattr(time_slices, "ANSWER_SECONDS", -60)
    with pytest.raises(Refused, match="longer than -60 s"):
        search.advance(0.01)
    finish.set()
    monkeypatch.undo()
    while not search.ended:
        search.advance(1)
