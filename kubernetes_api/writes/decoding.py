"""What Go's decoder says of JSON that does not fit a type, and how it writes quantities again.

Source: encoding/json, apimachinery/pkg/api/resource.
"""

import json
from collections.abc import Mapping
from typing import Any

from kubernetes_api import errors
from kubernetes_api.resources import Resource
from kubernetes_api.writes import types
from scheduler_core.objects.quantity import QuantityError, parse_quantity

Object = dict[str, Any]

_LONG = frozenset(
    [
        "activeDeadlineSeconds",
        "count",
        "deletionGracePeriodSeconds",
        "expirationSeconds",
        "fsGroup",
        "generation",
        "observedGeneration",
        "runAsGroup",
        "runAsUser",
        "terminationGracePeriodSeconds",
        "tolerationSeconds",
    ]
)
"""Integers of 64 bits; all others have 32."""
_QUANTITY, _SHOWN = "Quantity", 30
_EXPECTED = {
    "Expecting property name": "looking for beginning of object key string",
    "Expecting value": "looking for beginning of value",
    "Expecting ':'": "after object key",
    "Expecting ','": "after object key:value pair",
    "Extra data": "after top-level value",
}


def check(resource: Resource, value: Object, patched: Any = None, *, is_converted: bool = False) -> None:
    """ApiError for what the kind's type cannot hold; quantities are written as a server writes them.

    `is_converted`: a strategic merge patch made it, which Go converts instead of decoding it.
    """
    name = types.name_of(resource)
    if name is None:
        return
    try:
        _fit(value, {"$ref": name}, "", "")
    except _UnfitError as wrong:
        text = f"unrecognized type: {wrong.wanted}" if is_converted and wrong.wanted else str(wrong)
        raise refused(resource, text, patched if is_converted or patched is None else _text(patched)) from wrong


def refused(resource: Resource, text: str, patched: Any = None) -> errors.ApiError:
    if patched is None:
        message = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {text}'
        return errors.bad_request(message)
    written = go_text(patched) if isinstance(patched, dict) else str(patched)
    cause = f"Invalid value: {json.dumps(written, ensure_ascii=False)}: {text}"
    details = {"causes": [{"reason": "FieldValueInvalid", "message": cause, "field": "patch"}]}
    return errors.ApiError(422, "Invalid", f' "" is invalid: patch: {cause}', details)


def go_text(value: Any) -> str:
    """As Go prints a value with %v."""
    if isinstance(value, Mapping):
        return f"map[{' '.join(f'{name}:{go_text(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_text(each) for each in value)}]"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    return str(value)


def go_error(body: bytes, broken: Exception, kind: str = "") -> str:
    """What encoding/json says of a text that is no JSON, and the server of an object of `kind` that it should be."""
    text = body.decode(errors="replace")
    if kind:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
        text = f"couldn't get version/kind; json parse error: {go_error(body, broken)} ({shown})"
        return f"the object provided is unrecognized (must be of type {kind}): {text}"
    if not isinstance(broken, json.JSONDecodeError):
        return "the object provided is unrecognized: it is nested too deep, or no text"
    if not text[broken.pos :].strip():
        return "unexpected end of JSON input"
    sign = text[broken.pos :].lstrip()[:1]
    where = next((words for start, words in _EXPECTED.items() if broken.msg.startswith(start)), "in literal")
    return f"invalid character '{sign}' {where}"


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


class _UnfitError(ValueError):
    def __init__(self, text: str, wanted: str = "") -> None:
        super().__init__(text)
        self.wanted = wanted


def _fit(value: Any, schema: Mapping[str, Any], path: str, owner: str) -> None:
    """`path`: names without numbers, as Go tells them."""
    if "$ref" in schema:
        owner = str(schema["$ref"]).rpartition(".")[2]
        schema = types.of_name(schema["$ref"])
    if value is None:
        return
    kind = schema.get("type")
    known, values = schema.get("properties"), schema.get("additionalProperties")
    if kind == "array":
        if not isinstance(value, list):
            raise _unfit(value, owner, path, "[]" + str(schema.get("items", {}).get("$ref", "")).rpartition(".")[2])
        for number, item in enumerate(value):
            value[number] = _scalar(item, schema.get("items", {}), path, owner)
            _fit(item, schema.get("items", {}), path, owner)
    elif isinstance(value, dict):
        if kind in ("string", "integer", "boolean", "number") or (values is None and not known and "oneOf" in schema):
            raise _unfit(value, owner, path, str(kind))
        for name, item in value.items():
            inner = known.get(name) if known else values
            if inner is not None:
                below = f"{path}.{name}" if path else name
                value[name] = _scalar(item, inner, below, owner)
                _fit(item, inner, below, owner)
    elif known or (values is not None and kind == "object"):
        raise _unfit(value, owner if known else "", path, owner if known else "map[string]string")


def _scalar(value: Any, schema: Mapping[str, Any], path: str, owner: str) -> Any:
    """The value as it is stored: a quantity in its canonical form."""
    if value is None or isinstance(value, dict | list):
        return value
    ref = str(schema.get("$ref", "")).rpartition(".")[2]
    if ref == _QUANTITY:
        return _quantity(value)
    if ref:
        return value
    kind, is_bool = schema.get("type"), isinstance(value, bool)
    name = path.rpartition(".")[2]
    if kind == "string" and not isinstance(value, str):
        raise _unfit(value, owner, path, "string")
    if kind == "boolean" and not is_bool:
        raise _unfit(value, owner, path, "bool")
    if kind == "integer":
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if not isinstance(value, int) or is_bool:
            raise _unfit(value, owner, path, "int64" if name in _LONG else "int32")
    return value


def _quantity(value: Any) -> str:
    try:
        return str(parse_quantity(value if isinstance(value, str) else json.dumps(value)))
    except QuantityError as wrong:
        raise _UnfitError(str(wrong)) from wrong


def _unfit(value: Any, owner: str, path: str, wanted: str) -> _UnfitError:
    got = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"
    if isinstance(value, bool):
        got = "bool"
    elif isinstance(value, int | float):
        got = "number" if wanted in ("string", "bool") or not isinstance(value, float) else f"number {value}"
    return _UnfitError(f"json: cannot unmarshal {got} into Go struct field {owner}.{path} of type {wanted}", wanted)
