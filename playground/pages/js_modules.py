"""The graph of the page's JavaScript modules, and those that it loads at its start."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from playground.folders import ROOT

STATIC = ROOT / "static"
START = STATIC / "js" / "main.js"

_IMPORT = re.compile(r'^import (?:[^"]* from )?"(\.[^"]+)";$', re.MULTILINE)
# Views that the first screen may need, each loaded only then.
_EARLY = re.compile(r'= early\(\s*\(\) =>\s*import\("(\.[^"]+)"\)')


def reached(early: bool = False) -> list[Path]:
    """Return `main.js` and all modules that it imports, directly or not; with `early`, also the early views."""
    modules, waiting = {START}, [START]
    while waiting:
        here = waiting.pop()
        new = set(_imports(here, early)) - modules
        modules |= new
        waiting += new
    return sorted(modules)


def _imports(path: Path, early: bool) -> Iterator[Path]:
    text = path.read_text(encoding="utf-8")
    for name in [*_IMPORT.findall(text), *(_EARLY.findall(text) if early else [])]:
        yield (path.parent / name).resolve()


@cache
def first() -> list[str]:
    """Return the paths in `static/` that the browser may preload."""
    return [path.relative_to(STATIC).as_posix() for path in reached() if path != START]
