"""Check the floors of static/js: `python tools/page_floors.py`.

A module imports only its own folder and the floors below. Biome finds circles of imports (biome.jsonc).

Where a lower floor needs a higher one, the higher one registers a handler when the page starts (static/js/main.js).
"""

import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent / "static" / "js"

# From the bottom to the top. Folders of the same floor do not import each other.
FLOORS = (
    {"base"},
    {"parts"},
    {"cycle"},
    {"access", "gang", "nodes", "pictures"},
    {"clusters", "pipeline"},
    {"branches", "share", "upgrade"},
    {"drive"},
    {"life", "profile", "repair"},
    {"compare", "explain", "import", "lesson", "workloads"},
    {"devices", "matrix", "objects", "queues", "terminal"},
    {"cluster", "details", "source"},
    {"capacity", "class", "welcome"},
    {"palette"},
    {"shell"},
)
HEIGHT = {folder: height for height, folders in enumerate(FLOORS) for folder in folders}

# Modules that are loaded later count, too.
IMPORT = re.compile(r'(?:^import |^\} from |^import [^"]* from |\bimport\()"(\.[^"]+)"', re.MULTILINE)


def imports(module: str, text: str) -> Iterator[str]:
    """Yield the modules that `text` imports, as paths in static/js; libraries of static/vendor are not among them."""
    for name in IMPORT.findall(text):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(module), name))
        if not path.startswith("../"):
            yield path


def folder_of(module: str) -> str:
    """Return the folder of a module; those directly in static/js start the page and belong to the shell."""
    folder, slash, _ = module.partition("/")
    return folder if slash else "shell"


def violations(modules: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each folder without a floor and each import that goes up; `modules`: {path: text}."""
    for folder in sorted({folder_of(module) for module in modules} - HEIGHT.keys()):
        yield f"static/js/{folder} has no floor. Add it to FLOORS in tools/page_floors.py."
    for module, text in sorted(modules.items()):
        folder = folder_of(module)
        for imported in imports(module, text):
            other = folder_of(imported)
            if folder != other and HEIGHT.get(folder, 0) <= HEIGHT.get(other, 0):
                yield (
                    f"static/js/{module} imports {imported}, but {folder} may import only the floors below it: "
                    f"{', '.join(below(folder)) or 'none'}. Move the module, or register a handler in main.js."
                )


def below(folder: str) -> Iterable[str]:
    """Return the folders that `folder` may import, from the bottom."""
    return [name for floor in FLOORS[: HEIGHT.get(folder, 0)] for name in sorted(floor)]


def check() -> list[str]:
    """Return what is wrong with the modules of the page, [] if nothing is."""
    return list(violations({p.relative_to(SCRIPTS).as_posix(): p.read_text("utf-8") for p in SCRIPTS.rglob("*.js")}))


if __name__ == "__main__":
    sys.exit("\n".join(check()) or None)
