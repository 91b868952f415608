"""The engine's rooms depend on nothing but what they are given. Imports are held by the contracts in pyproject.toml."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "scheduler_core"
# What a person starts, what reads vectors, what tests build with.
IMPURE = {"__main__", "bench", "cli", "conformance", "testing"}
# The hash of a text differs from process to process.
FORBIDDEN = {"open", "print", "input", "eval", "exec", "compile", "__import__", "hash"}
FILES = [
    path for path in sorted(ENGINE.rglob("*.py")) if not IMPURE & set(path.relative_to(ENGINE).with_suffix("").parts)
]


def pure_rooms() -> set[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (held,) = [
        set(contract["source_modules"]) for contract in contracts if "time" in contract.get("forbidden_modules", ())
    ]
    return held


def test_every_room_is_held_by_the_contract() -> None:
    rooms = {path.parent.name for path in ENGINE.glob("*/__init__.py")} | {path.stem for path in ENGINE.glob("*.py")}
    assert pure_rooms() == {f"scheduler_core.{room}" for room in rooms - IMPURE - {"__init__"}}


@pytest.mark.parametrize("path", FILES, ids=[path.relative_to(ENGINE).as_posix() for path in FILES])
def test_no_call_that_depends_on_the_surroundings(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    found = {call.func.id for call in calls if isinstance(call.func, ast.Name)} & FORBIDDEN
    assert found == set()


@pytest.mark.parametrize("path", FILES, ids=[path.relative_to(ENGINE).as_posix() for path in FILES])
def test_no_loop_over_a_set(path: Path) -> None:
    """As far as it can be seen: over a set that is written or made right there."""
    loops = [
        node.iter for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.For | ast.comprehension)
    ]
    assert [ast.unparse(over) for over in loops if isinstance(over, ast.Set | ast.SetComp)] == []
