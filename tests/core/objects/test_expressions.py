"""Expressions in CEL: what Kubernetes adds to the language, and what an expression may look at.

`cel_functions.jsonl`: what kube-apiserver v1.36.2 made of `'%s'.format([…])` as the message of an admission policy.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.objects import expressions
from scheduler_core.text.errors import SelectorError

MEASURED = [
    json.loads(line) for line in Path(__file__).with_name("cel_functions.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(("expression", "text"), [(each["expression"], each["text"]) for each in MEASURED])
def test_measured_functions(expression: str, text: str) -> None:
    assert expressions.value(f"'%s'.format([{expression}])", {}) == text


STRICT = [("date", "20201201"), ("datetime", "2020-12-01T00"), ("uuid", "x"), ("byte", "!")]


@pytest.mark.parametrize(("name", "text"), STRICT)
def test_formats_are_those_of_schemas(name: str, text: str) -> None:
    assert expressions.value(f"format.{name}().validate('{text}').hasValue()", {}) is True


WRONG = ["ip('a')", "cidr('10.0.0.0')", "url('a b')", "'%d'.format(['a'])", "'%s'.format([])", "lists.range(100000)"]


@pytest.mark.parametrize("expression", WRONG)
def test_what_ends_with_an_error(expression: str) -> None:
    with pytest.raises(SelectorError):
        expressions.value(expression, {})


OBJECT: dict[str, Any] = {"spec": {"group": "g", "large": list(range(9))}, "metadata": {"labels": {"a": "b"}}}
REACHED: list[tuple[str, str, list[Any]]] = [
    ("a field", "object.spec.group == 'object'", ["g"]),
    ("what a method is called on", "object.metadata.labels.exists(k, k == 'a')", [{"a": "b"}]),
    ("by an index", "object['spec'].group == 'g'", [OBJECT]),
    ("whether it is there", "object == null || object.spec.group != null", []),
    ("a field that is not there", "object.spec.other.more == 1", [None]),
    ("behind an optional", "object.?spec.?group.orValue('')", ["g"]),
    ("of nothing in texts", "r'object.spec' + '''object''' == \"object\" // object", []),
    ("of an unclear text", "object.spec.group == 'g", [OBJECT]),
    ("itself", "size(object) > 3", [OBJECT]),
]


@pytest.mark.parametrize(("name", "expression", "want"), REACHED)
def test_what_an_expression_may_look_at(name: str, expression: str, want: list[Any]) -> None:
    assert expressions.reached(expression, {"object": OBJECT}) == want


STEPS: list[tuple[str, str, bool]] = [
    ("a field that has the name of a function", "object.matches.size() + object.matches.size() > 1", True),
    ("a pattern in quotes", r"matches(object.a, '^v1\\.[0-4](\\.|$)')", True),
    ("a pattern from elsewhere", "matches(object.a, object.b)", False),
    ("lists in lists that are made flat", "object.a.map(x, object.a).flatten().map(y, object.a).flatten()", False),
    ("ranges within one another", "lists.range(1000).all(x, lists.range(1000).all(y, x != y))", False),
    ("ranges of ranges", "size(lists.range(1000).map(x, lists.range(1000).map(y, lists.range(1000)))) > 1", False),
]


@pytest.mark.parametrize(("name", "expression", "is_little"), STEPS)
def test_how_much_it_may_take(name: str, expression: str, is_little: bool) -> None:
    assert (expressions.steps(expression, 30, 300) < 20_000) == is_little
