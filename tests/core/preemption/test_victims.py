from typing import Any

import pytest

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from kube_objects.parse import parse_object
from scheduler_core.preemption.victims import by_importance, split_by_pdb_violation
from tests.conformance.testing import PodBuilder, make_pod
from tests.core.preemption.preemption_cluster import budget


def pod(name: str, priority: int = 0, started: int | None = None) -> PodBuilder:
    builder = make_pod(name).label("app", "web").priority(priority)
    return builder if started is None else builder.started(f"2025-01-01T00:00:{started:02}Z")


@pytest.mark.parametrize(
    ("name", "pods", "want"),
    [
        ("by priority", [pod("a", 1), pod("b", 3), pod("c", 2)], "b c a"),
        ("then the older first", [pod("a", 1, 20), pod("b", 1, 10), pod("c", 2, 30)], "c b a"),
        ("not started is youngest", [pod("a"), pod("b", 0, 59)], "b a"),
        ("equals stay as they are", [pod("a", 1, 5), pod("b", 1, 5), pod("c", 1, 5)], "a b c"),
    ],
)
def test_importance(name: str, pods: list[PodBuilder], want: str) -> None:
    assert [found.name for found in by_importance([builder.build() for builder in pods])] == want.split()


@pytest.mark.parametrize(
    ("name", "budgets", "pods", "violating"),
    [
        ("no budget", [], [pod("a")], ""),
        ("one allowed", [budget("b", 1, app="web")], [pod("a"), pod("b"), pod("c")], "b c"),
        ("none allowed", [budget("b", 0, app="web")], [pod("a"), pod("b")], "a b"),
        ("a negative budget", [budget("b", -1, app="web")], [pod("a")], "a"),
        ("other labels", [budget("b", 0, app="db")], [pod("a")], ""),
        ("other namespace", [budget("b", 0, "blue", app="web")], [pod("a")], ""),
        ("an empty selector protects nobody", [budget("b", 0)], [pod("a")], ""),
        ("pods without labels are not protected", [budget("b", 0, app="web")], [make_pod("bare")], ""),
        ("disrupted already", [budget("b", 0, disrupted=["a"], app="web")], [pod("a"), pod("b")], "b"),
        ("the stricter of two", [budget("b", 2, app="web"), budget("c", 1, app="web")], [pod("a"), pod("b")], "b"),
        (
            "a violating pod uses up the other budget too",
            [budget("b", 0, app="web"), budget("c", 1, app="web")],
            [pod("a"), pod("b")],
            "a b",
        ),
    ],
)
def test_budgets(name: str, budgets: list[Any], pods: list[PodBuilder], violating: str) -> None:
    built = [builder.build() for builder in pods]
    parsed = [found for manifest in budgets if isinstance(found := parse_object(manifest), PodDisruptionBudget)]
    assert len(parsed) == len(budgets)
    first, second = split_by_pdb_violation(built, parsed)
    assert [found.name for found in first] == violating.split()
    assert [found.name for found in second] == [found.name for found in built if found not in first]
