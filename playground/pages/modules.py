"""The page's modules as a graph: which of them it begins with, and therefore loads before it draws anything."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from playground.places import ROOT

STATIC = ROOT / "static"
START = STATIC / "js" / "main.js"

_IMPORT = re.compile(r'^import (?:[^"]* from )?"(\.[^"]+)";$', re.MULTILINE)
# Views that the first screen may begin with, each loaded when it does.
_EARLY = re.compile(r'= early\(\s*\(\) =>\s*import\("(\.[^"]+)"\)')


def reached(early: bool = False) -> list[Path]:
    """What `main.js` imports, and all that those import, it among them; `early` ones too."""
    found, waiting = {START}, [START]
    while waiting:
        here = waiting.pop()
        new = set(_imports(here, early)) - found
        found |= new
        waiting += new
    return sorted(found)


def _imports(path: Path, early: bool) -> Iterator[Path]:
    text = path.read_text(encoding="utf-8")
    for name in [*_IMPORT.findall(text), *(_EARLY.findall(text) if early else [])]:
        yield (path.parent / name).resolve()


@cache
def first() -> list[str]:
    """Paths in `static/` of what the browser may load at once, instead of one import after another."""
    return [path.relative_to(STATIC).as_posix() for path in reached() if path != START]
