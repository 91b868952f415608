"""The engine, merging and the rules of an API server depend on nothing but what they are given.

What they import is held by the contracts in pyproject.toml, what they call by these tests.
"""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "scheduler_core"
# What a person starts, and what reads the catalogues for whoever shows a sentence.
IMPURE = {"__main__", "bench", "cli", "languages"}
# The hash of a text differs from process to process.
FORBIDDEN = {"open", "print", "input", "eval", "exec", "compile", "__import__", "hash"}
# Of whatever object: a wall clock, files of NumPy and of paths, generators without a seed of ours.
FORBIDDEN_METHODS = {
    "utcnow",
    "today",
    "import_module",
    "default_rng",
    "fromfile",
    "tofile",
    "genfromtxt",
    "loadtxt",
    "savetxt",
    "read_text",
    "write_text",
    "read_bytes",
    "write_bytes",
    "getenv",
    "monotonic",
    "perf_counter",
}
FILES = [
    path for path in sorted(ENGINE.rglob("*.py")) if not IMPURE & set(path.relative_to(ENGINE).with_suffix("").parts)
]
# Rules of an API server, and how it merges: they read their own data and nothing else.
FILES += sorted((ROOT / "kubernetes_api").rglob("*.py")) + sorted((ROOT / "structured_merge").rglob("*.py"))
TREES = [(path.relative_to(ROOT), ast.parse(path.read_text())) for path in FILES]
# Places that only compare within a process, and files of a package's own: what is said, and where.
EXCEPTIONS = {
    "structured_merge/field_set.py: hash",
    "structured_merge/paths.py: hash",
    "kubernetes_api/documents/openapi.py: _DATA.read_bytes",
    "kubernetes_api/writes/go_types.py: _DATA.read_bytes",
    "kubernetes_api/writes/protobuf.py: _DATA.read_bytes",
    "kubernetes_api/resources.py: (_DATA / 'resources.json').read_text",
    "kubernetes_api/written_types.py: _DATA.read_bytes",
    "kubernetes_api/validation/go_values.py: _DATA.read_text",
}


def pure_rooms() -> set[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    held = [
        set(contract["source_modules"]) for contract in contracts if "time" in contract.get("forbidden_modules", ())
    ]
    (rooms,) = [modules for modules in held if all(module.startswith("scheduler_core.") for module in modules)]
    return rooms


def test_every_room_is_held_by_the_contract() -> None:
    rooms = {path.parent.name for path in ENGINE.glob("*/__init__.py")} | {path.stem for path in ENGINE.glob("*.py")}
    assert pure_rooms() == {f"scheduler_core.{room}" for room in rooms - IMPURE - {"__init__"}}


def test_no_call_that_depends_on_the_surroundings() -> None:
    calls = [(path, node.func) for path, tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [f"{path}: {func.id}" for path, func in calls if isinstance(func, ast.Name) and func.id in FORBIDDEN]
    assert set(found) - EXCEPTIONS == set()


def test_no_method_that_depends_on_the_surroundings() -> None:
    nodes = [(path, node) for path, tree in TREES for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    wrong = {*FORBIDDEN_METHODS, "random.random", "np.random", "io.open", "datetime.now"}
    names = [(path, node.attr, ast.unparse(node)) for path, node in nodes]
    assert {f"{path}: {whole}" for path, name, whole in names if {name, whole} & wrong} - EXCEPTIONS == set()


def test_nothing_happens_on_import() -> None:
    """A module of the engine only says what there is: no call for its effect, and no import for its effect."""
    effects = [(path, node) for path, tree in TREES for node in tree.body if isinstance(node, _EFFECTS)]
    found = [f"{path}: {ast.unparse(node)}" for path, node in effects if not _is_text(node)]
    assert found == []
    assert [path for path in FILES if "noqa: F401" in path.read_text()] == []


_EFFECTS = ast.Expr | ast.For | ast.While | ast.With | ast.Delete | ast.Try


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_no_loop_over_a_set() -> None:
    """As far as it can be seen: over a set that is written or made right there."""
    loops = [(path, node) for path, tree in TREES for node in ast.walk(tree)]
    over = [(path, node.iter) for path, node in loops if isinstance(node, ast.For | ast.comprehension)]
    found = [f"{path}: {ast.unparse(walked)}" for path, walked in over if isinstance(walked, ast.Set | ast.SetComp)]
    assert found == []
