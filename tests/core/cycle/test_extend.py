"""Extenders in a cycle: who is asked, what their answers do, and whose failure ends the attempt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.extend import (
    add_extender_scores,
    run_extender_bind,
    run_extender_filters,
    run_extender_scores,
)
from scheduler_core.framework.diagnosis import NodeToStatus, SchedulingError
from scheduler_core.framework.extender import Extender, ExtenderError, ExtenderFilterResult, Victims
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.trace import Trace
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import Stage

POD = make_pod("p").build()


@dataclass
class Scripted:
    """An extender that answers what it is given; its calls are in `asked`."""

    name: str = "http://e"
    weight: int = 1
    ignorable: bool = False
    is_filter: bool = True
    is_prioritizer: bool = True
    is_binder: bool = True
    supports_preemption: bool = False
    interested: bool = True
    fails: bool = False
    leaves: Sequence[str] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    unresolvable: Mapping[str, str] = field(default_factory=dict)
    scores: Sequence[tuple[str, int]] = ()
    asked: list[str] = field(default_factory=list)

    def _called(self, what: str) -> None:
        self.asked.append(what)
        if self.fails:
            raise ExtenderError("boom")

    def is_interested(self, pod: Pod) -> bool:
        return self.interested

    def filter(self, pod: Pod, nodes: Nodes) -> ExtenderFilterResult:
        self._called("filter")
        rows = np.flatnonzero([name in self.leaves for name in nodes.names])
        return ExtenderFilterResult(nodes.take(rows), self.failed, self.unresolvable)

    def prioritize(self, pod: Pod, nodes: Nodes) -> Sequence[tuple[str, int]]:
        self._called("prioritize")
        return self.scores

    def bind(self, pod: Pod, node_name: str) -> None:
        self._called(f"bind {node_name}")

    def process_preemption(self, pod: Pod, victims: Mapping[str, Victims], nodes: Nodes) -> dict[str, Victims]:
        raise AssertionError("nobody preempts here")


def nodes() -> Nodes:
    return Stage([], [make_node(name) for name in "abc"]).nodes


def filtered(*extenders: Extender) -> tuple[list[str], NodeToStatus, Trace]:
    found, trace = nodes(), Trace()
    statuses = NodeToStatus(found.table.rows)
    left = run_extender_filters(extenders, POD, found, statuses, trace)
    return list(left.names), statuses, trace


def test_each_filters_what_the_one_before_left() -> None:
    first, second = Scripted(leaves="ab"), Scripted(name="http://f", leaves="bc")
    left, _, trace = filtered(first, second)
    assert left == ["b"]
    assert [(step["in"], step["out"]) for step in trace.steps] == [(3, 2), (2, 1)]


def test_nobody_is_asked_once_no_node_is_left() -> None:
    later = Scripted(leaves="abc")
    assert filtered(Scripted(leaves=""), later)[0] == [] and later.asked == []


@pytest.mark.parametrize("left_out", [{"is_filter": False}, {"interested": False}])
def test_who_does_not_filter_such_pods_is_left_out(left_out: dict[str, bool]) -> None:
    extender = Scripted(leaves="", **left_out)  # type: ignore[arg-type]
    assert filtered(extender)[0] == ["a", "b", "c"] and extender.asked == []


def test_a_node_that_failed_for_good_is_no_candidate_for_preemption() -> None:
    _, statuses, _ = filtered(Scripted(leaves="c", failed={"a": "full", "b": "full"}, unresolvable={"b": "gone"}))
    assert [statuses.get(name) for name in "ab"] == [Status.unschedulable("full"), Status.unresolvable("gone")]


def test_only_an_ignorable_one_may_fail_to_filter() -> None:
    left, _, trace = filtered(Scripted(fails=True, ignorable=True), Scripted(leaves="a"))
    assert left == ["a"] and trace.steps[0]["ignored"] is True
    with pytest.raises(SchedulingError, match="boom"):
        filtered(Scripted(fails=True))


def test_scores_are_scaled_weighed_and_added() -> None:
    found = nodes()
    extenders = [Scripted(weight=2, scores=[("a", 3), ("b", 1)]), Scripted(name="http://f", scores=[("a", 1)])]
    scores = run_extender_scores(extenders, POD, found, None)
    assert [score.contributed for score in scores] == [{"a": 60, "b": 20}, {"a": 10}]
    assert add_extender_scores(np.array([1, 2, 3]), found, scores).tolist() == [71, 22, 3]


def test_one_that_fails_to_score_gives_nothing_and_ends_nothing() -> None:
    trace = Trace()
    assert run_extender_scores([Scripted(fails=True)], POD, nodes(), trace) == []
    assert trace.steps[0]["ignored"] is True


BINDS = [
    # name, extenders, status, who was asked
    ("nobody binds", [Scripted(is_binder=False)], None, [[]]),
    ("the first that binds", [Scripted(), Scripted()], SUCCESS, [["bind a"], []]),
    ("not interested", [Scripted(interested=False), Scripted()], SUCCESS, [[], ["bind a"]]),
    ("an ignorable failure", [Scripted(fails=True, ignorable=True), Scripted()], SUCCESS, [["bind a"], ["bind a"]]),
    ("a failure", [Scripted(fails=True), Scripted()], Status.error("boom"), [["bind a"], []]),
]


@pytest.mark.parametrize(
    ("extenders", "status", "asked"), [case[1:] for case in BINDS], ids=[case[0] for case in BINDS]
)
def test_binding(extenders: list[Scripted], status: Status | None, asked: list[list[str]]) -> None:
    trace = Trace()
    assert run_extender_bind(extenders, POD, "a", trace) == status
    assert [extender.asked for extender in extenders] == asked
    assert len(trace.steps) == sum(map(len, asked)), "each call is told"
