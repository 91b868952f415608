"""PreFilter and Filter: whose answer counts, who is asked about which node, and how an error is worded."""

from collections.abc import Callable
from typing import Any

import pytest

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import run_add_pod, run_filters, run_pre_filter, run_remove_pod
from scheduler_core.framework.interface import FilterPlugin, Plugin, PreFilterPlugin, PreFilterResult
from scheduler_core.framework.status import SKIP, SUCCESS, Code, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import Stage, plugin

POD = make_pod("p").build()
NO, NEVER = Status.unschedulable("no"), Status.unresolvable("never")


def fails(*arguments: Any) -> Any:
    raise PluginError("boom")


def pre_filter(name: str, status: Status = SUCCESS, names: str | None = None) -> type[Plugin]:
    result = PreFilterResult(status, None if names is None else frozenset(names))
    return plugin(name, PreFilterPlugin, pre_filter=lambda state, pod, nodes: result)


PRE_FILTERS = [
    # name, plugins, status, nodes that are left, plugins that narrowed, plugins that were asked
    ("nothing to say", [pre_filter("A"), pre_filter("B")], SUCCESS, None, []),
    ("both narrow", [pre_filter("B", names="xy"), pre_filter("A", names="yz")], SUCCESS, "y", ["A", "B"]),
    (
        "nobody is left",
        [pre_filter("B", names="x"), pre_filter("A", names="y")],
        Status.unresolvable("node(s) didn't satisfy plugin(s) [A B] simultaneously"),
        "",
        ["A", "B"],
    ),
    (
        "one plugin leaves nobody",
        [pre_filter("A", names="")],
        Status.unresolvable("node(s) didn't satisfy plugin A"),
        "",
        ["A"],
    ),
    (
        "the later ones run after a rejection",
        [pre_filter("A", NO), pre_filter("B", names="x")],
        NO.with_plugin("A"),
        "x",
        ["B"],
    ),
    ("the last rejection stands", [pre_filter("A", NO), pre_filter("B", NO)], NO.with_plugin("B"), None, []),
    ("unresolvable ends it", [pre_filter("A", NEVER), pre_filter("B", NO)], NEVER.with_plugin("A"), None, []),
    (
        "an error ends it",
        [plugin("A", PreFilterPlugin, pre_filter=fails), pre_filter("B", NEVER)],
        Status(Code.ERROR, ('running PreFilter plugin "A": boom',), "A"),
        None,
        [],
    ),
]


@pytest.mark.parametrize(("name", "plugins", "status", "left", "narrowing"), PRE_FILTERS)
def test_pre_filter(
    name: str, plugins: list[type[Plugin]], status: Status, left: str | None, narrowing: list[str]
) -> None:
    stage = Stage(plugins, [make_node(name) for name in "xyz"])
    outcome = run_pre_filter(stage.framework, CycleState(), POD, stage.nodes, None)
    assert outcome.status == status
    assert outcome.node_names == (None if left is None else frozenset(left))
    assert outcome.narrowing == narrowing


def on(asked: dict[str, list[str]], name: str, answers: Callable[[str], Status], *more: type[Plugin]) -> type[Plugin]:
    """A filter that says `answers(node)` and notes which nodes it was asked about."""

    def filter_(state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        asked.setdefault(name, []).extend(nodes.names)
        return Verdicts.from_statuses([answers(name) for name in nodes.names])

    return plugin(name, FilterPlugin, *more, filter=filter_, pre_filter=lambda *_: PreFilterResult(SKIP))


def test_a_node_drops_out_at_the_first_plugin_that_rejects_it() -> None:
    asked: dict[str, list[str]] = {}
    first = on(asked, "First", lambda name: NO if name == "x" else SUCCESS)
    second = on(asked, "Second", lambda name: NEVER if name in "xy" else SUCCESS)
    stage = Stage([first, second], [make_node(name) for name in "xyz"])
    outcome = run_filters(stage.framework, CycleState(), POD, stage.nodes)
    assert [outcome.statuses[code] for code in outcome.codes] == [
        NO.with_plugin("First"),
        NEVER.with_plugin("Second"),
        SUCCESS,
    ]
    assert asked == {"First": ["x", "y", "z"], "Second": ["y", "z"]}


def test_nobody_is_asked_about_no_node() -> None:
    asked: dict[str, list[str]] = {}
    stage = Stage([on(asked, "First", lambda _: NO), on(asked, "Second", lambda _: NO)], [make_node("x")])
    run_filters(stage.framework, CycleState(), POD, stage.nodes)
    assert "Second" not in asked


def test_a_plugin_that_skipped_at_pre_filter_is_not_asked() -> None:
    asked: dict[str, list[str]] = {}
    stage = Stage(
        [on(asked, "Skips", lambda _: NO, PreFilterPlugin), on(asked, "Runs", lambda _: NO)], [make_node("x")]
    )
    state = CycleState()
    run_pre_filter(stage.framework, state, POD, stage.nodes, None)
    outcome = run_filters(stage.framework, state, POD, stage.nodes)
    assert asked == {"Runs": ["x"]}
    assert outcome.statuses[outcome.codes[0]] == NO.with_plugin("Runs")


def test_only_plugins_that_filter_are_told_of_pods_that_come_and_go() -> None:
    told: list[str] = []

    def note(what: str) -> Status:
        told.append(what)
        return SUCCESS

    def follower(name: str, status: Status) -> type[Plugin]:
        return plugin(
            name,
            PreFilterPlugin,
            pre_filter=lambda *_: PreFilterResult(status),
            add_pod=lambda *_: note(f"{name} +"),
            remove_pod=lambda *_: note(f"{name} -"),
        )

    stage = Stage([follower("Skips", SKIP), follower("Runs", SUCCESS)], [make_node("x")])
    state = CycleState()
    run_pre_filter(stage.framework, state, POD, stage.nodes, None)
    other, node = make_pod("other").build(), stage.nodes[0]
    assert run_add_pod(stage.framework, state, POD, other, node) == SUCCESS
    assert run_remove_pod(stage.framework, state, POD, other, node) == SUCCESS
    assert told == ["Runs +", "Runs -"]


@pytest.mark.parametrize(
    ("name", "filter_", "text"),
    [
        ("it raises", fails, 'running "F" filter plugin: boom'),
        ("an answer that filters do not give", lambda *_: Status(Code.WAIT, ("w",)), 'running "F" filter plugin: w'),
    ],
)
def test_whatever_is_neither_yes_nor_no_is_an_error(name: str, filter_: Callable[..., Any], text: str) -> None:
    def asked(state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.same(len(nodes), filter_(state, pod, nodes))

    stage = Stage([plugin("F", FilterPlugin, filter=asked)], [make_node("x")])
    outcome = run_filters(stage.framework, CycleState(), POD, stage.nodes)
    assert outcome.statuses[outcome.codes[0]] == Status(Code.ERROR, (text,), "F")


def test_all_filters_say_all_that_is_wrong() -> None:
    asked: dict[str, list[str]] = {}
    plugins = [on(asked, "A", {"x": NO, "y": SUCCESS}.__getitem__), on(asked, "B", {"x": NEVER, "y": NO}.__getitem__)]
    stage = Stage(plugins, [make_node("x"), make_node("y")])
    stage.framework.all_filters = True
    outcome = run_filters(stage.framework, CycleState(), POD, stage.nodes)
    both = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("no", "never"), "A", ("B",))
    assert [outcome.statuses[code] for code in outcome.codes] == [both, NO.with_plugin("B")]
    assert asked == {"A": ["x", "y"], "B": ["x", "y"]}
