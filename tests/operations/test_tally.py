"""Counting and measuring: what is added up, what is stored, what is limited."""

import json
from collections.abc import Callable

import pytest

from playground.metrics import definitions
from playground.metrics.definitions import COUNTERS, HISTOGRAMS
from playground.metrics.tally import MOST_PROFILES, OTHER, Tally

Fill = Callable[[Tally], None]


def attempts(*results: str, profile: str = "default-scheduler") -> Fill:
    def fill(tally: Tally) -> None:
        for result in results:
            tally.count(definitions.SCHEDULE_ATTEMPTS, result, profile)

    return fill


def victims(*numbers: int) -> Fill:
    def fill(tally: Tally) -> None:
        for number in numbers:
            tally.observe(definitions.PREEMPTION_VICTIMS, number)

    return fill


SERIES = [
    # name                     filled by                       definition                   want
    ("nothing", attempts(), definitions.SCHEDULE_ATTEMPTS, []),
    (
        "counts by labels",
        attempts("error", "scheduled", "error"),
        definitions.SCHEDULE_ATTEMPTS,
        [(("error", "default-scheduler"), [2]), (("scheduled", "default-scheduler"), [1])],
    ),
    # upper bounds 1, 2, 4, 8, 16, 32, 64 and beyond; a bound belongs to its bucket
    ("buckets", victims(1, 2, 2, 3, 64, 65), definitions.PREEMPTION_VICTIMS, [((), [137, 1, 2, 1, 0, 0, 0, 1, 1])]),
]


@pytest.mark.parametrize(("fill", "definition", "want"), [c[1:] for c in SERIES], ids=[c[0] for c in SERIES])
def test_series(fill: Fill, definition: definitions.Counter | definitions.Histogram, want: object) -> None:
    tally = Tally()
    fill(tally)
    assert list(tally.values(definition)) == want
    assert list(Tally.load(json.loads(json.dumps(tally.dump()))).values(definition)) == want


def test_the_sum_of_two_is_what_one_would_have_counted() -> None:
    parts, whole = [Tally(), Tally()], Tally()
    for part, fill in zip(parts, (attempts("error", "scheduled"), attempts("scheduled")), strict=True):
        fill(part)
        fill(whole)
        victims(3)(part)
        victims(3)(whole)
    parts[0].add(parts[1])
    for definition in (*COUNTERS, *HISTOGRAMS):
        assert list(parts[0].values(definition)) == list(whole.values(definition))


def test_users_cannot_make_series_without_end() -> None:
    tally = Tally()
    attempts("scheduled", profile=OTHER)(tally)
    for i in range(MOST_PROFILES + 50):
        attempts("scheduled", profile=f"profile-{i}")(tally)
    series = dict(tally.values(definitions.SCHEDULE_ATTEMPTS))
    assert len(series) == MOST_PROFILES + 1
    assert series["scheduled", OTHER] == [51]
    assert dict(Tally.load(tally.dump()).values(definitions.SCHEDULE_ATTEMPTS)) == series


def test_what_another_version_stored_is_left_out_where_it_does_not_fit() -> None:
    stored = {
        "no_such_metric": [[[], [1.0]]],
        definitions.PREEMPTION_VICTIMS.name: [[[], [7.0, 1.0]]],
        definitions.SCHEDULE_ATTEMPTS.name: [[["scheduled", "a"], [3.0]], [["scheduled"], [4.0]]],
    }
    tally = Tally.load(stored)
    assert dict(tally.values(definitions.SCHEDULE_ATTEMPTS)) == {("scheduled", "a"): [3.0]}
    assert dict(tally.values(definitions.PREEMPTION_VICTIMS)) == {}
