"""Check the wording of code: `python tools/wording.py check` compares counts with LIMITS, `list [PATH]` shows places.

Four things make a reader stop: a docstring without a named subject ("What is left of it"), a local name that says
nothing (`found`) and lives for more than three lines, two classes of one package with one name, and a private word
where Kubernetes has a term. LIMITS only ever go down.
"""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("kube_objects", "kube_apiserver", "scheduler_core", "kube_controllers", "simulator", "playground")
SCRIPTS = "static/js"

OPENING, LOCAL, CLASS, WORD = "docstring opening", "local name", "class name", "private word"
# The largest accepted number of places in product code.
LIMITS = {OPENING: 0, LOCAL: 0, CLASS: 0, WORD: 0}

_OPENINGS = re.compile(r"(What|Who|Whoever|Whose|Those|Of|Nobody|Somebody|Others)\b")
_SCRIPT_DOC = re.compile(r"/\*\*\s*(?:\*\s*)?([^\n]*)")
_VAGUE = frozenset({"at", "each", "found", "given", "kept", "one"})
_SHORT_LINES = 3
_WORDS = re.compile(
    r"\b(anew|held (?:to|against)|mends?|mended|of before|out of the house|told|tells|whoever|somebody|nobody"
    r"|rolls over|the whole way|wake-ups?)\b",
    re.IGNORECASE,
)
# An in-tree plugin keeps Kubernetes' name in every release that emulates it.
_PLUGINS = re.compile(r"scheduler_core/(plugins|legacy)/")
# Django requires these names.
_GIVEN_NAMES = frozenset({"Command", "DatabaseWrapper"})


@dataclass(frozen=True, order=True)
class Place:
    """A place in the code that a reader has to decode."""

    path: str
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


def check_module(path: str, source: str) -> Iterator[Place]:
    """Yield the places of one Python module, without repeated class names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            if _OPENINGS.match(text):
                yield Place(path, getattr(node, "lineno", 1), OPENING, text.partition("\n")[0])
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _check_locals(path, node)
    for number, text in _comments(source):
        for word in _WORDS.findall(text):
            yield Place(path, number, WORD, word)


def check_script(path: str, source: str) -> Iterator[Place]:
    """Yield the places of one JavaScript module."""
    for match in _SCRIPT_DOC.finditer(source):
        if _OPENINGS.match(match[1]):
            yield Place(path, source.count("\n", 0, match.start()) + 1, OPENING, match[1])


def check_classes(modules: dict[str, str]) -> Iterator[Place]:
    """Yield each class whose name another module of its package uses, too."""
    places = defaultdict(list)
    for path, source in modules.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and node.name not in _GIVEN_NAMES:
                places[path.partition("/")[0], node.name].append((path, node))
    for definitions in places.values():
        others = [(path, node) for path, node in definitions if not _PLUGINS.match(path)]
        if len(definitions) > 1 and others:
            for path, node in others:
                yield Place(path, node.lineno, CLASS, node.name)


def _check_locals(path: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Place]:
    """Yield the vague names that a function assigns and uses beyond _SHORT_LINES; comprehensions have their own."""
    first: dict[str, int] = {}
    nodes: list[ast.AST] = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in _VAGUE:
            first[node.id] = min(node.lineno, first.get(node.id, node.lineno))
        nodes += ast.iter_child_nodes(node)
    last = dict(first)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in first:
            last[node.id] = max(node.lineno, last[node.id])
    for name, line in first.items():
        if last[name] - line > _SHORT_LINES:
            yield Place(path, line, LOCAL, name)


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line number and text of each comment and of each docstring's lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False) or ""
            for offset, line in enumerate(text.splitlines()):
                yield node.body[0].lineno + offset, line
    for number, line in enumerate(source.splitlines(), 1):
        if line.lstrip().startswith("#"):
            yield number, line


def places() -> list[Place]:
    """Return all places in product code, by path and line."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES, SCRIPTS],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    paths = [path for path in listed.stdout.splitlines() if (ROOT / path).is_file() and "/migrations/" not in path]
    modules = {path: (ROOT / path).read_text() for path in paths if path.endswith(".py")}
    scripts = {path: (ROOT / path).read_text() for path in paths if path.endswith(".js")}
    result = [place for path, source in modules.items() for place in check_module(path, source)]
    result += [place for path, source in scripts.items() for place in check_script(path, source)]
    return sorted([*result, *check_classes(modules)])


def main() -> None:
    """Run `check` or `list`; exit with status 1 if a count is above its limit."""
    match sys.argv[1:]:
        case ["list", *prefixes]:
            for place in places():
                if place.path.startswith(tuple(prefixes) or ""):
                    print(place)
        case ["check"]:
            counts = Counter(place.rule for place in places())
            for rule, limit in LIMITS.items():
                print(f"{rule}: {counts[rule]} places, at most {limit}")
            if any(counts[rule] > limit for rule, limit in LIMITS.items()):
                sys.exit("more places than allowed: `python tools/wording.py list PATH` shows them")
        case _:
            sys.exit("usage: python tools/wording.py check | list [PATH]")


if __name__ == "__main__":
    main()
