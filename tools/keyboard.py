"""Write docs/reference/keyboard.md from the tables of actions in `static/js`: `python tools/keyboard.py`."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "static" / "js"
TABLE = SCRIPTS / "palette" / "action_table.js"
DOCUMENT = ROOT / "docs" / "reference" / "keyboard.md"
HEAD = """\
# Keyboard

Use the playground without a mouse. Press `?` for this list in the playground, or `Ctrl+K` to find any action by its
words. In that list you can also switch off all keys that are single letters or signs.
`make docs` writes this page from the table of actions.
"""
TAIL = """
## In a view

| Key | Action |
| --- | --- |
| `↑` `↓` `Enter` | Move and pin, in the map, the matrix and the table |
| `←` `→` | Move through the timeline; open and close a row |
"""

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[^"]+)";$', re.MULTILINE)
_GROUP = re.compile(r'actionGroup\(\s*_\("([^"]+)"\)(.*?)(?=actionGroup\(|\Z)', re.DOTALL)
_ROW = re.compile(r'\[\s*"[\w-]+",\s*_\("([^"]+)"\),\s*\[((?:singleKey\([^)]*"\)|\{[^}]*\}|[,\s])+)\]')
_KEY = re.compile(r'singleKey\((?:"[^"]+", )?"([^"]+)"\)|shown: "([^"]+)"')


def text() -> str:
    """Return the whole page. Actions without a key are left out."""
    parts = [HEAD]
    for title, rows in _list_groups():
        lines = "".join(f"| {keys} | {label[0].upper()}{label[1:]} |\n" for label, keys in rows)
        parts.append(f"## {title}\n\n| Key | Action |\n| --- | --- |\n{lines}")
    return "\n".join(parts) + TAIL


def _list_groups() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the title of each group with the labels and keys of its actions."""
    for name in _IMPORT.findall(TABLE.read_text(encoding="utf-8")):
        source = (TABLE.parent / name).read_text(encoding="utf-8")
        for title, body in _GROUP.findall(source):
            rows = [(label, _format_keys(keys)) for label, keys in _ROW.findall(body) if _KEY.search(keys)]
            if rows:
                yield title, rows


def _format_keys(source: str) -> str:
    return " ".join(f"`{single or shown}`" for single, shown in _KEY.findall(source))


def main() -> None:
    DOCUMENT.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
