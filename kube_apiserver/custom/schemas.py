"""Structural schemas: prune unknown fields, add defaults and validate objects.

Source: apiextensions-apiserver/pkg/apiserver/schema (pruning, defaulting) and kube-openapi's validation, whose messages
these are.

`uniqueItems` isn't checked, because that could take very long.
"""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import kube_apiserver.structured_merge.schema
from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import embedded, merging, patterns, rules
from kube_apiserver.custom.violations import Checker, Violation

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
# After one of these a server does not run the CEL rules. Source: customresource/validator.go hasBlockingErr.
_BLOCKING = ("type", "enum", "required", "maxItems", "maxLength", "maxProperties")
_NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)
MOST_DEFAULTS = 3 * 1024 * 1024
"""The most bytes of defaults in one object: those of a request. Source: server/config.go MaxRequestBodyBytes."""
# More errors would be of no use to a client.
_MOST_ERRORS, _MOST_ERROR_BYTES = 2_000, 1 << 20
_LAST = "\U0010ffff"
# Every object has these. The metadata is validated as in all kinds.
_HEAD = ("apiVersion", "kind", "metadata")
Schema = Mapping[str, Any]
Object = dict[str, Any]


class Structural(dict[str, Any]):
    """The schema of one version of a custom resource."""

    @cached_property
    def checker(self) -> Checker:
        return Checker(self)

    @cached_property
    def checker_without_patterns(self) -> Checker:
        return Checker(self, has_patterns=False)

    @cached_property
    def heaviest_pattern(self) -> int:
        return patterns.heaviest(self)

    @cached_property
    def merging(self) -> kube_apiserver.structured_merge.schema.Schema:
        """Return the merge schema for server-side apply."""
        return merging.types(self)

    @cached_property
    def has_rules(self) -> bool:
        """Return True if the schema contains CEL rules."""
        return f'"{rules.RULES}":' in json.dumps(self)


def unknown(value: Any, schema: Schema, path: str = "") -> Iterator[str]:
    """Yield the paths of fields that the schema doesn't have."""
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for number, item in enumerate(value):
            yield from unknown(item, schema["items"], f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            below, inner = f"{path}.{name}" if path else name, _inner(schema, name, is_root=not path)
            if inner is None:
                yield below
            elif name != "metadata" or path:
                yield from unknown(item, inner, below)


def pruned(value: Any, schema: Schema, *, is_root: bool = True) -> Any:
    """Return the value without unknown fields. `is_root`: the value is a whole object."""
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [pruned(item, schema["items"], is_root=False) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {}
    for name, item in value.items():
        inner = _inner(schema, name, is_root=is_root)
        if inner is not None:
            fields[name] = item if name == "metadata" and is_root else pruned(item, inner, is_root=False)
    return fields


def _inner(schema: Schema, name: str, *, is_root: bool) -> Schema | None:
    """Return the schema of a field; None if the field is unknown."""
    properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
    if isinstance(properties.get(name), Mapping):
        found: Schema = properties[name]
        return found
    if isinstance(more, Mapping):
        return more
    if (is_root or schema.get(embedded.MARK)) and name in _HEAD:
        return {_PRESERVE: True}
    return {_PRESERVE: True} if schema.get(_PRESERVE) or more is True else None


def fill_in(value: Any, schema: Schema) -> None:
    """Add defaults for missing fields, from the outside in. Raise LargeDefaultsError."""
    _fill_in(value, schema, _Room())


class LargeDefaultsError(Exception):
    """The defaults of an object have more than MOST_DEFAULTS bytes."""


class _Room:
    """The bytes that defaults may add to one object."""

    def __init__(self) -> None:
        self._left = MOST_DEFAULTS
        # The key is the id of a default, which lives as long as its schema.
        self._sizes = dict[int, int]()

    def take(self, default: Any) -> None:
        if not isinstance(default, dict | list | str):
            return
        if id(default) not in self._sizes:
            self._sizes[id(default)] = len(default) if isinstance(default, str) else len(json.dumps(default))
        self._left -= self._sizes[id(default)]
        if self._left < 0:
            raise LargeDefaultsError(f"Request entity too large: limit is {MOST_DEFAULTS}")


def _fill_in(value: Any, schema: Schema, room: _Room) -> None:
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for item in value:
            _fill_in(item, schema["items"], room)
    if not isinstance(value, dict):
        return
    properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
    for name, inner in properties.items():
        is_missing = name not in value or (value[name] is None and not inner.get("nullable"))
        if is_missing and "default" in inner:
            room.take(inner["default"])
            value[name] = copy.deepcopy(inner["default"])
    for name, item in value.items():
        inner = properties.get(name) or (more if isinstance(more, Mapping) else None)
        if inner is not None:
            _fill_in(item, inner, room)


def problems(
    value: Any, schema: Structural, old: Schema | None = None, beside: Iterable[Cause] = ()
) -> Iterator[Cause]:
    """Yield the validation errors of an object in the order of their paths, inner ones first.

    `old` is the object before an update. `beside` has further errors of a server before it runs the CEL rules.
    """
    is_too_much = patterns.are_too_much(value, schema.heaviest_pattern)
    checker = schema.checker_without_patterns if is_too_much else schema.checker
    violations = sorted(islice(checker.violations(value), _MOST_ERRORS), key=lambda each: [*map(str, each.path), _LAST])
    if old is not None:
        violations = [each for each in violations if not _was_so(each, old)]
    yield from _causes(violations)
    yield from beside
    yield from embedded.problems(value, schema)
    yield from _twice(value, schema, "")
    if schema.has_rules and any(violation.rule in _BLOCKING for violation in violations):
        yield causes.invalid("<nil>", None, _NOT_CHECKED)
    elif schema.has_rules:
        yield from rules.problems(value, old, schema)


def _was_so(violation: Violation, old: Any) -> bool:
    """Return True if the value had the same error before an update. Source: ratcheting of schemas."""
    if not violation.path:
        return False
    was = old
    for part in violation.path:
        if isinstance(part, int) or not isinstance(was, Mapping) or part not in was:
            # Items of lists can't be matched with their old values.
            return False
        was = was[part]
    return bool(violation.value == was)


def _twice(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    """Yield duplicates in sets and in map lists. Source: schema/listtype."""
    if isinstance(value, dict):
        more = schema.get("additionalProperties")
        for name, item in value.items():
            inner = (schema.get("properties") or {}).get(name) or more
            if isinstance(inner, Mapping):
                yield from _twice(item, inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
        if schema.get("x-kubernetes-list-type") in ("set", "map"):
            yield from _equal(value, keys, path)
        if isinstance(schema.get("items"), Mapping):
            for number, item in enumerate(value):
                yield from _twice(item, schema["items"], f"{path}[{number}]")


def _equal(items: list[Any], keys: Sequence[str], path: str) -> Iterator[Cause]:
    seen: dict[str, bool] = {}
    for number, item in enumerate(items):
        if keys and not isinstance(item, Mapping):
            continue
        own = {name: item[name] for name in keys if name in item} if keys else item
        text = json.dumps(own, sort_keys=True)
        if text in seen and not seen[text]:
            seen[text] = True
            yield causes.duplicate(f"{path}[{number}]", own)
        seen.setdefault(text, False)


def _causes(violations: Iterable[Violation]) -> Iterator[Cause]:
    """Yield the errors up to a total size, because each error of an enum lists all values."""
    left = _MOST_ERROR_BYTES
    for violation in violations:
        cause = _cause(violation)
        left -= len(cause["message"]) + len(cause["field"])
        if left < 0:
            return
        yield cause


def _cause(violation: Violation) -> Cause:
    """Return go-openapi's error."""
    path = ""
    for part in violation.path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    rule, wanted, value = violation.rule, violation.wanted, violation.value
    if rule == "required":
        return causes.required(f"{path}.{wanted}" if path else wanted)
    if rule == "enum":
        return causes.unsupported(path, value, [str(each) for each in wanted])
    if rule == "type":
        detail = f'{path} in body must be of type {_name(wanted)}: "{kind_of(value)}"'
        return causes.wrong_type(path, kind_of(value), detail)
    if rule == "format":
        return causes.wrong_type(path, value, f"{path} in body must be of type {wanted}: {causes.shown(value)}")
    if rule == "maxLength":
        return causes.too_long(path, wanted)
    if rule in ("maxItems", "maxProperties"):
        return causes.too_many(path, len(value), wanted)
    words = _WORDS.get(rule)
    detail = words(wanted, violation.schema) if words else "must validate the schema"
    return causes.invalid(path, value, f"{path or 'object'} in body {detail}")


def _name(wanted: Any) -> str:
    return wanted if isinstance(wanted, str) else ",".join(map(str, wanted))


def kind_of(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def _least(wanted: Any, schema: Any) -> str:
    return f"should be greater than {'' if schema.get('exclusiveMinimum') else 'or equal to '}{wanted}"


def _most(wanted: Any, schema: Any) -> str:
    return f"should be less than {'' if schema.get('exclusiveMaximum') else 'or equal to '}{wanted}"


_WORDS: Mapping[str, Callable[[Any, Any], str]] = {
    "minimum": _least,
    "maximum": _most,
    "multipleOf": lambda wanted, _: f"should be a multiple of {wanted}",
    "pattern": lambda wanted, _: f"should match '{wanted}'",
    "minLength": lambda wanted, _: f"should be at least {wanted} chars long",
    "minItems": lambda wanted, _: f"should have at least {wanted} items",
    "minProperties": lambda wanted, _: f"should have at least {wanted} properties",
    "oneOf": lambda *_: "must validate one and only one schema (oneOf)",
    "anyOf": lambda *_: "must validate at least one schema (anyOf)",
    "allOf": lambda *_: "must validate all the schemas (allOf)",
    "not": lambda *_: "must not validate the schema (not)",
}
