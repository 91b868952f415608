"""PreScore, Score and NormalizeScore: weights, who is left out, and scores that may not be."""

from typing import Any

import numpy as np
import pytest

from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import SchedulingError
from scheduler_core.framework.interface import Plugin, PreScorePlugin, ScorePlugin
from scheduler_core.framework.scoring import run_pre_score, run_score
from scheduler_core.framework.status import SKIP, PluginError, Status
from scheduler_core.framework.trace import Trace
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import Stage, plugin

POD = make_pod("p").build()
NODES = [make_node("x"), make_node("y")]


def scores(name: str, *values: int, **more: Any) -> type[Plugin]:
    return plugin(name, ScorePlugin, score=lambda state, pod, nodes: np.array(values, np.int64), **more)


def fails(*arguments: Any) -> Any:
    raise PluginError("boom")


def run(*plugins: type[Plugin], weights: dict[str, int] | None = None) -> Any:
    stage = Stage(plugins, NODES, weights)
    state = CycleState()
    run_pre_score(stage.framework, state, POD, stage.nodes, None)
    return run_score(stage.framework, state, POD, stage.nodes, None)


def test_totals_are_the_weighted_sum_of_what_was_normalized() -> None:
    halved = scores("B", 200, 50, normalizes=True, normalize=lambda state, pod, nodes, raw: raw // 2)
    found = run(scores("A", 10, 20), halved, weights={"A": 3})
    assert found.plugins == ["A", "B"] and found.weights == [3, 1]
    assert found.raw.tolist() == [[10, 20], [200, 50]]
    assert found.normalized.tolist() == [[10, 20], [100, 25]]
    assert found.totals.tolist() == [130, 85]


def test_the_trace_tells_raw_scores_of_all_and_normalized_ones_of_those_that_normalize() -> None:
    trace = Trace()
    halved = scores("B", 200, 50, normalizes=True, normalize=lambda state, pod, nodes, raw: raw // 2)
    stage = Stage([scores("A", 10, 20), halved], NODES)
    run_score(stage.framework, CycleState(), POD, stage.nodes, trace)
    told = [(step["point"], step["plugin"]) for step in trace.steps]
    assert told == [("Score", "A"), ("Score", "B"), ("NormalizeScore", "B")]


def test_a_plugin_that_skipped_at_pre_score_gives_no_score() -> None:
    both = plugin("A", PreScorePlugin, ScorePlugin, pre_score=lambda *_: SKIP, score=fails)
    assert run(both, scores("B", 1, 2)).plugins == ["B"]


ERRORS = [
    (
        "PreScore rejects",
        [plugin("A", PreScorePlugin, pre_score=lambda *_: Status.unschedulable("no")), scores("S", 1, 1)],
        'running PreScore plugin "A": no',
    ),
    ("PreScore fails", [plugin("A", PreScorePlugin, pre_score=fails)], 'running PreScore plugin "A": boom'),
    (
        "Score fails",
        [plugin("A", ScorePlugin, score=fails)],
        'running Score plugins: plugin "A" failed with: boom',
    ),
    (
        "NormalizeScore fails",
        [scores("A", 1, 2, normalizes=True, normalize=fails)],
        'running Normalize on Score plugins: plugin "A" failed with: boom',
    ),
    (
        "too high",
        [scores("A", 100, 101)],
        'applying score defaultWeights on Score plugins: plugin "A" returns an invalid score 101, '
        "it should in the range of [0, 100] after normalizing",
    ),
    (
        "too low",
        [scores("A", -1, 0)],
        'applying score defaultWeights on Score plugins: plugin "A" returns an invalid score -1, '
        "it should in the range of [0, 100] after normalizing",
    ),
]


@pytest.mark.parametrize(("name", "plugins", "text"), ERRORS)
def test_errors_end_the_attempt(name: str, plugins: list[type[Plugin]], text: str) -> None:
    with pytest.raises(SchedulingError) as raised:
        run(*plugins)
    assert str(raised.value) == text


def test_raw_scores_may_be_anything_where_they_are_normalized() -> None:
    tamed = scores("A", -500, 5000, normalizes=True, normalize=lambda state, pod, nodes, raw: raw * 0)
    assert run(tamed).totals.tolist() == [0, 0]
