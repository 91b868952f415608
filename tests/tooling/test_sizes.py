"""No file has more than 600 lines and no function more than 60; larger ones are listed here with their reason."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 600, 60
WRITTEN = {".py", ".js", ".css", ".html"}

LARGE_FILES: dict[str, str] = {}

LONG_FUNCTIONS = {
    "tests/browser/lessons/test_class.py: test_a_class": "one lesson of a class, to the last answer",
    "tests/browser/welcome/test_five_minutes.py: test_the_readmes_five_minutes": "the README's walk, step by step",
}

# Modules whose name is that of what they make, wherever both are needed.
OTHERWISE = {
    "args": {"args_of", "today", "today_affinity"},
    "arithmetic": {"resources"},
    "check": {"check_config"},
    "cluster_events": {"events"},
    "devices": {"d"},
    "fit_args": {"today"},
    "pictures": {"gallery_pictures"},
    "run": {"cli"},
    "runs": {"comparison_runs"},
    "scenario": {"scenarios"},
}


@cache
def files() -> list[str]:
    """All that are in git, but for what others wrote."""
    named = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in named.splitlines() if "vendor/" not in name and (ROOT / name).exists()]


@cache
def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def written() -> list[str]:
    """By people: migrations and what stands in folders of data programs wrote."""
    return [
        name for name in files() if Path(name).suffix in WRITTEN and not {"migrations", "data"} & set(Path(name).parts)
    ]


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(text(name))


def is_module(found: ast.ImportFrom, name: ast.alias) -> bool:
    place = ROOT / (found.module or "").replace(".", "/") / name.name
    return place.is_dir() or place.with_suffix(".py").exists()


def functions(name: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            yield f"{name}: {node.name}", node.end_lineno - node.lineno + 1


def test_files() -> None:
    assert {name for name in written() if len(text(name).splitlines()) > MOST_LINES} - LARGE_FILES.keys() == set()


def test_functions() -> None:
    found = [function for name in written() if name.endswith(".py") for function in functions(name)]
    long = {function for function, lines in found if lines > MOST_LINES_OF_A_FUNCTION}
    assert long - LONG_FUNCTIONS.keys() == set()


def test_what_is_excepted_is_there() -> None:
    named = [*LARGE_FILES, *(name.split(":")[0] for name in LONG_FUNCTIONS)]
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_module_goes_by_another_name() -> None:
    """But for those that every package has, which go by its name: `playground.lessons.selectors as lessons`."""
    renamed = set()
    for name in written():
        if name.endswith(".py") and not name.startswith(("tests/", "examples/")):
            imports = (node for node in ast.walk(tree(name)) if isinstance(node, ast.ImportFrom) and node.module)
            for node in imports:
                own = {
                    each: (node.module or "").split(".")[-1]
                    for each in node.names
                    if each.asname and is_module(node, each)
                }
                for each, package in own.items():
                    if each.asname not in {each.name, package} | OTHERWISE.get(each.name, set()):
                        renamed.add(f"{name}: {node.module}.{each.name} as {each.asname}")
    assert renamed == set()
