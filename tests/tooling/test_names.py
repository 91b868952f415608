"""Names are the field's terms and say what they hold: a message, a request, a cache; not that it was told or asked."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.tooling.test_sizes import text, tree, written

VAGUE = {"around", "asked", "carried", "fates", "gently", "inturns", "kept", "said", "tape", "told"}
CODE = ("examples/", "kube_apiserver/", "playground/", "scheduler_core/", "kube_apiserver/structured_merge/", "tools/")
COLUMNS = "playground/models/"  # their names are those of saved data
NOT_CODE = re.compile(r"/\*.*?\*/|(?<![:\w])//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
# A field of an answer has the name that the API gave it.
NAME = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]*)(?!\s*:)")


def named(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Each name that a module gives, with its line."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr


def spoken(script: str) -> Iterator[tuple[int, str]]:
    """The names in a script's code, with their lines; words in templates are not among them."""
    code = NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), script)
    code = re.sub(r"html`|>[^<>${}`]*<", " ", code)
    for found in NAME.finditer(code):
        yield code.count("\n", 0, found.start()) + 1, found.group(1)


def is_vague(name: str) -> bool:
    return name.strip("_$").lower() in VAGUE


CASES = [
    # a script                                    names that say nothing
    ("let asked = null; // what was asked", ["asked"]),
    ("const _KEPT = 3;", ["_KEPT"]),
    ("/** What is told. */ const text = answer.said;", []),
    ("const { said } = answer;", ["said"]),
    ('fill(_("asked"), { said: text })', []),
    ("html`<p>${told}</p>`", ["told"]),
]


@pytest.mark.parametrize(("script", "want"), CASES)
def test_the_scan_finds_names(script: str, want: list[str]) -> None:
    assert [name for _, name in spoken(script) if is_vague(name)] == want


def test_python_names_say_what_they_hold() -> None:
    modules = [name for name in written() if name.endswith(".py") and name.startswith(CODE)]
    assert len(modules) > 800
    found = [
        f"{path}:{line} {name}"
        for path in modules
        if not path.startswith(COLUMNS)
        for line, name in named(tree(path))
        if is_vague(name)
    ]
    assert found == []


def test_scripts_names_say_what_they_hold() -> None:
    scripts = [name for name in written() if name.endswith(".js") and name.startswith("static/js/")]
    assert len(scripts) > 250
    found = [f"{path}:{line} {name}" for path in scripts for line, name in spoken(text(path)) if is_vague(name)]
    assert found == []
