"""The engine, merging and the rules of an API server depend on nothing but what they are given.

What they import is held by the contracts in pyproject.toml, what they call by these tests.
"""

import ast
import tomllib
from pathlib import Path

from tests.packages import PURE

ROOT = Path(__file__).parents[2]
# What a person starts, and what reads the catalogues for whoever shows a sentence.
IMPURE = {"cli", "languages"}
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
    path
    for name in PURE
    for path in sorted((ROOT / name).rglob("*.py"))
    if not IMPURE & set(path.relative_to(ROOT).with_suffix("").parts)
]
TREES = [(path.relative_to(ROOT), ast.parse(path.read_text())) for path in FILES]
# Places that only compare within a process, and files of a package's own: what is said, and where.
EXCEPTIONS = {
    "kube_apiserver/structured_merge/fieldpath.py: hash",
    "kube_apiserver/documents/openapi.py: _DATA.read_bytes",
    "kube_apiserver/writes/go_types.py: _DATA.read_bytes",
    "kube_apiserver/writes/protobuf.py: _DATA.read_bytes",
    "kube_apiserver/resources.py: (_DATA / 'resources.json').read_text",
    "kube_apiserver/written_types.py: _DATA.read_bytes",
    "kube_apiserver/validation/go_values.py: _DATA.read_text",
}


def test_the_contract_covers_every_pure_package() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if "time" in contract.get("forbidden_modules", ())]
    assert set(contract["source_modules"]) == set(PURE)


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
