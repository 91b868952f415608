"""Check the commands, outputs and function names in docs/reference/explanation-json.md."""

import importlib
import re
import shlex
from pathlib import Path

import pytest

from playground.__main__ import main
from tests.core.cli.test_cli_docs import check

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "explanation-json.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
FUNCTIONS = re.findall(r"`([\w.]+)\.(\w+)\((.*?)\)`", PAGE)
# The last column of the table of views, and what its $POD stands for.
VIEWS = re.findall(r"^\| [^|]+ \| [^|]+ \| `[^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)
COMMANDS = [command for cell in VIEWS for command in re.findall(r"`(.+?)`", cell)]
(POD,) = re.findall(r"`\$POD` stands for `(.+?)`", PAGE)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_commands_print_what_the_page_says(block: str, tmp_path: Path) -> None:
    check(block, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_view_has_a_command(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    status = main(shlex.split(command.replace("$POD", POD)))
    out, err = capsys.readouterr()
    # A trace takes the standard output, and sends the report to the other one.
    assert (status, bool(out), bool(err)) == (0, True, "--trace -" in command)


def test_every_view_is_in_the_table() -> None:
    assert len(VIEWS) > 12 and len(COMMANDS) > len(VIEWS)


@pytest.mark.parametrize(("module", "function", "parameters"), FUNCTIONS)
def test_the_functions_are_there(module: str, function: str, parameters: str) -> None:
    found = getattr(importlib.import_module(f"simulator.explain.{module}"), function)
    count = found.__code__.co_argcount
    assert len(parameters.split(", ")) <= count if parameters else count == 0


def test_enough_is_documented() -> None:
    assert len(FUNCTIONS) > 10
