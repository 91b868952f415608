"""docs/contributing/add-a-version.md names files and things in them that are there."""

import re
from pathlib import Path

import pytest

from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates.effects import EFFECTS
from scheduler_core.gates.known import VERSIONS as WITH_GATES
from simulator.simulation.commands.table import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "contributing" / "add-a-version.md").read_text()
# What the page leaves out of a path that it has named before.
ROOTS = ("", "simulator", "scheduler_core", "scheduler_core/plugins", "scheduler_core/config")
# Upstream's, and those with a place for the number of a version.
OTHERS = re.compile(
    r"pkg/|v1/|component-helpers|api/core|framework/events\.go|framework/(runtime|preemption)$"
    r"|kube-scheduler/|.*(NN|X\.Y)"
)
NAMED = sorted({path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", PAGE) if not OTHERS.match(path)})
# What it says of files beside their names.
IN_FILES = [
    ("scheduler_core/gates/known.py", "VERSIONS = "),
    ("scheduler_core/gates/effects.py", "EFFECTS: "),
    ("scheduler_core/emulations.py", "_emulation_of_v1_config(version"),
    ("scheduler_core/emulations.py", "DEFAULT = "),
    ("scheduler_core/emulations.py", "ORIGINAL_VERSION = "),
    ("scheduler_core/plugins/plugin_bundle.py", "v1_36: "),
    ("scheduler_core/framework/answer_cache.py", "def signature_of("),
    ("scheduler_core/framework/traits.py", "V1_36_TRAITS = "),
    ("scheduler_core/framework/queued_pod.py", "class QueuedPodInfo"),
    ("scheduler_core/framework/waiting.py", "class PreBindWaitingPod"),
    ("simulator/upgrade/report.py", "VERSIONS = "),
    ("static/js/clusters/new_cluster_dialog.js", "export const VERSIONS"),
]


def test_the_page_names_files() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize("path", NAMED)
def test_every_file_is_there(path: str) -> None:
    assert any((ROOT / root / path).exists() for root in ROOTS)


@pytest.mark.parametrize(("path", "text"), IN_FILES)
def test_what_it_names_is_in_the_file(path: str, text: str) -> None:
    assert text in (ROOT / path).read_text()
    name = re.findall(r"\w+", text.removeprefix("export const ").removeprefix("def ").removeprefix("class "))[0]
    assert name in PAGE or name.startswith("v1_")


def test_each_version_with_gates_has_its_entries() -> None:
    assert set(WITH_GATES) == set(EFFECTS) <= set(EMULATIONS)
    dialog = (ROOT / "static" / "js" / "clusters" / "new_cluster_dialog.js").read_text()
    assert all(f'["{version}", ' in dialog for version in EMULATIONS)


def test_the_command_that_it_names() -> None:
    assert "`set_gates`" in PAGE and "set_gates" in COMMANDS
