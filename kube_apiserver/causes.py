"""Causes of invalid fields, with upstream's messages. Source: apimachinery/pkg/util/validation/field/errors.go."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.text.go import json_text
from kube_objects.text.problems import ErrorType, Problem

Cause = Mapping[str, str]

_SHORT = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
NOT_NEGATIVE = "must be greater than or equal to 0"
IMMUTABLE = "field is immutable"


def of_problem(problem: Problem) -> Cause:
    """Return a problem of the parser with upstream's message for its error type. Source: field.Error.ErrorBody."""
    path = problem.field or problem.path
    match problem.type:
        case ErrorType.INVALID:
            return invalid(path, problem.value, problem.rule)
        case ErrorType.DUPLICATE:
            return duplicate(path, problem.value)
        case ErrorType.NOT_SUPPORTED:
            return unsupported(path, problem.value, sorted(problem.supported))
    # The rules of these types are upstream's messages already.
    return _cause(problem.type.value, path, problem.rule)


def required(path: str, detail: str = "") -> Cause:
    return _cause("FieldValueRequired", path, f"Required value{f': {detail}' if detail else ''}")


def forbidden(path: str, detail: str) -> Cause:
    return _cause("FieldValueForbidden", path, f"Forbidden: {detail}")


def invalid(path: str, value: Any, detail: str) -> Cause:
    return _cause("FieldValueInvalid", path, f"Invalid value: {shown(value)}{f': {detail}' if detail else ''}")


def invalid_without_value(path: str, detail: str) -> Cause:
    return _cause("FieldValueInvalid", path, f"Invalid value: {detail}")


def wrong_type(path: str, value: Any, detail: str) -> Cause:
    return {**invalid(path, value, detail), "reason": "FieldValueTypeInvalid"}


def duplicate(path: str, value: Any) -> Cause:
    return _cause("FieldValueDuplicate", path, f"Duplicate value: {shown(value)}")


def duplicate_without_value(path: str) -> Cause:
    return _cause("FieldValueDuplicate", path, "Duplicate value")


def not_found(path: str, value: Any, detail: str = "") -> Cause:
    return _cause("FieldValueNotFound", path, f"Not found: {shown(value)}{f': {detail}' if detail else ''}")


def unsupported(path: str, value: Any, known: Iterable[str]) -> Cause:
    """Return the cause of an unsupported value. `known` is sorted where upstream has a set."""
    names = ", ".join(f'"{each}"' for each in known)
    return _cause("FieldValueNotSupported", path, f"Unsupported value: {shown(value)}: supported values: {names}")


def too_long(path: str, most: int) -> Cause:
    return _cause("FieldValueTooLong", path, f"Too long: may not be more than {most} bytes")


def too_many(path: str, number: int, most: int) -> Cause:
    return _cause("FieldValueTooMany", path, f"Too many: {number}: must have at most {most} items")


def internal(path: str, detail: str) -> Cause:
    return _cause("InternalError", path, f"Internal error: {detail}")


def shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return quoted(value[:2000])
    # Go prints a map in the order of its keys, and a struct in the order of its fields.
    is_map = type(value) is dict
    return json_text(json.dumps(value, separators=(",", ":"), sort_keys=is_map, ensure_ascii=False))[:20_000]


def quoted(text: str) -> str:
    """Return a text as Go's %q prints it."""
    if text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return f'"{"".join(map(_sign, text))}"'


def _sign(sign: str) -> str:
    if sign.isprintable():
        return f"\\{sign}" if sign in '"\\' else sign
    if sign in _SHORT:
        return _SHORT[sign]
    number = ord(sign)
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _cause(reason: str, path: str, message: str) -> Cause:
    return {"reason": reason, "message": message, "field": path}
