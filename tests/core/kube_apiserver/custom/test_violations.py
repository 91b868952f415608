"""The rules of a schema, checked against a library that implements them independently."""

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from kube_apiserver.custom import schemas
from kube_apiserver.custom.violations import Checker

NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 9), st.sampled_from([0.5, 1.0, 2.5]), st.text("xy", max_size=4)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=12,
)
LIMITS = st.integers(0, 4)
RULES: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["array", "boolean", "integer", "number", "object", "string"]),
    "enum": st.lists(st.one_of(st.booleans(), st.integers(0, 2), st.text("xy", max_size=2)), min_size=1, max_size=3),
    "minimum": LIMITS,
    "maximum": LIMITS,
    "exclusiveMinimum": st.booleans(),
    "exclusiveMaximum": st.booleans(),
    "multipleOf": st.sampled_from([1, 2, 0.5]),
    **{f"{bound}{what}": LIMITS for bound in ("min", "max") for what in ("Length", "Items", "Properties")},
    "required": st.lists(NAMES, min_size=1, max_size=2, unique=True),
}


def extended(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return schemas with schemas inside."""
    several = st.lists(inner, min_size=1, max_size=3)
    containers = {
        "properties": st.dictionaries(NAMES, inner, min_size=1, max_size=3),
        **dict.fromkeys(("items", "additionalProperties", "not"), inner),
        **dict.fromkeys(("allOf", "anyOf", "oneOf"), several),
    }
    return st.fixed_dictionaries({}, optional={**RULES, **containers})


SCHEMAS = st.recursive(st.fixed_dictionaries({}, optional=RULES), extended, max_leaves=8)


@settings(max_examples=150, deadline=None)
@given(SCHEMAS, VALUES)
def test_violations_are_those_of_the_library(schema: Any, value: Any) -> None:
    library = Draft4Validator(schema)
    checker = Checker(schema)
    wanted = Counter((tuple(error.absolute_path), str(error.validator)) for error in library.iter_errors(value))
    assert Counter((each.path, each.rule) for each in checker.violations(value)) == wanted
    assert checker.is_valid(value) is library.is_valid(value)


# What the library doesn't know: schema, value, and the rules that the value breaks.
OWN: list[tuple[dict[str, Any], Any, list[str]]] = [
    ({"type": "string", "nullable": True}, None, []),
    ({"type": "string", "nullable": True, "enum": ["a"]}, None, []),
    ({"nullable": True, "minimum": 1}, None, []),
    ({"x-kubernetes-int-or-string": True}, "1", []),
    ({"x-kubernetes-int-or-string": True}, 1, []),
    ({"x-kubernetes-int-or-string": True}, 1.5, ["type"]),
    ({"x-kubernetes-int-or-string": True, "nullable": True}, None, []),
    ({"type": "string", "format": "ipv4"}, "10.0.0.300", ["format"]),
    ({"type": "string", "format": "date-time"}, "today", ["format"]),
    ({"type": "string", "format": "odd"}, "x", []),
    ({"type": "string", "pattern": "^a+$"}, "ab", ["pattern"]),
    ({"type": "string", "minLength": -1, "maxLength": -1}, "ab", []),
    ({"type": "number", "multipleOf": 0}, 5, []),
    ({"type": "object", "required": ["a", "b"]}, {}, ["required", "required"]),
]


@pytest.mark.parametrize(("schema", "value", "rules"), OWN)
def test_rules_of_kubernetes(schema: Any, value: Any, rules: list[str]) -> None:
    assert [violation.rule for violation in Checker(schema).violations(value)] == rules


def test_each_missing_field_is_named() -> None:
    schema = schemas.Structural({"type": "object", "required": ["a", "b"]})
    assert [cause["field"] for cause in schemas.problems({}, schema)] == ["a", "b"]


def of_items(schema: Any) -> schemas.Structural:
    return schemas.Structural({"type": "object", "properties": {"l": {"type": "array", "items": schema}}})


COSTLY = [
    ({"type": "integer", "anyOf": [{"minimum": 10 + number} for number in range(2000)]}, [1] * 500),
    ({"type": "string", "enum": [f"v{number:09d}" for number in range(20_000)]}, ["x"] * 1000),
]


@pytest.mark.parametrize(("schema", "items"), COSTLY)
def test_large_schemas_are_checked_soon(schema: Any, items: list[Any]) -> None:
    start = time.process_time()
    found = list(schemas.problems({"l": items}, of_items(schema)))
    assert found
    assert sum(len(cause["message"]) for cause in found) < 1.1 * 1024 * 1024
    assert time.process_time() - start < 2
