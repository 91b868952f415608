"""One pod, one node: which nodes are looked at, when scores decide, and how ties are broken."""

from typing import Any

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import (
    FilterPlugin,
    Plugin,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    ScorePlugin,
)
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.framework.scripted_profile import Stage, plugin

NO = Status.unschedulable("no")


def only(feasible: str, asked: list[list[str]] | None = None) -> type[Plugin]:
    """A filter that lets these nodes pass, and notes which it was asked about, call by call."""

    def filter_(state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        if asked is not None:
            asked.append(nodes.names)
        return Verdicts.from_statuses([SUCCESS if name in feasible else NO for name in nodes.names])

    return plugin("Only", FilterPlugin, filter=filter_)


def scored(**scores: int) -> type[Plugin]:
    values = lambda state, pod, nodes: np.array([scores[name] for name in nodes.names], np.int64)  # noqa: E731
    return plugin("Scored", ScorePlugin, score=values)


def never_asked(*arguments: Any) -> Any:
    raise AssertionError("nobody needs to know")


def stage(*plugins: type[Plugin], nodes: str = "xyz", **more: Any) -> Stage:
    return Stage(plugins, [make_node(name) for name in nodes], **more)


def schedule(on: Stage, builder: PodBuilder | None = None) -> CycleResult:
    pod = (builder or make_pod("p")).build()
    return on.scheduler.run_scheduling_algorithm(on.framework, pod, None)


def test_the_best_node_wins() -> None:
    assert schedule(stage(scored(x=1, y=3, z=2))).node == "y"


def test_a_single_feasible_node_is_not_scored() -> None:
    result = schedule(stage(only("y"), plugin("S", ScorePlugin, score=never_asked)))
    assert result.node == "y" and result.attempt.totals is None


def test_ties_are_broken_among_the_best_in_the_order_of_creation() -> None:
    asked: list[int] = []

    def pick(count: int) -> int:
        asked.append(count)
        return 2

    on = stage(scored(w=5, x=5, y=1, z=5), nodes="wxyz", pick=pick)
    on.scheduler.pods.next_start_node_index = 1
    result = schedule(on)
    assert (result.node, result.attempt.ties, asked) == ("z", ["w", "x", "z"], [3])


def test_one_feasible_node_is_enough_where_nothing_scores() -> None:
    result = schedule(stage(only("yz")))
    assert (result.node, result.attempt.to_find) == ("y", 1)
    assert result.attempt.next_start == 2, "x and y were looked at"


def test_the_next_search_starts_where_the_last_one_ended() -> None:
    on = stage(only("xyz"))
    assert [schedule(on).node for _ in range(4)] == ["x", "y", "z", "x"]


def test_pre_filter_narrows_the_search() -> None:
    asked: list[list[str]] = []
    narrows = plugin("N", PreFilterPlugin, pre_filter=lambda *_: PreFilterResult(SUCCESS, frozenset("zx")))
    result = schedule(stage(narrows, only("z", asked), scored(z=1)))
    assert (result.node, asked) == ("z", [["x", "z"]])


def test_what_pre_filter_rejects_is_not_filtered_and_can_be_helped_by_post_filter() -> None:
    rejects = plugin("R", PreFilterPlugin, pre_filter=lambda *_: PreFilterResult(NO))
    helps = plugin("H", PostFilterPlugin, post_filter=lambda *_: PostFilterResult(SUCCESS, "y"))
    result = schedule(stage(rejects, plugin("F", FilterPlugin, filter=never_asked), helps))
    assert (result.node, result.nominated) == (None, "y")
    assert result.message == "0/3 nodes are available: no."
    assert result.attempt.diagnosis.unschedulable_plugins == {"R"}


def test_nobody_fits() -> None:
    result = schedule(stage(only("")))
    assert result.status == Status.unschedulable("0/3 nodes are available: 3 no.")
    assert (result.node, result.nominated) == (None, None)
    assert result.attempt.diagnosis.unschedulable_plugins == {"Only"}


def test_an_error_is_no_reason_to_preempt() -> None:
    def fails(*arguments: Any) -> Any:
        raise PluginError("boom")

    on = stage(plugin("F", PreFilterPlugin, pre_filter=fails), plugin("P", PostFilterPlugin, post_filter=never_asked))
    result = schedule(on, make_pod("p").nominated("x"))
    assert result.status == Status.error('running PreFilter plugin "F": boom')
    assert result.nominated == "", "the nomination is taken back"


def test_without_nodes_there_is_nothing_to_try() -> None:
    result = schedule(stage(only("x"), nodes=""))
    assert result.status == Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("no nodes available to schedule pods",))


def test_the_nominated_node_is_tried_by_itself_and_taken() -> None:
    asked: list[list[str]] = []
    result = schedule(stage(only("xyz", asked), scored(x=9, y=1, z=9)), make_pod("p").nominated("y"))
    assert (result.node, asked) == ("y", [["y"]])
    assert result.attempt.nominated_node_used


def test_a_nominated_node_that_does_not_fit_is_one_of_all() -> None:
    asked: list[list[str]] = []
    result = schedule(stage(only("xz", asked), scored(x=1, z=9)), make_pod("p").nominated("y"))
    assert result.node == "z"
    assert asked == [["y"], ["x", "y", "z"]]
    assert not result.attempt.nominated_node_used


def test_what_rejected_the_nominated_node_is_named_for_the_nodes_that_pre_filter_left_out() -> None:
    """Measured from kube-scheduler v1.36.2: a DaemonSet's pod whose victim is still there."""
    narrows = plugin("N", PreFilterPlugin, pre_filter=lambda *_: PreFilterResult(SUCCESS, frozenset("y")))
    told = [
        schedule(stage(narrows, only("")), pod).message for pod in (make_pod("plain"), make_pod("p").nominated("y"))
    ]
    assert told == [
        "0/3 nodes are available: 1 no, 2 node(s) didn't satisfy plugin(s) [N].",
        "0/3 nodes are available: 1 no, 2 node(s) didn't satisfy plugin(s) [N Only].",
    ]


def test_pods_that_are_nominated_to_a_node_are_there_already() -> None:
    def filter_(state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.from_statuses([NO if len(node.pods) else SUCCESS for node in nodes])

    on = stage(plugin("Alone", FilterPlugin, filter=filter_), scored(x=9, y=1, z=2))
    on.nominated = {"x": [make_pod("equal").uid("1").priority(5).nominated("x").build()]}
    assert schedule(on, make_pod("p").uid("2").priority(5)).node == "z"
    assert schedule(on, make_pod("p").uid("2").priority(6)).node == "x", "a less important one is not waited for"
