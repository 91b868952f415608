"""tools/check.py: which stage a test is in, what runs on both databases, and how many passed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed import SELECTION
from tools import check

ROOT = Path(__file__).resolve().parents[2]


def test_every_folder_with_tests_is_in_one_stage() -> None:
    found = {f"tests/{path.relative_to(ROOT / 'tests').parts[0]}" for path in (ROOT / "tests").rglob("test_*.py")}
    named = [folder for stage in check.NAMES for folder in check.folders(stage)]
    assert sorted(named) == sorted(found)


# A package with one of these answers requests. `api` only lists the addresses of the others.
ANSWERING = ("urls.py", "views.py", "consumers.py")


def test_every_feature_is_tested_on_both_databases() -> None:
    answering = {path.parent.name for name in ANSWERING for path in (ROOT / "playground").glob(f"*/{name}")} - {"api"}
    packages = {path.parent.name for path in (ROOT / "playground").glob("*/__init__.py")}
    assert answering <= SELECTION.keys() <= packages
    assert all(SELECTION.values())


def test_every_selected_test_exists() -> None:
    for test in (test for tests in SELECTION.values() for test in tests):
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text())
        functions = {part.name for part in tree.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert not name or name in functions, test


TESTS = [
    # name, what the file says, passed and failed
    ("one of each", "def test_a(): pass\ndef test_b(): assert False\n", (1, 1)),
    ("a fixture that fails", "import pytest\n@pytest.fixture\ndef f(): 1 / 0\ndef test_a(f): pass\n", (0, 1)),
    ("it cannot be read", "def test_a(: pass\n", (0, 1)),
    ("all is well", "def test_a(): pass\ndef test_b(): pass\n", (2, 0)),
]


@pytest.mark.parametrize(("name", "text", "want"), TESTS, ids=[row[0] for row in TESTS])
def test_what_passed_and_failed_is_counted(tmp_path: Path, name: str, text: str, want: tuple[int, int]) -> None:
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}", "."]
    # What is written is pytest's own; loading the plugins takes longer than all the rest.
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=tmp_path, capture_output=True, env=environ)
    assert check.counted(report) == want


def test_a_run_that_was_killed_is_a_failure(tmp_path: Path) -> None:
    assert check.counted(tmp_path / "report.xml") == (0, 1)
