"""Validation of a CRD's schema: it must be structural and supported.

Source: apiextensions-apiserver/pkg/apiserver/schema/validation.go, apis/apiextensions/validation.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import default_validation, embedded, go_patterns, rule_costs
from kube_apiserver.validation import go_values
from kube_objects import expressions

Schema = Mapping[str, Any]

_PRESERVE, _EITHER = "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"
_EMBEDDED, _LIST, _KEYS = embedded.MARK, "x-kubernetes-list-type", "x-kubernetes-list-map-keys"
_MAP, _VALIDATIONS = "x-kubernetes-map-type", "x-kubernetes-validations"
_ROOT, _ITEM, _FIELD = "root", "item", "field"
_EMPTY_TYPE = {
    _ROOT: "must not be empty at the root",
    _ITEM: "must not be empty for specified array items",
    _FIELD: "must not be empty for specified object fields",
}
_NOT_SUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
_JUNCTORS = ("allOf", "oneOf", "anyOf")
_INT_OR_STRING_TYPES = [{"type": "integer"}, {"type": "string"}]
_NOT_IN_JUNCTORS = {
    "additionalProperties": "undefined",
    "default": "undefined",
    "title": "empty",
    "description": "empty",
    "nullable": "false",
    _PRESERVE: "false",
    _EMBEDDED: "false",
    _EITHER: "false",
    _KEYS: "empty",
    _LIST: "undefined",
    _MAP: "undefined",
    _VALIDATIONS: "empty",
}
_METADATA_RULE = "must not specify anything other than name and generateName, but metadata is implicitly specified"
# A schema without any of these keys has nothing to check. Large schemas have many of them.
_VALUE_KEYWORDS = frozenset([*_JUNCTORS, "not", "pattern", "items", "properties", "type", *_NOT_IN_JUNCTORS])
_OPEN_API_KEYWORDS = frozenset(
    [*_VALUE_KEYWORDS, *_NOT_SUPPORTED, "uniqueItems", _KEYS, _LIST, _MAP, _PRESERVE, _VALIDATIONS]
)
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_MAX_DEPTH = 100


def problems(schema: Schema, path: str, limits: rule_costs.Limits = rule_costs.Limits.ALL) -> Iterator[Cause]:
    """Yield the errors of a version's schema. `limits`: the cost limits of its rules."""
    errors = list(_invariants(schema, _ROOT, path, 0))
    yield from sorted(errors, key=lambda each: f"{each['field']}: {each['message']}")
    if not errors:
        errors = list(default_validation.validate_defaults(schema, path))
        yield from errors
    yield from _open_api(schema, path, 0)
    if not errors:
        yield from _expressions(schema, path, limits)


def _part(schema: Schema, name: str) -> Mapping[str, Any]:
    found = schema.get(name)
    return found if isinstance(found, Mapping) else {}


def _list(schema: Schema, name: str) -> list[Schema]:
    found = schema.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _invariants(schema: Schema, level: str, path: str, depth: int) -> Iterator[Cause]:
    """Yield violations of the structural form. Source: validateStructuralInvariants."""
    if depth > _MAX_DEPTH:
        return
    kind, items, more = str(schema.get("type") or ""), schema.get("items"), schema.get("additionalProperties")
    if kind == "array" and items is None:
        yield causes.required(f"{path}.items", "must be specified")
    if isinstance(items, Mapping):
        yield from _invariants(items, _ITEM, f"{path}.items", depth + 1)
    for name, inner in _part(schema, "properties").items():
        yield from _invariants(inner, _FIELD, f"{path}.properties[{name}]", depth + 1)
    if more is not None and level == _ROOT:
        yield causes.forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if isinstance(more, Mapping):
        yield from _invariants(more, _FIELD, f"{path}.additionalProperties", depth + 1)
    for name in (_PRESERVE, _EMBEDDED):
        if schema.get(_EITHER) and schema.get(name):
            yield causes.invalid(f"{path}.{name}", True, f"must be false if {_EITHER} is true")
    yield from _values(schema, path, depth, is_nested=False)
    yield from _type(schema, kind, level, path)
    if level == _ROOT or schema.get(_EMBEDDED):
        yield from _head(schema, level, path)


def _type(schema: Schema, kind: str, level: str, path: str) -> Iterator[Cause]:
    field = f"{path}.type"
    if schema.get(_EMBEDDED) and kind != "object":
        detail = f"must be object if {_EMBEDDED} is true"
        yield causes.invalid(field, kind, detail) if kind else causes.required(field, detail)
    elif not kind and not schema.get(_EITHER) and not schema.get(_PRESERVE):
        yield causes.required(field, _EMPTY_TYPE[level])
    if schema.get(_EMBEDDED) and schema.get("additionalProperties") is not None:
        yield causes.forbidden(f"{path}.additionalProperties", f"must not be used if {_EMBEDDED} is set")
    if level == _ROOT and kind not in ("", "object"):
        yield causes.invalid(field, kind, "must be object at the root")
    if schema.get(_EMBEDDED) and not schema.get(_PRESERVE) and not _part(schema, "properties"):
        detail = f"must not be empty if {_EMBEDDED} is true without {_PRESERVE}"
        yield causes.required(f"{path}.properties", detail)


def _head(schema: Schema, level: str, path: str) -> Iterator[Cause]:
    """Yield errors if the schema redefines the head that every object has."""
    for name, wanted in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        inner = _part(schema, "properties").get(name)
        if isinstance(inner, Mapping) and inner.get("type") != wanted:
            yield causes.invalid(f"{path}.properties[{name}].type", inner.get("type") or "", f"must be {wanted}")
    metadata = _part(schema, "properties").get("metadata")
    if level == _ROOT and isinstance(metadata, Mapping) and _says_more(metadata):
        yield causes.forbidden(f"{path}.properties[metadata]", _METADATA_RULE)


def _says_more(metadata: Schema) -> bool:
    """Return True if the schema of metadata restricts more than names. Source: validateStructuralMetadataInvariants."""
    named = set(_part(metadata, "properties"))
    return bool(
        named - {"name", "generateName"}
        or any(item for key, item in metadata.items() if key not in ("type", "default", "properties"))
    )


def _values(schema: Schema, path: str, depth: int, *, is_nested: bool) -> Iterator[Cause]:
    """Yield value validations in the wrong place. Source: validateValueValidation, validateNestedValueValidation."""
    if depth > _MAX_DEPTH:
        return
    for name in _JUNCTORS:
        for number, inner in enumerate(_list(schema, name)):
            is_either = name == "anyOf" and schema.get("anyOf") == _INT_OR_STRING_TYPES
            if not is_either and not _VALUE_KEYWORDS.isdisjoint(inner):
                yield from _values(inner, f"{path}.{name}[{number}]", depth + 1, is_nested=True)
    if isinstance(schema.get("not"), Mapping):
        yield from _values(schema["not"], f"{path}.not", depth + 1, is_nested=True)
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and (why := go_patterns.wrong(pattern)):
        detail = f"must be a valid regular expression, but isn't: {why}"
        yield causes.invalid(f"{path}.pattern", pattern, detail)
    if not is_nested:
        return
    if isinstance(schema.get("items"), Mapping):
        yield from _values(schema["items"], f"{path}.items", depth + 1, is_nested=True)
    for name, inner in _part(schema, "properties").items():
        yield from _values(inner, f"{path}.properties[{name}]", depth + 1, is_nested=True)
    if schema.get("type"):
        yield causes.forbidden(f"{path}.type", "must be empty to be structural")
    for name, word in _NOT_IN_JUNCTORS.items():
        if schema.get(name) not in (None, "", False, []):
            yield causes.forbidden(f"{path}.{name}", f"must be {word} to be structural")
    if "metadata" in _part(schema, "properties"):
        yield causes.forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _open_api(schema: Schema, path: str, depth: int) -> Iterator[Cause]:
    """Yield unsupported parts of the schema. Source: ValidateCustomResourceDefinitionOpenAPISchema."""
    if depth > _MAX_DEPTH:
        return
    yield from _unsupported(schema, path)
    more, items = schema.get("additionalProperties"), schema.get("items")
    if schema.get("uniqueItems"):
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        yield causes.forbidden(f"{path}.uniqueItems", detail)
    if more is not None:
        if _part(schema, "properties") and more is not True:
            detail = "additionalProperties and properties are mutual exclusive"
            yield causes.forbidden(f"{path}.additionalProperties", detail)
        if isinstance(more, Mapping):
            yield from _open_api(more, f"{path}.additionalProperties", depth + 1)
    for name, inner in sorted(_part(schema, "properties").items()):
        yield from _open_api(inner, f"{path}.properties[{name}]", depth + 1)
    if isinstance(schema.get("not"), Mapping):
        yield from _open_api(schema["not"], f"{path}.not", depth + 1)
    for name in _JUNCTORS:
        for number, inner in enumerate(_list(schema, name)):
            if not _OPEN_API_KEYWORDS.isdisjoint(inner):
                yield from _open_api(inner, f"{path}.{name}[{number}]", depth + 1)
    if isinstance(items, Mapping):
        yield from _open_api(items, f"{path}.items", depth + 1)
    if schema.get(_PRESERVE) is False:
        yield causes.invalid(f"{path}.{_PRESERVE}", False, "must be true or undefined")
    yield from _kept_as(schema, _MAP, "object", ("atomic", "granular"), path)
    yield from _kept_as(schema, _LIST, "array", ("atomic", "set", "map"), path)
    yield from _keys(schema, path)
    yield from _never_null(schema, path)
    yield from _rules(schema, path)


def _unsupported(schema: Schema, path: str) -> Iterator[Cause]:
    kind = str(schema.get("type") or "")
    if kind and kind not in default_validation.TYPES:
        yield causes.unsupported(f"{path}.type", kind, default_validation.TYPES)
    for name in _NOT_SUPPORTED:
        found = schema.get(name)
        if found is not None and (found or name in ("additionalItems", "dependencies", "$ref")):
            yield causes.forbidden(f"{path}.{name}", f"{name} is not supported")
    if kind == "null":
        yield causes.forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
    if isinstance(schema.get("items"), list):
        yield causes.forbidden(f"{path}.items", "items must be a schema object and not an array")


def _kept_as(schema: Schema, name: str, wanted: str, known: tuple[str, ...], path: str) -> Iterator[Cause]:
    """Yield the errors of a list type or a map type."""
    merge_type, kind = schema.get(name), str(schema.get("type") or "")
    if merge_type is None:
        return
    if kind != wanted:
        detail = f"must be {wanted} if {name} is specified"
        yield causes.invalid(f"{path}.type", kind, detail) if kind else causes.required(f"{path}.type", detail)
    if merge_type not in known:
        yield causes.unsupported(f"{path}.{name}", merge_type, known)


def _keys(schema: Schema, path: str) -> Iterator[Cause]:
    keys, is_map = schema.get(_KEYS) or [], schema.get(_LIST) == "map"
    if keys and not is_map:
        list_type, detail = schema.get(_LIST), f"must be map if {_KEYS} is non-empty"
        field = f"{path}.{_LIST}"
        yield causes.required(field, detail) if list_type is None else causes.invalid(field, list_type, detail)
    if not is_map:
        return
    if not keys:
        yield causes.required(f"{path}.{_KEYS}", f"must not be empty if {_LIST} is map")
    items = schema.get("items")
    if not isinstance(items, Mapping):
        yield causes.required(f"{path}.items", f"must have a schema if {_LIST} is map")
        return
    kind, field = items.get("type") or "", f"{path}.{_KEYS}"
    if kind != "object":
        yield causes.invalid(f"{path}.items.type", kind, f"must be object if parent array's {_LIST} is map")
    for number, key in enumerate(keys if kind == "object" else ()):
        inner = _part(items, "properties").get(key)
        if not isinstance(inner, Mapping):
            yield causes.invalid(field, keys, "entries must all be names of item properties")
        elif inner.get("type") in ("object", "array"):
            detail = f"must be a scalar type if parent array's {_LIST} is map"
            yield causes.invalid(f"{path}.items.properties[{key}].type", kind, detail)
        if key in keys[:number]:
            yield causes.invalid(field, keys, "must not contain duplicate entries")


def _never_null(schema: Schema, path: str) -> Iterator[Cause]:
    """Yield nullable items and keys of sets and map lists. Source: validateMapListKeysMapSet."""
    kind, items = schema.get(_LIST), schema.get("items")
    if kind not in ("set", "map") or not isinstance(items, Mapping):
        return
    if items.get("nullable"):
        yield causes.forbidden(f"{path}.items.nullable", f"cannot be nullable when {_LIST} is {kind}")
    for key in schema.get(_KEYS) or () if kind == "map" else ():
        inner, field = _part(items, "properties").get(key), f"{path}.items.properties[{key}]"
        if not isinstance(inner, Mapping):
            continue
        is_key = f"this property is in {_KEYS}, so it"
        if key not in (items.get("required") or ()) and inner.get("default") is None:
            yield causes.required(f"{field}.default", f"{is_key} must have a default or be a required property")
        if inner.get("nullable"):
            yield causes.forbidden(f"{field}.nullable", f"{is_key} cannot be nullable")


def _shown(rule: Mapping[str, Any]) -> go_values.Ordered:
    """Return a rule as Go prints a ValidationRule."""
    texts = {"Rule": "rule", "Message": "message", "MessageExpression": "messageExpression"}
    return go_values.Ordered(
        {name: str(rule.get(key) or "") for name, key in texts.items()},
        Reason=rule.get("reason"),
        FieldPath=str(rule.get("fieldPath") or ""),
        OptionalOldSelf=rule.get("optionalOldSelf"),
    )


def _rules(schema: Schema, path: str) -> Iterator[Cause]:
    """Yield the errors of the fields of a rule other than its expression."""
    for number, validation in enumerate(_list(schema, _VALIDATIONS)):
        rule_path = f"{path}.{_VALIDATIONS}[{number}]"
        rule, message, made = (str(validation.get(key) or "") for key in ("rule", "message", "messageExpression"))
        if not rule.strip():
            yield causes.required(f"{rule_path}.rule", "rule is not specified")
        elif message and not message.strip():
            yield causes.invalid(f"{rule_path}.message", message, "must be non-empty if specified")
        elif "\n" in message.strip():
            yield causes.invalid(f"{rule_path}.message", message, "must not contain line breaks")
        elif "\n" in rule.strip() and not message.strip():
            yield causes.required(f"{rule_path}.message", "message must be specified if rule contains line breaks")
        if made and not made.strip():
            yield causes.required(f"{rule_path}.messageExpression", "messageExpression must be non-empty if specified")
        if validation.get("reason") is not None and validation["reason"] not in _REASONS:
            yield causes.unsupported(f"{rule_path}.reason", validation["reason"], _REASONS)
        place = str(validation.get("fieldPath") or "")
        if place and not place.strip():
            yield causes.invalid(f"{rule_path}.fieldPath", place, "must be non-empty if specified")
        if "\n" in place:
            yield causes.invalid(f"{rule_path}.fieldPath", place, "must not contain line breaks")


def _expressions(schema: Schema, path: str, limits: rule_costs.Limits) -> Iterator[Cause]:
    """Yield rules that can't be parsed or cost too much, where nothing else is wrong at their level or deeper."""
    total = rule_costs.Total()
    for place, schema_path, depth in _places(rule_costs.SchemaContext.of_root(schema), path, 0):
        rules = _list(place.schema, _VALIDATIONS)
        if not rules or any(True for _ in _open_api(place.schema, schema_path, depth)):
            continue
        for number, rule in enumerate(rules):
            rule_at = f"{schema_path}.{_VALIDATIONS}[{number}]"
            if limits != rule_costs.Limits.NONE:
                yield from place.rule_problems(rule, rule_at, total, limits_each=limits == rule_costs.Limits.ALL)
            if wrong := expressions.syntax_error(str(rule["rule"])):
                yield causes.invalid(f"{rule_at}.rule", _shown(rule), wrong)
            elif limits != rule_costs.Limits.NONE:
                yield from place.transition_problems(rule, rule_at)
    yield from total.problems(path)


def _places(
    place: rule_costs.SchemaContext, path: str, depth: int
) -> Iterator[tuple[rule_costs.SchemaContext, str, int]]:
    """Yield all schemas in a schema, inner ones first."""
    if depth > _MAX_DEPTH:
        return
    schema = place.schema
    inside = [("@values", "additionalProperties", schema.get("additionalProperties"))]
    inside += [(name, f"properties[{name}]", inner) for name, inner in sorted(_part(schema, "properties").items())]
    for name, at, inner in (*inside, ("@items", "items", schema.get("items"))):
        if isinstance(inner, Mapping):
            yield from _places(place.below(name, inner, path), f"{path}.{at}", depth + 1)
    yield place, path, depth
