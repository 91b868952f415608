"""The search for feasible nodes: the columns come in chunks, the outcome is that of one node after the other."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.search import SearchResult, nodes_to_find, rows_in_turn, search
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import FilterPlugin, Plugin
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import Stage, plugin

POD = make_pod("p").build()
NO = Status.unschedulable("no")

ENOUGH = [
    # nodes, the profile's percentage, the configuration's, how many are enough
    (99, 1, 1, 99),
    (100, None, 0, 100),
    (1000, None, 0, 420),
    (5000, None, 0, 500),
    (10_000, None, 0, 500),
    (5000, None, 30, 1500),
    (5000, 10, 30, 500),
    (5000, 0, 30, 500),
    (5000, 1, 30, 100),
    (5000, 100, 0, 5000),
]


@pytest.mark.parametrize(("nodes", "profile", "configuration", "want"), ENOUGH)
def test_how_many_are_enough(nodes: int, profile: int | None, configuration: int, want: int) -> None:
    assert nodes_to_find(nodes, profile, configuration) == want


@given(st.integers(0, 12), st.integers(0, 11), st.integers(0, 15), st.integers(1, 15))
def test_rows_in_turn_go_round_once(count: int, start: int, done: int, size: int) -> None:
    rows = np.arange(count)
    whole = [(start + i) % count for i in range(count)]
    assert rows_in_turn(rows, start, done, size).tolist() == whole[done : done + size]


def passing(feasible: set[str]) -> type[Plugin]:
    def filter_(state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.from_statuses([SUCCESS if name in feasible else NO for name in nodes.names])

    return plugin("F", FilterPlugin, filter=filter_)


def one_after_the_other(order: list[str], feasible: set[str], to_find: int) -> tuple[list[str], list[str]]:
    """The nodes that were looked at, and those that were found: it ends when one more than enough would be found."""
    looked: list[str] = []
    found: list[str] = []
    for name in order:
        if name in feasible:
            if len(found) == to_find:
                break
            found.append(name)
        looked.append(name)
    return looked, found


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(0, 39), st.integers(1, 12))
def test_it_finds_what_a_sequential_search_finds(passes: list[bool], start: int, to_find: int) -> None:
    names = [f"n{i}" for i in range(len(passes))]
    feasible = {name for name, passed in zip(names, passes, strict=True) if passed}
    stage = Stage([passing(feasible)], [make_node(name) for name in names])
    order = stage.nodes.names
    start %= len(order)
    found = search(stage.framework, CycleState(), POD, stage.nodes, start, to_find)
    looked, want = one_after_the_other([*order[start:], *order[:start]], feasible, to_find)
    assert stage.nodes.table is not None
    assert Nodes(stage.nodes.table, found.rows).names == looked
    assert Nodes(stage.nodes.table, found.feasible_rows).names == want
    assert found.error is None


def test_without_filters_nobody_is_asked() -> None:
    stage = Stage([], [make_node(name) for name in "xyz"])
    found = search(stage.framework, CycleState(), POD, stage.nodes, 2, 2)
    assert Nodes(stage.nodes.table, found.feasible_rows).names == ["z", "x"]


def test_an_error_ends_it_before_the_node_it_happened_on() -> None:
    def filter_(state: CycleState, pod: Pod, nodes: Nodes) -> Any:
        if "y" in nodes.names:
            raise PluginError("boom")
        return Verdicts.all_pass(len(nodes))

    stage = Stage([plugin("F", FilterPlugin, filter=filter_)], [make_node(name) for name in "xyz"])
    found = search(stage.framework, CycleState(), POD, stage.nodes, 0, 3)
    assert found.error == 'running "F" filter plugin: boom'
    assert len(found.rows) == 0


def test_statuses_are_numbered_as_they_are_met() -> None:
    other = Status.unschedulable("other")
    found = SearchResult(np.arange(4), np.array([3, 0, 1, 3], np.int32), [SUCCESS, NO, Status.error("unused"), other])
    again = found.renumbered()
    assert (again.codes.tolist(), list(again.statuses)) == ([1, 0, 2, 1], [SUCCESS, other, NO])
    nothing = SearchResult(np.arange(2), np.zeros(2, np.int32), [SUCCESS, NO]).renumbered()
    assert list(nothing.statuses) == [SUCCESS]


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), max_size=60))
def test_statuses_are_numbered_as_they_are_met_however_many_there_are(codes: list[int]) -> None:
    statuses = [SUCCESS, *(Status.unschedulable(str(code)) for code in range(1, 21))]
    again = SearchResult(np.arange(len(codes)), np.array(codes, np.int32), statuses).renumbered()
    assert list(again.statuses) == [SUCCESS, *(statuses[code] for code in dict.fromkeys(codes) if code)]
    assert [again.statuses[code] for code in again.codes] == [statuses[code] for code in codes]
