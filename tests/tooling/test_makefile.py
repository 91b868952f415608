"""The Makefile says of itself what it can do."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Steps of other targets, nothing to call by hand.
INTERNAL = {"env", "env-dev"}


def targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_help_is_what_bare_make_prints_and_lists_every_target() -> None:
    shown = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = re.findall(r"^  make ([a-z-]+) +\S", shown, re.MULTILINE)
    assert set(listed) == targets() - INTERNAL


def test_every_target_is_phony() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == targets()


def test_readme_names_only_targets_that_exist() -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"`?make ([a-z][a-z-]*)\b", "\n".join(_commands(ROOT / page))))
        assert named
        assert named <= targets(), page


def _commands(page: Path) -> list[str]:
    """What a page shows as code: between backticks, or in a fenced block."""
    text = page.read_text()
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return fenced + re.findall(r"`([^`\n]+)`", text)
