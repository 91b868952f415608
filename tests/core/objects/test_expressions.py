"""Expressions in CEL: what Kubernetes adds to the language, and what an expression may look at.

`cel_functions.jsonl`: what kube-apiserver v1.36.2 made of `'%s'.format([…])` as the message of an admission policy.
"""

import json
from pathlib import Path

import pytest

from kube_objects import expressions
from kube_objects.text.errors import SelectorError

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
