"""docs/reference/cli.md: every command in it runs, and prints what the page says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "cli.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
# A line that stands for any number of lines.
ANYTHING = "…"


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_commands_print_what_the_page_says(block: str, tmp_path: Path) -> None:
    check(block, tmp_path)


def test_every_option_of_run_is_on_the_page() -> None:
    usage = shell("python -m playground run --help", ROOT)
    options = set(re.findall(r"--[a-z-]+", usage)) - {"--help"}
    assert options and not {option for option in options if option not in PAGE}


def check(block: str, folder: Path) -> None:
    """Run the commands of a block in an empty folder, with the examples in it."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for command, said in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE):
        pattern = "".join(r"(?:.*\n)*" if line == ANYTHING else re.escape(line) + "\n" for line in said.splitlines())
        assert re.fullmatch(pattern, printed := shell(command, folder)), f"$ {command}\n{printed}"


def shell(command: str, folder: Path) -> str:
    """What a command prints, errors included."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environ = {"PATH": path, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout
