"""Whatever the page can show has an entry."""

from collections.abc import Iterable

import pytest

from scheduler_core.emulations import EMULATIONS
from scheduler_core.explain.glossary import DOCS, glossary, look_up
from scheduler_core.framework.events import Hint
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import Code
from scheduler_core.queue.moves import SubQueue
from scheduler_core.simulation.journal import BOUND, GONE, IGNORED, NEW, WAITING

SHOWN: dict[str, Iterable[str]] = {
    "point": [point.value for point in ExtensionPoint],
    "step": ["Sample", "SelectHost", "Assume", "WaitOnPermit"],
    "plugin": list(dict.fromkeys(name for emulation in EMULATIONS.values() for name in emulation.registry)),
    "code": [code.upstream_name for code in Code],
    "lane": [lane.value for lane in SubQueue if lane.value] + [WAITING, BOUND, IGNORED, GONE, NEW],
    "hint": [hint.value for hint in Hint],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in SHOWN.items() for name in names])
def test_has_an_entry(kind: str, name: str) -> None:
    entry = look_up(kind, name)
    assert entry is not None, f"{kind} {name} has no entry in scheduler_core/explain/glossary.py"
    assert entry["url"].startswith(f"{DOCS}/")
    assert entry["text"]["text"].endswith(".")


def test_nothing_else_is_in_it() -> None:
    assert {(entry["kind"], entry["name"]) for entry in glossary()} == {
        (kind, name) for kind, names in SHOWN.items() for name in names
    }


def test_what_is_not_known_is_none() -> None:
    assert look_up("plugin", "Gang") is None
    assert look_up("poem", "Gang") is None
