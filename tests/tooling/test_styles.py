"""Style sheets: a class by itself is drawn in one file, or two views that use a word for two things draw each other.

That file lies beside a view that uses the class, or in a room that all share. And every file keeps to the length of a
line.
"""

import re
from collections import defaultdict
from pathlib import Path

from tests.tooling.test_sizes import files, text, written

ROOT = Path(__file__).parents[2]
SHEETS = ROOT / "static" / "js"
RULE = re.compile(r"^\s*([^{}@/;]+)\{", re.MULTILINE)
ALONE = re.compile(r"\.[\w-]+")
SHARED = {"base", "parts"}
# Pages of their own, without a script: each room draws its own.
TEMPLATES = {
    "certificate.html": "lesson",
    "documentation.html": "documentation",
    "index.html": "shell",
    "join.html": "class",
    "login.html": "welcome",
}


def drawn() -> dict[str, set[str]]:
    """Each class that a rule is for without saying where it stands, and the files that have one."""
    found: dict[str, set[str]] = defaultdict(set)
    for sheet in sorted(SHEETS.rglob("*.css")):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
        for rule in RULE.findall(text):
            for selector in rule.split(","):
                if ALONE.fullmatch(selector.strip()):
                    found[selector.strip()].add(sheet.relative_to(SHEETS).as_posix())
    return found


def test_a_class_is_drawn_in_one_file() -> None:
    found = drawn()
    assert len(found) > 200
    assert {name: sorted(files) for name, files in found.items() if len(files) > 1} == {}


def words_of_rooms() -> dict[str, set[str]]:
    """Every word in the scripts and the page of a room: what a class is given by."""
    found: dict[str, set[str]] = defaultdict(set)
    for script in SHEETS.rglob("*.js"):
        found[script.parent.name].update(re.findall(r"[\w-]+", script.read_text()))
    for page in (ROOT / "templates").rglob("*.html"):
        if room := TEMPLATES.get(page.name):
            found[room].update(re.findall(r"[\w-]+", page.read_text()))
    return found


def test_a_class_is_drawn_beside_a_view_that_uses_it() -> None:
    words = words_of_rooms()
    away = {
        name: room
        for name, (sheet, *_) in ((name, sorted(files)) for name, files in drawn().items())
        # `heat-${step}` gives every class that begins so.
        if (room := sheet.split("/")[0]) not in SHARED
        and words[room].isdisjoint((name[1:], f"{name[1:].split('-')[0]}-"))
    }
    assert away == {}


def test_no_line_is_too_long() -> None:
    """Biome and Ruff break what they understand; markup, and what a linter is told, is broken by hand."""
    code = [*written(), *(name for name in files() if name.endswith((".toml", ".jsonc")))]
    lines = {name: text(name).splitlines() for name in code}
    assert len(lines) > 1800
    assert [f"{name}:{n}" for name, own in lines.items() for n, line in enumerate(own, 1) if len(line) > 120] == []
