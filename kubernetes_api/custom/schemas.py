"""Structural schemas: what is unknown is left out, what is left out is filled in, and what does not fit is told.

Source: apiextensions-apiserver/pkg/apiserver/schema (pruning, defaulting) and kube-openapi's validation, whose words
these are. Checked by the library `jsonschema`, but for patterns, which may come from anybody: its engine for them may
take for ever (`patterns.py` has another). Items that have to be unique are not: that may take for ever, too.
"""

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import structured_merge.schema
from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.custom import embedded, merging, patterns, rules
from scheduler_core.objects import formats

# The library takes 0.1 s to import, and few clusters have kinds of their own.
if TYPE_CHECKING:
    from jsonschema import Draft4Validator, FormatChecker
    from jsonschema.exceptions import ValidationError

_PRESERVE, _INT_OR_STRING = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"
# After one of these a server does not try the rules in CEL. Source: customresource/validator.go hasBlockingErr.
_BLOCKING = ("type", "enum", "required", "maxItems", "maxLength", "maxProperties")
_NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)
MOST_DEFAULTS = 3 * 1024 * 1024
"""Bytes that the defaults of one object may have: those of a request. Source: server/config.go MaxRequestBodyBytes."""
# No client reads more of them.
_MOST_ERRORS = 2_000
_LAST = "\U0010ffff"
# Every object has these; what metadata hold is checked as that of all kinds is.
_HEAD = ("apiVersion", "kind", "metadata")
_LISTS, _MAPS = ("allOf", "anyOf", "oneOf"), ("properties",)
_CHECKED = (
    *("type", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"),
    *("maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "required"),
)
_LEAST = {
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), 0),
    "multipleOf": 1e-9,
}

Schema = Mapping[str, Any]
Object = dict[str, Any]


class Structural(dict[str, Any]):
    """The schema of a version of a kind."""

    @cached_property
    def validator(self) -> "Draft4Validator":
        return _validator(has_patterns=True)(_plain(self), format_checker=_formats())

    @cached_property
    def validator_without_patterns(self) -> "Draft4Validator":
        return _validator(has_patterns=False)(_plain(self), format_checker=_formats())

    @cached_property
    def heaviest_pattern(self) -> int:
        return patterns.heaviest(_plain(self))

    @cached_property
    def merging(self) -> structured_merge.schema.Schema:
        """What server-side apply has to know of its fields."""
        return merging.types(self)

    @cached_property
    def has_rules(self) -> bool:
        """Whether it has rules in CEL anywhere."""
        return f'"{rules.RULES}":' in json.dumps(self)


@cache
def _validator(*, has_patterns: bool) -> type["Draft4Validator"]:
    from jsonschema import Draft4Validator, validators
    from jsonschema.exceptions import ValidationError

    def pattern(_: Any, wanted: str, value: Any, __: Any) -> Iterator[ValidationError]:
        if has_patterns and isinstance(value, str) and not patterns.matches(wanted, value):
            yield ValidationError("does not match")

    def enum(_: Any, known: list[Any], value: Any, __: Any) -> Iterator[ValidationError]:
        if not _is_one_of(value, known):
            yield ValidationError("is unknown")

    def any_of(validator: Any, schemas: list[Any], value: Any, _: Any) -> Iterator[ValidationError]:
        if not any(validator.evolve(schema=each).is_valid(value) for each in schemas):
            yield ValidationError("fits none")

    # The library's own write the whole list, or all errors of all alternatives, into each error.
    own = {"pattern": pattern, "enum": enum, "anyOf": any_of}
    found: type[Draft4Validator] = validators.extend(Draft4Validator, own)
    return found


def _is_one_of(value: Any, known: list[Any]) -> bool:
    """In JSON, true isn't 1."""
    return any(isinstance(each, bool) == isinstance(value, bool) for each in known if each == value)


@cache
def _formats() -> "FormatChecker":
    from jsonschema import FormatChecker

    found = FormatChecker(formats=())
    found.checkers = {"date-time": (_of_text("datetime"), ()), "k8s-long-name": (_of_text("k8slongname"), ())}
    found.checkers |= {"k8s-short-name": (_of_text("k8sshortname"), ())}
    found.checkers |= {name: (_of_text(name), ()) for name in formats.CHECKS}
    return found


def _of_text(name: str) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or formats.CHECKS[name](value)


def unknown(value: Any, schema: Schema, path: str = "") -> Iterator[str]:
    """Paths of what the schema does not have."""
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        for number, item in enumerate(value):
            yield from unknown(item, schema["items"], f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            below, inner = f"{path}.{name}" if path else name, _inner(schema, name, path)
            if inner is None:
                yield below
            elif name != "metadata" or path:
                yield from unknown(item, inner, below)


def pruned(value: Any, schema: Schema, path: str = "") -> Any:
    """Without what the schema does not have."""
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [pruned(item, schema["items"], f"{path}[]") for item in value]
    if not isinstance(value, dict):
        return value
    rest = {name: (item, _inner(schema, name, path)) for name, item in value.items()}
    return {
        name: item if name == "metadata" and not path else pruned(item, inner, f"{path}.{name}")
        for name, (item, inner) in rest.items()
        if inner is not None
    }


def _inner(schema: Schema, name: str, path: str) -> Schema | None:
    """What is said of a field; None for one that is not known."""
    properties, more = schema.get("properties") or {}, schema.get("additionalProperties")
    if isinstance(properties.get(name), Mapping):
        found: Schema = properties[name]
        return found
    if isinstance(more, Mapping):
        return more
    if (not path or schema.get(embedded.MARK)) and name in _HEAD:
        return {_PRESERVE: True}
    return {_PRESERVE: True} if schema.get(_PRESERVE) or more is True else None


def fill_in(value: Any, schema: Schema) -> None:
    """Add defaults where nothing stands, from the outside in. Raise LargeDefaultsError."""
    _fill_in(value, schema, _Room())


class LargeDefaultsError(Exception):
    """The defaults of an object have more than MOST_DEFAULTS bytes."""


class _Room:
    """The bytes that defaults may add to one object."""

    def __init__(self) -> None:
        self._left = MOST_DEFAULTS
        # By the id of a default, which stays as long as its schema.
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
    """What does not fit, in the order of its place; what is below a place before what is of the place itself.

    `old`: the object before an update. `beside`: what else a server says of it before it tries the rules.
    """
    is_too_much = patterns.are_too_much(value, schema.heaviest_pattern)
    validator = schema.validator_without_patterns if is_too_much else schema.validator
    errors = islice(validator.iter_errors(value), _MOST_ERRORS)
    found = sorted(errors, key=lambda each: [*map(str, each.path), _LAST])
    if old is not None:
        found = [each for each in found if not _was_so(each, old, schema)]
    for error in found:
        yield _cause(error)
    yield from beside
    yield from embedded.problems(value, schema)
    yield from _twice(value, schema, "")
    if schema.has_rules and any(error.validator in _BLOCKING for error in found):
        yield causes.invalid("<nil>", None, _NOT_CHECKED)
    elif schema.has_rules:
        yield from rules.problems(value, old, schema)


def _was_so(error: "ValidationError", old: Any, schema: Any) -> bool:
    """Whether what does not fit did not fit before: then an update may leave it. Source: ratcheting of schemas."""
    if not error.absolute_path:
        return False
    value, was = error.instance, old
    for part in error.absolute_path:
        if isinstance(part, int) or not isinstance(was, Mapping) or part not in was:
            # Items of lists are not known again one by one.
            return False
        was = was[part]
    return bool(value == was)


def _twice(value: Any, schema: Schema, path: str) -> Iterator[Cause]:
    """Items of sets that are equal, and of lists that are maps with equal keys. Source: schema/listtype."""
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


def wrong(schema: Schema) -> str:
    """Why it is no schema; "" for one that is."""
    from jsonschema import Draft4Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft4Validator.check_schema(_plain(schema))
    except (SchemaError, RecursionError) as error:
        return str(getattr(error, "message", error))[:500]
    return ""


def _plain(schema: Schema) -> Object:
    """What the library knows of it."""
    found: Object = {name: schema[name] for name in _CHECKED if schema.get(name) not in (None, [])}
    for name, limit in _LEAST.items():
        # Upstream takes what no value breaks.
        if isinstance(found.get(name), int | float) and found[name] < limit:
            del found[name]
    for bound in ("minimum", "maximum"):
        if bound not in found:
            found.pop(f"exclusive{bound.title()}", None)
    if schema.get(_INT_OR_STRING):
        found["type"] = ["integer", "string"]
    if schema.get("type") in (None, "string") and formats.known(schema.get("format")):
        found["format"] = schema["format"]
    if isinstance(schema.get("pattern"), str) and patterns.weight(schema["pattern"]):
        found["pattern"] = schema["pattern"]
    if schema.get("nullable") and "type" in found:
        found["type"] = [*([found["type"]] if isinstance(found["type"], str) else found["type"]), "null"]
        if "enum" in found:
            found["enum"] = [*found["enum"], None]
    if isinstance(schema.get("properties"), Mapping):
        found["properties"] = {name: _plain(each) for name, each in schema["properties"].items()}
    for name in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(name), Mapping):
            found[name] = _plain(schema[name])
    for name in _LISTS:
        if isinstance(schema.get(name), list) and schema[name]:
            found[name] = [_plain(each) for each in schema[name]]
    return found


def _cause(error: "ValidationError") -> Cause:
    """As go-openapi says it."""
    path = ""
    for part in error.absolute_path:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    rule, wanted, value = str(error.validator), error.validator_value, error.instance
    if rule == "required":
        name = next((each for each in wanted if each not in value), "")
        return causes.required(f"{path}.{name}" if path else name)
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
    detail = words(wanted, error.schema) if words else "must validate the schema"
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
