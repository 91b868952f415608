"""Style sheets: a class by itself is drawn in one file, or two views that use a word for two things draw each other."""

import re
from collections import defaultdict
from pathlib import Path

SHEETS = Path(__file__).parents[2] / "static" / "js"
RULE = re.compile(r"^\s*([^{}@/;]+)\{", re.MULTILINE)
ALONE = re.compile(r"\.[\w-]+")


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
