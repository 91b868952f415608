"""Which Events are counted, combined or left out: client-go's own cases, and what was recorded."""

from collections.abc import Iterable

import pytest

from scheduler_core.correlating import COMBINED, MAX_ENTRIES, Correlator, EventObject, Occurrence

CONTROLLER, SCHEDULER = "replicaset-controller", ""
MINUTE = 60.0
# (seconds, message)
Spoken = tuple[float, str]


def occurrence(
    number: int, at: float, message: str, source: str, key: str = "shop/web", uid: str = "u-1", version: int = 0
) -> Occurrence:
    kind, type_, reason = ("Pod", "Warning", "FailedScheduling") if not source else ("ReplicaSet", "Normal", "Made")
    return Occurrence(number, number, at, number, source, kind, key, uid, type_, reason, message, version)


def heard(spoken: Iterable[Occurrence]) -> tuple[Correlator, dict[int, EventObject]]:
    """The Events that there are afterwards, by the number of what they began with; each change follows another."""
    correlator, found = Correlator(), dict[int, EventObject]()
    for each in spoken:
        counted = correlator.correlate(each)
        if counted is not None:
            before, after = counted
            assert found.get(after.first.number) == before
            found[after.first.number] = after
    return correlator, found


@pytest.mark.parametrize(
    ("name", "spoken", "want"),
    [
        ("one", [(0, "a")], [("a", 1)]),
        ("the same counts", [(0, "a")] * 3, [("a", 3)]),
        ("others are their own", [(0, "a"), (0, "b"), (1, "a")], [("a", 2), ("b", 1)]),
        ("no more than 25", [(0, "a")] * 40, [("a", 25)]),
        ("and what was left out was counted", [(0, "a")] * 40 + [(5 * MINUTE, "a")], [("a", 41)]),
        (
            "the tenth that is similar is combined",
            [(0, f"pod {n}") for n in range(12)],
            [*((f"pod {n}", 1) for n in range(9)), (f"{COMBINED}pod 11", 3)],
        ),
        (
            "ten minutes without one, and it begins anew",
            [*((0, f"pod {n}") for n in range(9)), (10 * MINUTE + 1, "pod 9"), (10 * MINUTE + 1, "pod 0")],
            [("pod 0", 2), *((f"pod {n}", 1) for n in range(1, 10))],
        ),
        (
            "ten minutes between each, and none is combined",
            [(n * (10 * MINUTE + 1), f"pod {n}") for n in range(12)],
            [(f"pod {n}", 1) for n in range(12)],
        ),
        (
            "a little less, and all are",
            [(n * 9 * MINUTE, f"pod {n}") for n in range(12)],
            [*((f"pod {n}", 1) for n in range(9)), (f"{COMBINED}pod 11", 3)],
        ),
    ],
)
def test_of_controllers(name: str, spoken: list[Spoken], want: list[tuple[str, int]]) -> None:
    _, found = heard(occurrence(number, at, message, CONTROLLER) for number, (at, message) in enumerate(spoken))
    assert [(counted.message, counted.count) for counted in found.values()] == want


@pytest.mark.parametrize(
    ("name", "spoken", "want"),
    [
        ("one", [(0, "a", 1)], [("a", 1)]),
        # As recorded: the first attempt writes the pod's condition, so that the second is about a newer version of it.
        ("a newer version is another", [(0, "a", 1), (1, "a", 2)], [("a", 1), ("a", 1)]),
        ("the next a series", [(0, "a", 1), (1, "a", 2), (3, "a", 2)], [("a", 1), ("a", 2)]),
        ("which is not written on", [(t, "a", 1) for t in (0, 1, 3, 7, 15)], [("a", 2)]),
        ("but half-hourly", [(n * 5 * MINUTE, "a", 1) for n in range(8)], [("a", 7)]),
        ("with the first note", [(0, "a", 1), (1, "b", 1)], [("a", 2)]),
        ("what has ended begins anew", [(0, "a", 1), (1, "a", 1), (20 * MINUTE, "a", 1)], [("a", 2), ("a", 1)]),
    ],
)
def test_of_the_scheduler(name: str, spoken: list[tuple[float, str, int]], want: list[tuple[str, int]]) -> None:
    _, found = heard(
        occurrence(n, at, note, SCHEDULER, version=version) for n, (at, note, version) in enumerate(spoken)
    )
    assert [(counted.message, counted.count) for counted in found.values()] == want


def test_the_first_and_the_last_time_are_told() -> None:
    _, found = heard(occurrence(number, at, "a", CONTROLLER) for number, at in enumerate((3.0, 5.0, 8.0)))
    (counted,) = found.values()
    assert (counted.first.t, counted.last.t) == (3.0, 8.0)


@pytest.mark.parametrize(
    ("source", "want"),
    [
        (CONTROLLER, [("u-1", 2), ("u-2", 1)]),
        ("taint-eviction-controller", [("", 3)]),  # It names pods without their uid.
    ],
)
def test_another_object_of_the_name_has_its_own(source: str, want: list[tuple[str, int]]) -> None:
    _, found = heard(occurrence(number, 0, "a", source, uid=uid) for number, uid in enumerate(("u-1", "u-1", "u-2")))
    assert [(counted.first.uid, counted.count) for counted in found.values()] == want


def test_each_object_has_25_of_its_own() -> None:
    spoken = (occurrence(number, 0, "a", CONTROLLER, key=f"shop/web-{number % 2}") for number in range(80))
    assert [counted.count for counted in heard(spoken)[1].values()] == [25, 25]


def test_what_is_known_is_bounded() -> None:
    correlator, _ = heard(
        occurrence(number, 0, "a", CONTROLLER, key=f"shop/{number}") for number in range(MAX_ENTRIES + 1)
    )
    counted = correlator.correlate(occurrence(MAX_ENTRIES + 1, 1, "a", CONTROLLER, key="shop/0"))
    assert counted is not None and counted[0] is None
