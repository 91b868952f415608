"""No file over 400 lines, no folder over 25 files, no function over 60 lines, no module with more than 15 imports of
our own; what is larger stands here, with its reason.
"""

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("examples", "kubernetes_api", "playground", "scheduler_core", "structured_merge", "tests", "tools")
MOST_LINES, MOST_FILES, MOST_LINES_OF_A_FUNCTION, MOST_IMPORTS = 400, 25, 60, 15
WRITTEN = {".py", ".js", ".css", ".html"}

LARGE_FILES: dict[str, str] = {}

FULL_FOLDERS = {
    "docs": "pages that a reader finds by their name in one list",
    "docs/images": "pictures of the page, all made by one program, named by view and size",
    "playground/migrations": "Django finds them in one folder, and each follows the one before it",
    "scheduler_core/objects": "what objects are made of, a file each; what reads them lies in folders below",
    "tests/api": "one file for what many endpoints share; what one feature has lies in folders below",
}

LONG_FUNCTIONS = {
    "tests/browser/lessons/test_class.py: test_a_class": "one lesson of a class, to the last answer",
    "tests/browser/welcome/test_five_minutes.py: test_the_readmes_five_minutes": "the README's walk, step by step",
}

_TABLE = "a table: it lists what every module of a family offers"
_WHOLE = "puts the engine together: whatever takes part in it is named here once"
_RULES = "one rule that reads many kinds of objects, as upstream's plugin does"
MANY_IMPORTS = {
    "kubernetes_api/validation/table.py": _TABLE,
    "kubernetes_api/writes/writing.py": "the steps of a write in their order, each a module",
    "playground/comparisons/attempt.py": "a job from its row to its result, in the order of what it asks",
    "playground/engine/storing.py": "one transaction writes every table that a step of a cluster changes",
    "playground/engine/turn.py": "a worker's turn from its lease to its end: each step is a module",
    "playground/kubernetes/objects.py": "the ways to an object: each is answered by a module",
    "playground/kubernetes/subresources.py": "the subresources of all kinds: each is answered by a module",
    "playground/kubernetes/views.py": "the door: each kind of request is answered by a module",
    "scheduler_core/__main__.py": "a module for each command",
    "scheduler_core/actors/table.py": _TABLE,
    "scheduler_core/cli/explain.py": "a command for each explanation there is",
    "scheduler_core/cli/input/inputs.py": "a reader for each format that a file may have",
    "scheduler_core/conformance/controllers/kubectl.py": "the verbs of kubectl: each is answered by a module",
    "scheduler_core/conformance/legacy_traces.py": "plays old versions whole: configuration, plugins, cycle",
    "scheduler_core/cycle/scheduler.py": _WHOLE,
    "scheduler_core/explain/catalogue.py": _TABLE,
    "scheduler_core/legacy/plugins/changed.py": "the plugins that older versions had otherwise, beside those of today",
    "scheduler_core/legacy/policy/policy_file.py": "the names of every predicate, priority and argument of a policy",
    "scheduler_core/legacy/translation/from_v1_20.py": "each old field goes to another part of today's configuration",
    "scheduler_core/objects/kinds/table.py": _TABLE,
    "scheduler_core/plugins/dynamic_resources/plugin.py": _RULES,
    "scheduler_core/plugins/dynamic_resources/repairs.py": _RULES,
    "scheduler_core/plugins/pod_topology_spread/plugin.py": "all its extension points, with what each is given",
    "scheduler_core/plugins/table.py": _TABLE,
    "scheduler_core/plugins/volume_binding/facts.py": _RULES,
    "scheduler_core/repair/look.py": "asks every part of a cluster what a repair may change of it",
    "scheduler_core/simulation/cluster.py": _WHOLE,
    "scheduler_core/simulation/life.py": "controllers, kubelets and clients in one loop over virtual time",
    "scheduler_core/simulation/timeline.py": "the loop: what moves the clock, each in a module",
    "static/js/explain/why_not.js": "a view of views: each part of an explanation is a module",
    "static/js/main.js": "starts everything",
    "static/js/matrix/complete.js": "a view of views: each way to look at a matrix is a module",
    "static/js/matrix/matrix.js": "a view of views: head, cells, keys, selection",
    "static/js/profile/profile.js": "a view of views: each part of a profile is a module",
    "static/js/shell/app.js": "the page: every panel is named here once",
    "static/js/shell/header.js": "the header: every control in it is a module",
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


def own_imports(name: str) -> set[str]:
    """The modules of ours that a module uses; what is only of a package counts as the package."""
    if name.endswith(".js"):
        return set(re.findall(r'^(?:import|}) (?:[^"]*)"(\.[^"]+)";$', text(name), re.MULTILINE)) - {
            path for path in re.findall(r'"([^"]+)"', text(name)) if "/vendor/" in path
        }
    found = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names if each.name.split(".")[0] in OURS}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in OURS:
            for each in node.names:
                place = ROOT / node.module.replace(".", "/") / each.name
                found.add(
                    f"{node.module}.{each.name}" if place.is_dir() or place.with_suffix(".py").exists() else node.module
                )
    return found


def functions(name: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            yield f"{name}: {node.name}", node.end_lineno - node.lineno + 1


def test_files() -> None:
    assert {name for name in written() if len(text(name).splitlines()) > MOST_LINES} - LARGE_FILES.keys() == set()


def test_folders() -> None:
    inside = Counter(str(Path(name).parent) for name in files())
    assert {folder for folder, count in inside.items() if count > MOST_FILES} - FULL_FOLDERS.keys() == set()


def test_functions() -> None:
    found = [function for name in written() if name.endswith(".py") for function in functions(name)]
    long = {function for function, lines in found if lines > MOST_LINES_OF_A_FUNCTION}
    assert long - LONG_FUNCTIONS.keys() == set()


def test_imports() -> None:
    modules = [name for name in written() if Path(name).suffix in {".py", ".js"} and not name.startswith("tests/")]
    many = {name for name in modules if len(own_imports(name)) > MOST_IMPORTS}
    assert many - MANY_IMPORTS.keys() == set()


def test_what_is_excepted_is_there() -> None:
    named = [*LARGE_FILES, *FULL_FOLDERS, *MANY_IMPORTS, *(name.split(":")[0] for name in LONG_FUNCTIONS)]
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
