"""Write docs/reference/settings.md from the table in the code: `python tools/settings.py`, or `--check`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from playground.settings.settings_table import SETTINGS  # noqa: E402

DOCUMENT = ROOT / "docs" / "reference" / "settings.md"
HEAD = """\
# Settings

Look up the settings of a playground. All settings are environment variables, and an empty one has its default.
A wrong value stops the start, with a message about each wrong setting.
To start a second playground beside the first, run `make run PORT=8001 DATA_DIR=./data2`.
`make docs` writes this page from `playground/settings/settings_table.py`.
"""


def text() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for title, settings in SETTINGS.items():
        rows = [f"| `{one.name}` | {one.default} | {one.meaning} |" for one in settings]
        parts.append(
            "\n".join([f"## {title}\n", "| Setting | Default | Meaning |", "| --- | --- | --- |", *rows]) + "\n"
        )
    return "\n".join(parts)


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if DOCUMENT.read_text() == text() else f"{DOCUMENT.name} is not what `make docs` writes")
    DOCUMENT.write_text(text())


if __name__ == "__main__":
    main()
