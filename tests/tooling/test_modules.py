"""The page's modules import what they use, and export what somebody else uses.

Imports and exports have one shape here; what has another fails, so that nothing slips past.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import page

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "static" / "js"
MODULES = {path.resolve(): path.read_text() for path in sorted(SCRIPTS.rglob("*.js"))}
TESTS = [path.read_text() for path in (ROOT / "tests" / "browser").rglob("*.py")]

IMPORT = re.compile(r'^import (?:\{(?P<names>[^{}]+)\} from )?"(?P<path>[^"]+)";$', re.MULTILINE)
LATER = re.compile(r'\bimport\("([^"]+)"\)')
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
REMARK = re.compile(r"^\s*(?://|/\*\*|\*).*$", re.MULTILINE)


# A module that is loaded later comes after its words, or its words are among the first ones.
WAITS = re.compile(r"(?:loadWithMessages|lazy|early)\(\s*\(\) =>\s*$")


def imports(text: str) -> Iterator[tuple[str, str, str]]:
    """(path, name there, name here) of everything that is imported by name."""
    for found in IMPORT.finditer(text):
        for entry in (found["names"] or "").split(","):
            there, _, here = entry.strip().partition(" as ")
            if there:
                yield found["path"], there, here or there


def mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def used() -> set[tuple[Path, str]]:
    """(module, name) of what modules import from each other, at their head or when it is needed."""
    found = set()
    for path, text in MODULES.items():
        found |= {((path.parent / target).resolve(), name) for target, name, _ in imports(text)}
        for target in LATER.findall(text):
            module = (path.parent / target).resolve()
            found |= {(module, name) for name in EXPORT.findall(MODULES.get(module, "")) if mentions(text, name)}
    return found


@pytest.mark.parametrize("path", MODULES, ids=[path.relative_to(SCRIPTS).as_posix() for path in MODULES])
def test_imports_and_exports_have_one_shape(path: Path) -> None:
    text = MODULES[path]
    imports = [found.start() for found in re.finditer(r"^import ", text, re.MULTILINE)]
    assert [text[at:].splitlines()[0] for at in imports if not IMPORT.match(text, at)] == []
    lines = text.splitlines()
    assert [line for line in lines if line.startswith("export ") and not EXPORT.match(line)] == []


@pytest.mark.parametrize("path", MODULES, ids=[path.relative_to(SCRIPTS).as_posix() for path in MODULES])
def test_what_is_imported_is_used(path: Path) -> None:
    rest = REMARK.sub("", IMPORT.sub("", MODULES[path]))
    assert [name for _, _, name in imports(MODULES[path]) if not mentions(rest, name)] == []


def tried(module: str, name: str) -> bool:
    """Whether a test calls it: those of pure parts import the module in the browser."""
    return any(module in text and mentions(text, name) for text in TESTS)


@pytest.mark.parametrize("path", MODULES, ids=[path.relative_to(SCRIPTS).as_posix() for path in MODULES])
def test_what_is_loaded_later_waits_for_its_words(path: Path) -> None:
    text = MODULES[path]
    found = [(text[: call.start()], call[1]) for call in LATER.finditer(text)]
    assert [name for before, name in found if "/vendor/" not in name and not WAITS.search(before)] == []


def test_what_is_exported_is_imported() -> None:
    found, idle = used(), []
    for path, text in MODULES.items():
        module = path.relative_to(SCRIPTS.resolve()).as_posix()
        names = [name for name in EXPORT.findall(text) if (path, name) not in found and not tried(module, name)]
        idle += [f"{module}: {name}" for name in names]
    assert idle == []


def test_every_module_is_reached_from_where_types_are_checked() -> None:
    waiting = [(ROOT / start).resolve() for start in page.STARTS]
    found = set(waiting)
    while waiting:
        path = waiting.pop()
        named = [*(found["path"] for found in IMPORT.finditer(MODULES[path])), *LATER.findall(MODULES[path])]
        new = {(path.parent / name).resolve() for name in named} & MODULES.keys() - found
        found |= new
        waiting += new
    assert MODULES.keys() - found == set()
