"""Whatever the page can show has an entry."""

from collections.abc import Iterable

import pytest

from scheduler_core.emulations import EMULATIONS
from scheduler_core.facts.links import DOCS
from scheduler_core.framework.events import ActionType, ClusterEvent, EventResource, QueueingHint
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import Code
from scheduler_core.queue.cluster_events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    BACKOFF_COMPLETE,
    DONE,
    FORCE_ACTIVATE,
    NODE_ADD,
    NODE_DELETE,
    POP,
    POP_FROM_BACKOFF_QUEUE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
    UNSCHEDULED_POD_ADD,
)
from scheduler_core.queue.moves import SubQueue
from simulator.explain.events import EVENTS
from simulator.explain.glossary import glossary, look_up
from simulator.simulation.journal import BOUND, GONE, IGNORED, NEW, WAITING

SHOWN: dict[str, Iterable[str]] = {
    "point": [point.value for point in ExtensionPoint],
    "step": ["Sample", "SelectHost", "Assume", "WaitOnPermit"],
    "plugin": list(dict.fromkeys(name for emulation in EMULATIONS.values() for name in emulation.registry)),
    "code": [code.upstream_name for code in Code],
    "lane": [lane.value for lane in SubQueue if lane.value] + [WAITING, BOUND, IGNORED, GONE, NEW],
    "hint": [hint.value for hint in QueueingHint],
    "event": EVENTS,
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in SHOWN.items() for name in names])
def test_has_an_entry(kind: str, name: str) -> None:
    entry = look_up(kind, name)
    assert entry is not None, f"{kind} {name} has no entry in simulator/explain/glossary.py"
    assert entry["url"].startswith(f"{DOCS}/")
    # What an event was is said in the middle of a line.
    assert entry["text"]["text"].endswith(".") != (kind == "event")


def test_events_are_those_that_move_pods() -> None:
    caused = {ClusterEvent(resource, action).label for resource in EventResource for action in ActionType}
    special = {one.label for one in (UNSCHEDULABLE_TIMEOUT, FORCE_ACTIVATE)}
    own = {SCHEDULE_ATTEMPT_FAILURE, BACKOFF_COMPLETE, POP_FROM_BACKOFF_QUEUE, POP, DONE}
    usual = {one.label for one in (ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, UNSCHEDULED_POD_ADD, NODE_ADD, NODE_DELETE)}
    general = {ClusterEvent(resource, ActionType.UPDATE).label for resource in EventResource}
    assert special | own | usual <= set(EVENTS) <= caused | special | own | general


def test_nothing_else_is_in_it() -> None:
    assert {(entry["kind"], entry["name"]) for entry in glossary()} == {
        (kind, name) for kind, names in SHOWN.items() for name in names
    }


def test_what_is_not_known_is_none() -> None:
    assert look_up("plugin", "Gang") is None
    assert look_up("poem", "Gang") is None
