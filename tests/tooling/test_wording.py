"""The check of wording finds what makes a reader stop, and the code stays within its limits."""

import pytest

from tools import wording

CASES = [
    # a module                                                       the places that are found
    ('"""What is left."""', [(1, wording.OPENING)]),
    ('"""Return what is left."""', []),
    ('class A:\n    """Those of a Pod."""', [(1, wording.OPENING)]),
    ("def f():\n    found = 1\n    a = 2\n    b = 3\n    c = 4\n    return found", [(2, wording.LOCAL)]),
    ("def f():\n    found = 1\n    return found", []),
    (
        "def f(rows):\n    for each in rows:\n        a = 1\n        b = 2\n        print(a, b)\n        print(each)",
        [(2, wording.LOCAL)],
    ),
    ("def f(rows):\n    a = [each\n\n\n\n    for each in rows]\n    return a", []),
    ("def f():\n    def g():\n        found = 1\n    return g\n\n\n\n", []),
    ("# The clock is held to the second.", [(1, wording.WORD)]),
    ('NAME = "What is told anew"', []),
]


@pytest.mark.parametrize(("source", "want"), CASES)
def test_a_module_is_checked(source: str, want: list[tuple[int, str]]) -> None:
    assert [(place.line, place.rule) for place in wording.check_module("a/b.py", source)] == want


def test_a_script_is_checked() -> None:
    source = "const a = 1;\n/** Who waits. */\nconst b = 2;\n/**\n * Of a Pod.\n */\n/** Return it. */"
    assert [place.line for place in wording.check_script("a.js", source)] == [2, 4]


def test_two_classes_of_a_package_with_one_name_are_found() -> None:
    plugins = {
        "scheduler_core/plugins/fit/plugin.py": "class Fit: ...",
        "scheduler_core/plugins/fit/in_1_36.py": "class Fit: ...",
    }
    assert list(wording.check_classes(plugins)) == []
    modules = {
        "simulator/a.py": "class Plan: ...",
        "simulator/b.py": "class Plan: ...",
        "playground/a.py": "class Plan: ...",
    }
    assert [place.path for place in wording.check_classes(modules)] == ["simulator/a.py", "simulator/b.py"]
