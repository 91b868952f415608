"""The environment is made when something changed, and only then."""

import shutil
from pathlib import Path

import pytest

from tests.packages import PACKAGES
from tools import env

CASES = [
    # name, level asked for, what was installed, python is there, ready
    ("nothing yet", "runtime", [], False, False),
    ("made but not installed", "runtime", [], True, False),
    ("installed", "runtime", ["runtime"], True, True),
    ("development asked for, runtime there", "dev", ["runtime"], True, False),
    ("runtime asked for, development there", "runtime", ["dev"], True, True),
    ("its Python is gone", "runtime", ["runtime"], False, False),
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the real requirements and an environment of its own."""
    for file in env.REQUIREMENTS.values():
        shutil.copy(env.ROOT / file, tmp_path)
    monkeypatch.setattr(env, "ROOT", tmp_path)
    monkeypatch.setattr(env, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(env, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    return tmp_path


def pretend(root: Path, installed: list[str], python: bool) -> None:
    (root / ".venv" / "bin").mkdir(parents=True)
    if python:
        env.PYTHON.touch()
    for level in installed:
        (env.VENV / f"installed-{level}").write_text(env.digest(level))


@pytest.mark.parametrize(("name", "level", "installed", "python", "want"), CASES, ids=[case[0] for case in CASES])
def test_is_ready(root: Path, name: str, level: str, installed: list[str], python: bool, want: bool) -> None:
    pretend(root, installed, python)
    assert env.is_ready(level) == want


@pytest.mark.parametrize("level", ["runtime", "dev"])
def test_changed_requirements_are_installed_again(root: Path, level: str) -> None:
    pretend(root, ["runtime", "dev"], python=True)
    assert env.is_ready(level)
    for file in env.REQUIREMENTS.values():
        with (root / file).open("a") as requirements:
            requirements.write("# changed\n")
    assert not env.is_ready(level)


def test_our_own_packages_are_compiled() -> None:
    """All that a start imports, so that none has to be compiled at each start where Python may not write."""
    assert set(PACKAGES) <= set(env.packages())


@pytest.mark.parametrize(
    ("name", "uv", "want"),
    [
        ("nobody has uv", None, ["pip"]),
        ("uv does it", 0, ["uv"]),
        ("uv knows no index", 2, ["uv", "pip"]),
    ],
)
def test_who_installs(
    root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, uv: int | None, want: list[str]
) -> None:
    log = root / "called"
    pretend(root, [], python=False)
    programs = {env.PYTHON: 0} | ({} if uv is None else {tmp_path / "uv": uv})
    for program, code in programs.items():
        program.write_text(f"#!/bin/sh\necho $0 $* >> {log}\nexit {code}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    env.install("runtime")
    lines = [line for line in log.read_text().splitlines() if "--require-hashes --requirement requirements.txt" in line]
    assert ["uv" if line.startswith(str(tmp_path / "uv")) else "pip" for line in lines] == want
    assert env.is_ready("runtime")
