"""The pinned requirements: exact, hashed, from anywhere, and each one explained."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAIRS = [("requirements.in", "requirements.txt"), ("requirements-dev.in", "requirements-dev.txt")]


def asked(file: str) -> list[str]:
    """The names in a hand-written file, in their normal form."""
    rows = [row for row in (ROOT / file).read_text().splitlines() if row and not row.startswith(("#", "-r"))]
    return [normal(re.split(r"[\[<>=]", row)[0]) for row in rows]


def pinned(file: str) -> dict[str, str]:
    """Name to version, with the extra and the environment marker left out."""
    rows = re.findall(r"^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)", (ROOT / file).read_text(), re.MULTILINE)
    return {normal(name): version for name, version in rows}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize(("source", "pins"), PAIRS)
def test_every_dependency_is_pinned_with_hashes(source: str, pins: str) -> None:
    assert set(asked(source)) <= pinned(pins).keys(), "run `make lock`"
    entries = re.split(r"\n(?=\S)", (ROOT / pins).read_text().strip())
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize(("source", "pins"), PAIRS)
def test_no_index_and_no_host_is_named(source: str, pins: str) -> None:
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host", (ROOT / pins).read_text())


def test_development_adds_to_what_users_run_and_changes_none_of_it() -> None:
    runtime, development = pinned("requirements.txt"), pinned("requirements-dev.txt")
    assert {name: development.get(name) for name in runtime} == runtime


@pytest.mark.parametrize("name", asked("requirements.in") + asked("requirements-dev.in"))
def test_every_dependency_has_its_reason(name: str) -> None:
    decisions = (ROOT / "docs" / "contributing" / "decisions.md").read_text()
    explained = re.findall(r"^\| `([^`]+)`", decisions, re.MULTILINE)
    assert name in [normal(each.split("[")[0]) for each in explained]
