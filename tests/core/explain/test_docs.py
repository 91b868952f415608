"""Check the commands and outputs in docs/reference/explanation-json.md."""

import re
import shlex
from pathlib import Path

import pytest

from playground.__main__ import main
from tests.core.cli.test_cli_docs import check

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "explanation-json.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
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
