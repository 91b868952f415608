"""Rules in CEL and patterns of kinds that clients register. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.custom import patterns, schemas

Object = dict[str, Any]
SPEC: Object = {
    "type": "object",
    "x-kubernetes-validations": [
        {"rule": "self.min <= self.max", "messageExpression": "'min is above ' + (self.max > 5 ? 'many' : 'few')"},
        {"rule": "!has(self.name) || self.name.startsWith('x-')"},
        {"rule": "!has(oldSelf.class) || has(self.class)", "message": " class may not be removed "},
    ],
    "properties": {
        "min": {"type": "integer"},
        "max": {"type": "integer"},
        "name": {"type": "string"},
        "class": {
            "type": "string",
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "immutable"}],
        },
        "hosts": {
            "type": "array",
            "x-kubernetes-validations": [{"rule": "self.all(h, h.size() > 2)", "message": "short host"}],
            "items": {"type": "string", "pattern": "^[a-z.]+$"},
        },
        "parts": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "x-kubernetes-validations": [
                    {"rule": "self.weight < 100", "fieldPath": ".weight", "message": "heavy"},
                    {"rule": "self.weight >= oldSelf.weight", "message": "shrinks"},
                ],
                "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}},
            },
        },
        "labels": {
            "type": "object",
            "additionalProperties": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'bad'"}]},
        },
        "ratio": {
            "type": "number",
            "x-kubernetes-validations": [
                {"rule": "self * 2.0 <= 2.0", "message": "at most 1", "reason": "FieldValueForbidden"}
            ],
        },
        "port": {
            "x-kubernetes-int-or-string": True,
            "x-kubernetes-validations": [{"rule": "type(self) == int ? self > 0 : self != ''", "message": "no port"}],
        },
        "broken": {"type": "object", "x-kubernetes-validations": [{"rule": "self.none > 1"}]},
    },
}
SCHEMA = schemas.Structural(
    {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "self.metadata.name != 'taken'", "message": "is taken"}],
        "properties": {"spec": SPEC},
    }
)
FINE = {"min": 1, "max": 5}
CREATED: list[tuple[str, Object, list[tuple[str, str]]]] = [
    ("nothing wrong", FINE, []),
    ("a made message", {"min": 7, "max": 5}, [("spec", "Invalid value: min is above few")]),
    (
        "no message",
        {**FINE, "name": "a"},
        [("spec", "Invalid value: failed rule: !has(self.name) || self.name.startsWith('x-')")],
    ),
    ("of a list", {**FINE, "hosts": ["ab", "abc"]}, [("spec.hosts", "Invalid value: short host")]),
    (
        "a pattern",
        {**FINE, "hosts": ["ABC"]},
        [("spec.hosts[0]", "Invalid value: \"ABC\": spec.hosts[0] in body should match '^[a-z.]+$'")],
    ),
    (
        "below an item",
        {**FINE, "parts": [{"name": "a", "weight": 200}]},
        [("spec.parts[0].weight", "Invalid value: heavy")],
    ),
    (
        "of a value",
        {**FINE, "labels": {"a": "bad"}},
        [("spec.labels[a]", "Invalid value: \"bad\": failed rule: self != 'bad'")],
    ),
    ("a reason", {**FINE, "ratio": 2}, [("spec.ratio", "Forbidden: at most 1")]),
    ("of two types, a number", {**FINE, "port": 0}, [("spec.port", "Invalid value: 0: no port")]),
    ("of two types, a text", {**FINE, "port": "http"}, []),
    (
        "what is not there",
        {**FINE, "broken": {}},
        [("spec.broken", 'Invalid value: "object": no such key: none evaluating rule: self.none > 1')],
    ),
]
CHANGED: list[tuple[str, Object, Object, list[tuple[str, str]]]] = [
    ("the same", {**FINE, "class": "a"}, {**FINE, "class": "a"}, []),
    ("another", {**FINE, "class": "a"}, {**FINE, "class": "b"}, [("spec.class", 'Invalid value: "b": immutable')]),
    ("none any more", {**FINE, "class": "a"}, FINE, [("spec", "Invalid value: class may not be removed")]),
    (
        "an item is known by its key",
        {**FINE, "parts": [{"name": "a", "weight": 5}]},
        {**FINE, "parts": [{"name": "b", "weight": 1}, {"name": "a", "weight": 3}]},
        [("spec.parts[1]", "Invalid value: shrinks")],
    ),
    ("what was so before stays", {**FINE, "hosts": ["ab"]}, {"min": 2, "max": 5, "hosts": ["ab"]}, []),
    ("a pattern that did not fit before", {**FINE, "name": "x-A"}, {"min": 2, "max": 5, "name": "x-A"}, []),
]


@pytest.mark.parametrize(("name", "spec", "want"), CREATED)
def test_new_objects(name: str, spec: Object, want: list[tuple[str, str]]) -> None:
    found = schemas.problems({"metadata": {"name": "a"}, "spec": spec}, SCHEMA)
    assert [(each["field"], each["message"]) for each in found] == want


@pytest.mark.parametrize(("name", "was", "spec", "want"), CHANGED)
def test_changed_objects(name: str, was: Object, spec: Object, want: list[tuple[str, str]]) -> None:
    old, new = ({"metadata": {"name": "a"}, "spec": each} for each in (was, spec))
    assert [(each["field"], each["message"]) for each in schemas.problems(new, SCHEMA, old)] == want


def test_rules_of_the_whole_object() -> None:
    (found,) = schemas.problems({"metadata": {"name": "taken"}, "spec": FINE}, SCHEMA)
    assert (found["field"], found["message"]) == ("<nil>", "Invalid value: is taken")


TOO_MUCH = [
    ("within one another", "self.all(a, self.all(b, self.all(c, a + b + c > 0)))"),
    ("a large pattern", "self.all(a, string(a).matches('\\\\w{200}'))"),
    ("a pattern from elsewhere", "self.all(a, string(a).matches(string(a)))"),
]


@pytest.mark.parametrize(("name", "rule"), TOO_MUCH)
def test_what_takes_too_much_is_not_tried(name: str, rule: str) -> None:
    deep = {"rule": rule}
    schema = schemas.Structural(
        {
            "type": "object",
            "properties": {"spec": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": [deep]}},
        }
    )
    (found,) = schemas.problems({"spec": list(range(1000))}, schema)
    limit = (
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost"
    )
    assert found["message"] == f'Invalid value: "array": {limit} exceeds limit for rule: {rule}'


def test_all_rules_of_an_object_share_what_they_may_take() -> None:
    """Each is cheap, and there are very many."""
    rules = [{"rule": "self.all(a, self.all(b, a * b >= 0))"}] * 50
    item = {"type": "array", "items": {"type": "integer"}, "x-kubernetes-validations": rules}
    schema = schemas.Structural({"type": "object", "properties": {"spec": {"type": "array", "items": item}}})
    numbers = [1] * 30
    assert list(schemas.problems({"spec": [numbers] * 30}, schema)) == []
    (found,) = schemas.problems({"spec": [numbers] * 100}, schema)
    assert found["message"].endswith("no further validation rules will be run")


WEIGHTS: list[tuple[str, bool]] = [
    (r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$", True),
    (r"^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$", True),
    (r"\w{200}", False),
    (r"([a-z]{100}){100}", False),
    ("a" * 1001, False),
]


@pytest.mark.parametrize(("pattern", "want"), WEIGHTS)
def test_patterns_that_are_tried(pattern: str, want: bool) -> None:
    assert bool(patterns.weight(pattern)) is want


def test_patterns_are_not_tried_on_very_many_texts() -> None:
    text = {"type": "string", "pattern": "^[a-z]{1,100}$"}
    schema = schemas.Structural({"type": "object", "properties": {"spec": {"type": "array", "items": text}}})
    assert len(list(schemas.problems({"spec": ["A"] * 100}, schema))) == 100
    assert not list(schemas.problems({"spec": ["A"] * 10_000}, schema))


FORMATS = [
    ("byte", "QUI=", "self.value == b'AB' && size(self.value) == 2"),
    ("duration", "1h2m3s4ms", "self.value == duration('1h2m') + duration('3s4ms') && self.value.getHours() == 1"),
    ("date", "1997-07-16", "self.value == timestamp('1997-07-16T00:00:00Z') && self.value.getFullYear() == 1997"),
    ("date-time", "2011-08-18T19:03:37Z", "self.value.getHours() == 19"),
    ("datetime", "2011-08-18T19:03:37Z", "self.value.startsWith('2011')"),
    # A field that is null is absent.
    ("", None, "!has(self.value)"),
]


@pytest.mark.parametrize(("form", "value", "rule"), FORMATS)
def test_rules_see_values_of_formats(form: str, value: Any, rule: str) -> None:
    """Source: TestValidationExpressions in apiextensions-apiserver, pkg/apiserver/schema/cel/validation_test.go."""
    field = {"type": "string", "format": form, "nullable": True}
    schema = {"type": "object", "properties": {"value": field}, "x-kubernetes-validations": [{"rule": rule}]}
    assert not list(schemas.problems({"value": value}, schemas.Structural(schema)))
