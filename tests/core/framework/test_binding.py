"""Reserve to PostBind, and PostFilter: who is asked in which order, and whose answer decides."""

from typing import Any

import pytest

from scheduler_core.framework.binding import run_bind, run_permit, run_pre_bind, run_reserve, run_unreserve
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.interface import (
    BindPlugin,
    PermitPlugin,
    PermitResult,
    Plugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    ReservePlugin,
)
from scheduler_core.framework.post_filter import run_post_filter
from scheduler_core.framework.status import SKIP, SUCCESS, Code, PluginError, Status
from scheduler_core.framework.waiting import MAX_TIMEOUT
from tests.conformance.testing import make_pod
from tests.core.framework.scripted_profile import Stage, plugin

POD = make_pod("p").build()
NO, NEVER = Status.unschedulable("no"), Status.unresolvable("never")
WAIT = Status(Code.WAIT)


def fails(*arguments: Any) -> Any:
    raise PluginError("boom")


def reserves(log: list[str], name: str, status: Status = SUCCESS) -> type[Plugin]:
    def reserve(*_: Any) -> Status:
        log.append(f"reserve {name}")
        return status

    return plugin(name, ReservePlugin, reserve=reserve, unreserve=lambda *_: log.append(f"unreserve {name}"))


def test_reserve_stops_at_the_first_rejection_and_all_are_undone_backwards() -> None:
    log: list[str] = []
    framework = Stage([reserves(log, "A"), reserves(log, "B", NO), reserves(log, "C")]).framework
    assert run_reserve(framework, CycleState(), POD, "x", None) == NO.with_plugin("B")
    run_unreserve(framework, CycleState(), POD, "x", None)
    assert log == ["reserve A", "reserve B", "unreserve C", "unreserve B", "unreserve A"]


def permits(name: str, status: Status, timeout: float = 0.0) -> type[Plugin]:
    return plugin(name, PermitPlugin, permit=lambda *_: PermitResult(status, timeout))


PERMITS = [
    # name, plugins, status, deadlines
    ("all allow", [permits("A", SUCCESS), permits("B", SUCCESS)], SUCCESS, None),
    ("a rejection beats waiting", [permits("A", WAIT, 5), permits("B", NO)], NO.with_plugin("B"), None),
    ("nobody is asked after a rejection", [permits("A", NEVER), permits("B", WAIT, 5)], NEVER.with_plugin("A"), None),
    (
        "two wait, each for its time",
        [permits("A", WAIT, 5), permits("B", SUCCESS), permits("C", WAIT, 10**6)],
        Status(Code.WAIT, ('one or more plugins asked to wait and no plugin rejected pod "p"',)),
        {"A": (5.0, 5), "C": (MAX_TIMEOUT, MAX_TIMEOUT)},
    ),
    (
        "an error",
        [plugin("A", PermitPlugin, permit=fails)],
        Status(Code.ERROR, ('running Permit plugin "A": boom',), "A"),
        None,
    ),
]


@pytest.mark.parametrize(("name", "plugins", "status", "deadlines"), PERMITS)
def test_permit(name: str, plugins: list[type[Plugin]], status: Status, deadlines: Any) -> None:
    found, waiting = run_permit(Stage(plugins).framework, CycleState(), POD, "x", None)
    assert found == status
    assert (None if waiting is None else waiting.deadlines) == deadlines


def binds(name: str, status: Status) -> type[Plugin]:
    return plugin(name, BindPlugin, bind=lambda *_: status)


BINDS = [
    (
        "the first that does not skip decides",
        [binds("A", SKIP), binds("B", NO), binds("C", SUCCESS)],
        NO.with_plugin("B"),
    ),
    ("all skip", [binds("A", SKIP), binds("B", SKIP)], SKIP),
    ("success needs no name", [binds("A", SUCCESS), binds("B", NO)], SUCCESS.with_plugin("A")),
    (
        "an error",
        [plugin("A", BindPlugin, bind=fails), binds("B", SUCCESS)],
        Status(Code.ERROR, ('running Bind plugin "A": boom',), "A"),
    ),
]


@pytest.mark.parametrize(("name", "plugins", "status"), BINDS)
def test_bind(name: str, plugins: list[type[Plugin]], status: Status) -> None:
    assert run_bind(Stage(plugins, binder=False).framework, CycleState(), POD, "x", None) == status


def test_an_error_at_pre_bind_says_where() -> None:
    stage = Stage([plugin("A", PreBindPlugin, pre_bind=fails)])
    want = Status(Code.ERROR, ('running PreBind plugin "A": boom',), "A")
    assert run_pre_bind(stage.framework, CycleState(), POD, "x", None) == (want, None)


def answers(name: str, status: Status, nominated: str | None = None) -> type[Plugin]:
    return plugin(name, PostFilterPlugin, post_filter=lambda *_: PostFilterResult(status, nominated))


POST_FILTERS = [
    # name, plugins, status, nomination
    (
        "the first success decides",
        [answers("A", SUCCESS, "x"), answers("B", SUCCESS, "y")],
        SUCCESS.with_plugin("A"),
        "x",
    ),
    ("unresolvable decides", [answers("A", NEVER), answers("B", SUCCESS, "y")], NEVER.with_plugin("A"), None),
    (
        "the reasons of all that reject, and the last nomination",
        [answers("A", NO, ""), answers("B", Status.unschedulable("nor"))],
        Status(Code.UNSCHEDULABLE, ("no", "nor"), "A"),
        "",
    ),
    (
        "an error decides",
        [plugin("A", PostFilterPlugin, post_filter=fails), answers("B", SUCCESS, "y")],
        Status(Code.ERROR, ("boom",), "A"),
        None,
    ),
]


@pytest.mark.parametrize(("name", "plugins", "status", "nominated"), POST_FILTERS)
def test_post_filter(name: str, plugins: list[type[Plugin]], status: Status, nominated: str | None) -> None:
    result = run_post_filter(Stage(plugins).framework, CycleState(), POD, NodeToStatus({}), None)
    assert (result.status, result.nominated_node) == (status, nominated)
