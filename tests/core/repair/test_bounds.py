"""What others would have to do is bounded by what it costs: nodes on which that is dear are not looked at first."""

import pytest

from scheduler_core.edits.costs import Prices
from simulator.repair.finder import MINIMUM, Finder, Limits
from tests.core.repair.found_repairs import node, pod
from tests.core.repair.random_clusters import POD, played
from tests.core.repair.repair_speed import cluster, waiting

FULL = ("a request that no node has free", "more than any node has", "a taint, and too little room")


@pytest.mark.parametrize("what", FULL)
def test_one_of_many_full_nodes_is_enough_to_know(what: str) -> None:
    """To ask for less costs less than if a pod left, and what is still missing was asked for less."""
    finder = Finder(played([*cluster(20, 200), waiting()[what].manifest()]), POD, Prices(), lambda: 0.0, Limits(1))
    (repair,) = finder.find()
    assert [edit.kind for edit in repair.edits] == ["lower_request"]
    assert repair.claim == MINIMUM
    assert finder.outcome.tally.nodes == 1


@pytest.mark.parametrize("what", FULL)
def test_what_is_alike_is_not_tried_on_every_node(what: str) -> None:
    """Once something is found. Without a clock, the list ends all the same."""
    finder = Finder(played([*cluster(100, 1000), waiting()[what].manifest()]), POD, Prices(), lambda: 0.0)
    assert [repair.cost for repair in finder.find()]
    assert finder.outcome.tally.tried < 50
    assert finder.outcome.tally.diagnoses < 150


def test_a_node_that_takes_no_pods_at_all_is_left_alone() -> None:
    """Whatever else keeps the pod from it, and however many ways there were to mend that."""
    there = node().pods(0).taint("t").label("disk", "hdd")
    simulation = played([there.manifest(), pod().priority(0).node_selector("disk", "ssd").manifest()])
    finder = Finder(simulation, POD, Prices(), lambda: 0.0)
    assert not list(finder.find())
    assert finder.outcome.as_dict()["exhaustive"]
    assert finder.outcome.tally.tried == 0


def test_pods_leave_where_that_costs_less() -> None:
    """Five of 380m each, of a node of 4 CPUs with 200m free."""
    costs = Prices({"move_pod": None, "delete_pod": 10})
    simulation = played([*cluster(1, 10), waiting()["a request that no node has free"].manifest()])
    (repair,) = Finder(simulation, POD, costs, lambda: 0.0, Limits(1)).find()
    assert sorted(edit.kind for edit in repair.edits) == [*["delete_pod"] * 5, "tolerate"]
    assert repair.claim == MINIMUM
