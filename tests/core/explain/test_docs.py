"""docs/explain.md: its commands print what it says, and every function that it names is there."""

import importlib
import re
from pathlib import Path

import pytest

from tests.core.cli.test_cli_docs import ANYTHING, shell

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "explain.md").read_text()
(BLOCK,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", BLOCK, re.DOTALL | re.MULTILINE)
FUNCTIONS = re.findall(r"`(\w+)\.(\w+)\((.*?)\)`", PAGE)


@pytest.mark.parametrize(("command", "said"), COMMANDS)
def test_the_commands_print_what_the_page_says(command: str, said: str) -> None:
    pattern = "".join(r"(?:.*\n)*" if line == ANYTHING else re.escape(line) + "\n" for line in said.splitlines())
    assert re.fullmatch(pattern, printed := shell(command, ROOT)), f"$ {command}\n{printed}"


@pytest.mark.parametrize(("module", "function", "parameters"), FUNCTIONS)
def test_the_functions_are_there(module: str, function: str, parameters: str) -> None:
    found = getattr(importlib.import_module(f"scheduler_core.explain.{module}"), function)
    count = found.__code__.co_argcount
    assert len(parameters.split(", ")) <= count if parameters else count == 0


def test_enough_is_documented() -> None:
    assert len(FUNCTIONS) > 10
