"""CEL rules (`x-kubernetes-validations`) of custom resources. Source: apiextensions-apiserver, schema/cel.

The types in a rule aren't checked before it runs. Its cost is estimated when its CRD is written (`rule_costs`).

A rule that needs too much work for an object doesn't run.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from kube_apiserver import broken_rules, causes
from kube_apiserver.budgets import CALL_LIMIT, Budget, OutOfBudgetError
from kube_apiserver.causes import Cause
from kube_apiserver.custom import declared
from kube_objects import expressions
from kube_objects.text import go
from kube_objects.text.errors import SelectorError

Schema = Mapping[str, Any]

RULES = "x-kubernetes-validations"
_SELF, _OLD = "self", "oldSelf"
_USES_OLD = re.compile(r"\boldSelf\b")


class _TooMuchError(Exception):
    """The error that stops all further rules."""

    def __init__(self, cause: Cause) -> None:
        self.cause = cause


@dataclass(frozen=True, slots=True)
class _Place:
    """A value, the same value before an update (None if it can't be compared), and whether it is unchanged.

    All values of an object share `budget`.
    """

    budget: Budget
    path: str
    value: Any
    old: Any
    is_same: bool

    def below(self, path: str, value: Any, old: Any, is_same: bool) -> "_Place":
        return _Place(self.budget, path, value, old, is_same)


def problems(value: Mapping[str, Any], old: Mapping[str, Any] | None, schema: Schema) -> Iterator[Cause]:
    """Yield the rules that an object breaks. `old` is the object before an update."""
    try:
        yield from _at(schema, _Place(Budget(), "", value, old, is_same=False), is_root=True)
    except _TooMuchError as much:
        yield much.cause


def _at(schema: Schema, place: _Place, *, is_root: bool = False) -> Iterator[Cause]:
    if place.value is None:
        return
    rules = schema.get(RULES)
    if isinstance(rules, list) and rules:
        yield from _tried(schema, place, is_root=is_root)
    for inner in schema.get("allOf") or ():
        if isinstance(inner, Mapping):
            yield from _at({**inner, "type": schema.get("type")}, place)
    if isinstance(place.value, list) and isinstance(schema.get("items"), Mapping):
        for each in _items(schema, place):
            yield from _at(schema["items"], each)
    elif isinstance(place.value, Mapping):
        yield from _below(schema, place)


def _below(schema: Schema, place: _Place) -> Iterator[Cause]:
    properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
    was = place.old if isinstance(place.old, Mapping) else {}
    for name, item in place.value.items():
        named = properties.get(name)
        inner = named or more
        if not isinstance(inner, Mapping):
            continue
        below = f"{place.path}.{name}" if place.path else name
        path = below if named else f"{place.path}[{name}]"
        is_same = item == was[name] if name in was else place.is_same
        yield from _at(inner, place.below(path, item, was.get(name), is_same))


def _items(schema: Schema, place: _Place) -> Iterator[_Place]:
    """Yield the items of a list. Only items of map lists are matched with their old values."""
    keys = schema.get("x-kubernetes-list-map-keys") or ()
    is_map = schema.get("x-kubernetes-list-type") == "map" and isinstance(place.old, list)
    known = {_key(each, keys): each for each in place.old if isinstance(each, Mapping)} if is_map else {}
    for number, item in enumerate(place.value):
        old = known.get(_key(item, keys)) if isinstance(item, Mapping) else None
        is_same = item == old if old is not None else place.is_same
        yield place.below(f"{place.path}[{number}]", item, old, is_same)


def _key(item: Mapping[str, Any], keys: Any) -> str:
    return json.dumps([item.get(name) for name in keys], sort_keys=True, default=str)


def _tried(schema: Schema, place: _Place, *, is_root: bool) -> Iterator[Cause]:
    field, kind = place.path or "<nil>", str(schema.get("type") or "")
    whole = declared.with_head(schema) if is_root else schema
    now = _seen(place.value, whole)
    for rule in schema[RULES]:
        text = str(rule.get("rule") or "").strip()
        uses_old, is_optional = _USES_OLD.search(text) is not None, bool(rule.get("optionalOldSelf"))
        if not text or (uses_old and place.old is None and not is_optional):
            continue
        variables = {_SELF: now}
        if uses_old:
            before = None if place.old is None else _seen(place.old, whole)
            variables[_OLD] = expressions.maybe(before) if is_optional else before
        try:
            if place.budget.value(text, variables) is True:
                continue
        except OutOfBudgetError as spent:
            raise _TooMuchError(causes.invalid(field, kind, str(spent))) from spent
        except SelectorError as wrong:
            cause = causes.invalid(field, kind, _why(str(wrong), rule))
            if str(wrong) == CALL_LIMIT:
                raise _TooMuchError(cause) from wrong
            yield cause
            continue
        if not uses_old and place.is_same:
            # An update may leave a value that broke a rule before.
            continue
        yield _broken(rule, place, kind, _message(rule, variables, place.budget))


def _why(wrong: str, rule: Mapping[str, Any]) -> str:
    text = str(rule.get("message") or rule.get("rule")).strip()
    if wrong.startswith("CEL compile error"):
        return f"rule compile error: {wrong.removeprefix('CEL compile error: ')}"
    if wrong == CALL_LIMIT:
        return f"'{wrong}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"
    if wrong.startswith("no such overload"):
        how = "call arguments did not match a supported operator, function or macro signature for rule"
        return f"'{wrong}': {how}: {text}"
    return f"{wrong} evaluating rule: {text}"


def _message(rule: Mapping[str, Any], variables: Mapping[str, Any], budget: Budget) -> str:
    def evaluated(expression: str) -> Any:
        try:
            return budget.value(expression, variables)
        except (OutOfBudgetError, SelectorError):
            return None

    return broken_rules.message(rule, evaluated, f"failed rule: {str(rule.get('rule')).strip()}")


def _broken(rule: Mapping[str, Any], place: _Place, kind: str, detail: str) -> Cause:
    below, reason = str(rule.get("fieldPath") or "").removeprefix("."), rule.get("reason")
    path = ".".join(filter(None, (place.path, below))) or "<nil>"
    if reason == "FieldValueForbidden":
        return causes.forbidden(path, detail)
    if reason == "FieldValueRequired":
        return causes.required(path, detail)
    if kind in ("object", "array"):
        return (
            causes.duplicate_without_value(path)
            if reason == "FieldValueDuplicate"
            else (causes.invalid_without_value(path, detail))
        )
    if reason == "FieldValueDuplicate":
        return causes.duplicate(path, place.value)
    return causes.invalid(path, place.value, detail)


def _seen(value: Any, schema: Any) -> Any:
    """Return a value as rules see it: the fields of its schema, with names that CEL can parse.

    A null field is absent.
    """
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, Mapping):
        properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
        if properties:
            return {
                declared.escaped(name): _seen(item, properties[name])
                for name, item in value.items()
                if name in properties and item is not None
            }
        return {name: _seen(item, more) for name, item in value.items()}
    if isinstance(value, list):
        return [_seen(item, schema.get("items")) for item in value]
    if schema.get("type") == "number" and type(value) is int:
        return float(value)
    read = _FORMATS.get(str(schema.get("format"))) if isinstance(value, str) else None
    if read is None:
        return value
    try:
        return read(value)
    except ValueError:
        return value


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _duration(text: str) -> timedelta:
    return timedelta(microseconds=go.parse_duration(text) / 1000)


# Source: apiserver/pkg/cel/common/values.go UnstructuredToVal.
_FORMATS: Mapping[str, Callable[[str], Any]] = {
    "byte": lambda text: base64.b64decode(text, validate=True),
    "date": _date,
    "date-time": datetime.fromisoformat,
    "duration": _duration,
}
