"""What others would have to do is bounded by what it costs: nodes on which that is dear are not looked at first."""

import pytest

from scheduler_core.edits.costs import Prices
from scheduler_core.repair.finding import MINIMUM, Finder, Limits
from tests.core.repair.clusters import POD, played
from tests.core.repair.speed import cluster, waiting


@pytest.mark.parametrize("what", ["a request that no node has free", "more than any node has"])
def test_one_of_many_full_nodes_is_enough_to_know(what: str) -> None:
    """To ask for less costs less than if a pod left, and what is still missing was asked for less."""
    finder = Finder(played([*cluster(20, 200), waiting()[what].manifest()]), POD, Prices(), lambda: 0.0, Limits(1))
    (repair,) = finder.find()
    assert [edit.kind for edit in repair.edits] == ["lower_request"]
    assert repair.claim == MINIMUM
    assert finder.outcome.tally.nodes == 1


def test_pods_leave_where_that_costs_less() -> None:
    """Five of 380m each, of a node of 4 CPUs with 200m free."""
    costs = Prices({"move_pod": None, "delete_pod": 10})
    simulation = played([*cluster(1, 10), waiting()["a request that no node has free"].manifest()])
    (repair,) = Finder(simulation, POD, costs, lambda: 0.0, Limits(1)).find()
    assert sorted(edit.kind for edit in repair.edits) == [*["delete_pod"] * 5, "tolerate"]
    assert repair.claim == MINIMUM
