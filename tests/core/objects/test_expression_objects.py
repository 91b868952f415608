"""Objects that expressions in CEL make."""

import re
from typing import Any

import pytest

from kube_objects import expressions
from kube_objects.expression_objects import TypeNameError, plain, type_of

CASES: list[tuple[str, Any]] = [
    ("Object{}", {}),
    ("Object{spec: Object.spec{replicas: 1 + 2}}", {"spec": {"replicas": 3}}),
    ("Object{data: {'a{': '}', ?'b': optional.none(), ?'c': optional.of('d')}}", {"data": {"a{": "}", "c": "d"}}),
    ("true ? Object{x: 1} : Object{x: {'y': 2}}", {"x": 1}),
    ("[1, 2].map(n, Object{n: n, more: {'n': n}})", [{"n": 1, "more": {"n": 1}}, {"n": 2, "more": {"n": 2}}]),
    ("{'a': 1 in [1], 'b': {'c': string(true)}}", {"a": True, "b": {"c": "true"}}),
]


@pytest.mark.parametrize(("expression", "want"), CASES)
def test_what_an_expression_makes(expression: str, want: Any) -> None:
    assert plain(expressions.value(expression, {})) == want


def test_the_types_are_the_way_from_the_root() -> None:
    made = expressions.value("Object{metadata: Object.wrong{}}", {})
    assert type_of(made) == "Object"
    told = 'unexpected type name "Object.wrong", expected "Object.metadata", which matches field name path'
    with pytest.raises(TypeNameError, match=re.escape(told)):
        plain(made)


@pytest.mark.parametrize(
    ("expression", "want"),
    [
        ("1", "int"), ("[1]", "list(int)"), ("{}", "map(dyn, dyn)"), ("Object.spec{}", "Object.spec"),
        ("[JSONPatch{op: 'add'}]", "list(JSONPatch)"), ("object", ""), ("1 +", ""),
        ("timestamp('2020-01-01T00:00:00Z')", ""),
    ],
)  # fmt: skip
def test_the_type_of_what_is_about_nothing(expression: str, want: str) -> None:
    assert expressions.constant_type(expression) == want


def test_brackets_that_do_not_fit_are_told_by_the_parser() -> None:
    assert ": Syntax error: " in expressions.syntax_error("Object{x: [1}")
