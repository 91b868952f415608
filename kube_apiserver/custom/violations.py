"""Validation of values against a structural schema. Source: kube-openapi/pkg/validation/validate.

A schema is compiled to functions at its first use. Patterns may be hostile, so `patterns` runs them. Unknown formats
are ignored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from kube_apiserver.custom import patterns
from kube_objects import formats

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_INT_OR_STRING = "x-kubernetes-int-or-string"


class Violation(NamedTuple):
    """A value that doesn't fit. `wanted` is the rule's value; for `required` the name of the missing field."""

    path: Path
    rule: str
    wanted: Any
    value: Any
    schema: Schema


class Checker:
    """The rules of a schema."""

    def __init__(self, schema: Schema, *, has_patterns: bool = True) -> None:
        """Compile a schema. `has_patterns`: run its patterns."""
        self._schema, self._has_patterns = schema, has_patterns

    def is_valid(self, value: Any) -> bool:
        """Return True if the value is valid."""
        for _, _, test in self._rules:
            if not test(value):
                return False
        if isinstance(value, dict):
            for name, child in self._children(value):
                if not child.is_valid(value[name]):
                    return False
            if any(name not in value for name in self._required):
                return False
        elif isinstance(value, list) and self._items is not None:
            for item in value:
                if not self._items.is_valid(item):
                    return False
        return all(each.is_valid(value) for each in self._all_of)

    def violations(self, value: Any, path: Path = ()) -> Iterator[Violation]:
        """Yield the violations, in the order of the rules."""
        schema = self._schema
        for rule, wanted, test in self._rules:
            if not test(value):
                yield Violation(path, rule, wanted, value, schema)
        if isinstance(value, dict):
            for name in self._required:
                if name not in value:
                    yield Violation(path, "required", name, value, schema)
            for name, child in self._children(value):
                yield from child.violations(value[name], (*path, name))
        elif isinstance(value, list) and self._items is not None:
            for number, item in enumerate(value):
                yield from self._items.violations(item, (*path, number))
        for each in self._all_of:
            yield from each.violations(value, path)

    def _child(self, schema: Any) -> "Checker | None":
        return Checker(schema, has_patterns=self._has_patterns) if isinstance(schema, Mapping) else None

    def _list_children(self, name: str) -> Sequence["Checker"]:
        known = self._schema.get(name)
        found = map(self._child, known) if isinstance(known, list) else ()
        return [child for child in found if child is not None]

    @cached_property
    def _required(self) -> Sequence[str]:
        return list(dict.fromkeys(self._schema.get("required") or ()))

    @cached_property
    def _properties(self) -> Mapping[str, "Checker"]:
        known = self._schema.get("properties")
        found = {name: self._child(each) for name, each in known.items()} if isinstance(known, Mapping) else {}
        return {name: child for name, child in found.items() if child is not None}

    @cached_property
    def _more(self) -> "Checker | None":
        return self._child(self._schema.get("additionalProperties"))

    @cached_property
    def _items(self) -> "Checker | None":
        return self._child(self._schema.get("items"))

    @cached_property
    def _all_of(self) -> Sequence["Checker"]:
        return self._list_children("allOf")

    def _children(self, value: Mapping[str, Any]) -> Iterator[tuple[str, "Checker"]]:
        """Yield the fields of a value with the checker of each."""
        properties, more = self._properties, self._more
        for name in properties if len(properties) < len(value) else value:
            if name in value and name in properties:
                yield name, properties[name]
        if more is not None:
            for name in value:
                if name not in properties:
                    yield name, more

    @cached_property
    def _rules(self) -> Sequence[tuple[str, Any, Callable[[Any], bool]]]:
        """Return the rules about the value itself: name, value and test of each."""
        rules = list[tuple[str, Any, Callable[[Any], bool]]]()
        schema = self._schema
        if wanted := _types(schema):
            rules.append(("type", wanted if len(wanted) > 1 else wanted[0], _type_test(wanted)))
        if schema.get("enum"):
            enum = [*schema["enum"], None] if schema.get("nullable") and wanted else schema["enum"]
            rules.append(("enum", enum, _enum_test(enum)))
        for rule, make in _BOUNDS.items():
            limit = schema.get(rule)
            if limit is not None:
                rules.append((rule, limit, make(limit, schema)))
        form, pattern = schema.get("format"), schema.get("pattern")
        if schema.get("type") in (None, "string") and (known := formats.known(form)):
            rules.append(("format", form, _format_test(formats.CHECKS[known])))
        if self._has_patterns and isinstance(pattern, str) and patterns.weight(pattern):
            rules.append(("pattern", pattern, _pattern_test(pattern)))
        child = self._child(schema.get("not"))
        if child is not None:
            rules.append(("not", schema["not"], _not_test(child)))
        for rule, test in (("anyOf", _any_test), ("oneOf", _one_test)):
            if children := self._list_children(rule):
                rules.append((rule, schema[rule], test(children)))
        return rules


def _types(schema: Schema) -> list[str]:
    """Return the names of the allowed types, or [] for any."""
    kind = schema.get("type")
    found = ["integer", "string"] if schema.get(_INT_OR_STRING) else [kind] if isinstance(kind, str) and kind else []
    return [*found, "null"] if found and schema.get("nullable") else found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPE_TESTS: Mapping[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _type_test(wanted: Sequence[str]) -> Callable[[Any], bool]:
    tests = [_TYPE_TESTS[name] for name in wanted if name in _TYPE_TESTS]
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _enum_test(known: Sequence[Any]) -> Callable[[Any], bool]:
    """Return a test of membership. In JSON, true isn't 1."""
    scalars = {(isinstance(each, bool), each) for each in known if not isinstance(each, dict | list)}
    others = [each for each in known if isinstance(each, dict | list)]

    def test(value: Any) -> bool:
        if isinstance(value, dict | list):
            return value in others
        return (isinstance(value, bool), value) in scalars

    return test


def _least_test(limit: Any, schema: Schema) -> Callable[[Any], bool]:
    if schema.get("exclusiveMinimum"):
        return lambda value: not _is_number(value) or value > limit
    return lambda value: not _is_number(value) or value >= limit


def _most_test(limit: Any, schema: Schema) -> Callable[[Any], bool]:
    if schema.get("exclusiveMaximum"):
        return lambda value: not _is_number(value) or value < limit
    return lambda value: not _is_number(value) or value <= limit


def _multiple_test(factor: Any, _: Schema) -> Callable[[Any], bool]:
    if factor < 1e-9:
        # Upstream accepts such a factor, and no value violates it.
        return lambda _: True

    def test(value: Any) -> bool:
        if not _is_number(value):
            return True
        if isinstance(factor, int):
            return not value % factor
        try:
            quotient = value / factor
            return bool(int(quotient) == quotient)
        except OverflowError:
            return not Fraction(value) % Fraction(factor)

    return test


def _length_test(
    kind: type[str] | type[list[Any]] | type[dict[str, Any]], *, is_least: bool
) -> Callable[[Any, Schema], Callable[[Any], bool]]:
    def make(limit: Any, _: Schema) -> Callable[[Any], bool]:
        if limit < 0:
            return lambda _: True
        if is_least:
            return lambda value: not isinstance(value, kind) or len(value) >= limit
        return lambda value: not isinstance(value, kind) or len(value) <= limit

    return make


_BOUNDS: Mapping[str, Callable[[Any, Schema], Callable[[Any], bool]]] = {
    "minimum": _least_test,
    "maximum": _most_test,
    "multipleOf": _multiple_test,
    "minLength": _length_test(str, is_least=True),
    "maxLength": _length_test(str, is_least=False),
    "minItems": _length_test(list, is_least=True),
    "maxItems": _length_test(list, is_least=False),
    "minProperties": _length_test(dict, is_least=True),
    "maxProperties": _length_test(dict, is_least=False),
}


def _format_test(check: Callable[[str], bool]) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, str) or check(value)


def _pattern_test(pattern: str) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, str) or patterns.matches(pattern, value)


def _not_test(child: Checker) -> Callable[[Any], bool]:
    return lambda value: not child.is_valid(value)


def _any_test(children: Sequence[Checker]) -> Callable[[Any], bool]:
    return lambda value: any(child.is_valid(value) for child in children)


def _one_test(children: Sequence[Checker]) -> Callable[[Any], bool]:
    def test(value: Any) -> bool:
        count = 0
        for child in children:
            count += child.is_valid(value)
            if count > 1:
                return False
        return count == 1

    return test
