import pytest

from scheduler_core.framework.extender import Victims
from scheduler_core.preemption.ranking import best_candidates
from tests.conformance.testing import make_pod


def victims(violations: int, *pods: tuple[int, int | None]) -> Victims:
    """(priority, second of the start) of each, most important first."""
    built = []
    for i, (priority, started) in enumerate(pods):
        pod = make_pod(f"v{i}").priority(priority)
        built.append((pod if started is None else pod.started(f"2025-01-01T00:00:{started:02}Z")).build())
    return Victims(built, violations)


@pytest.mark.parametrize(
    ("name", "candidates", "want"),
    [
        ("one", [victims(3, (9, 1))], "n0"),
        ("fewest violations come before all else", [victims(1, (1, 1)), victims(0, (9, 1), (9, 1))], "n1"),
        ("lowest highest priority", [victims(0, (5, 1)), victims(0, (4, 1), (4, 1))], "n1"),
        ("lowest sum", [victims(0, (5, 1), (3, 1)), victims(0, (5, 1), (2, 1))], "n1"),
        ("few of a negative priority", [victims(0, (-5, 1), (-5, 1)), victims(0, (-5, 1))], "n1"),
        ("a sum across zero counts pods first", [victims(0, (5, 1), (-9, 1)), victims(0, (5, 1))], "n1"),
        ("latest start of the most important", [victims(0, (5, 10), (1, 50)), victims(0, (5, 20), (1, 1))], "n1"),
        ("the oldest of those", [victims(0, (5, 10), (5, 50)), victims(0, (5, 20), (5, 30))], "n1"),
        ("not started is latest", [victims(0, (5, 59)), victims(0, (5, None))], "n1"),
        ("equal", [victims(0, (5, 1)), victims(0, (6, 1)), victims(0, (5, 1))], "n0 n2"),
    ],
)
def test_best(name: str, candidates: list[Victims], want: str) -> None:
    assert best_candidates({f"n{i}": candidate for i, candidate in enumerate(candidates)}) == want.split()


def test_no_candidates() -> None:
    assert best_candidates({}) == []
