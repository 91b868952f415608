"""Write the table of commands into docs/reference/commands-and-trace.md: `python tools/commands.py`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from simulator.simulation.commands.table import COMMANDS  # noqa: E402

DOCUMENT = ROOT / "docs" / "reference" / "commands-and-trace.md"
HEAD = "| Kind | Fields | What it does |\n| --- | --- | --- |\n"
# A table ends with its first line that is no row.
_TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\n)*")


def table() -> str:
    """Return a row per command, in the order of the list."""
    rows = [(f"`{one.kind}`", one.notation(), one.about) for one in COMMANDS.values()]
    return HEAD + "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def text() -> str:
    """Return the whole page with the current table."""
    before, after = _TABLE.split(DOCUMENT.read_text(encoding="utf-8"))
    return before + table() + after


def main() -> None:
    DOCUMENT.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
