"""JSON values: comparison, order and text as upstream has them. Source: structured-merge-diff/value."""

import json
from typing import Any, Final

Value = Any


class _Missing:
    """The absence of a value. `None` is JSON's null, which is a value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

_NUMBER, _STRING, _BOOL, _LIST, _MAP, _NULL = range(6)


def get_sort_key(value: Value) -> tuple[Any, ...]:
    """Return the sort key of a value, which also decides equality: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, bool):
        return (_BOOL, value)
    if isinstance(value, int | float):
        return (_NUMBER, value)
    if isinstance(value, str):
        return (_STRING, value)
    if isinstance(value, list):
        return (_LIST, tuple(get_sort_key(item) for item in value))
    if isinstance(value, dict):
        return (_MAP, tuple((key, get_sort_key(value[key])) for key in sorted(value)))
    return (_NULL,)


def are_equal(left: Value, right: Value) -> bool:
    if left is MISSING or right is MISSING:
        return left is right
    return get_sort_key(left) == get_sort_key(right)


def is_scalar(value: Value) -> bool:
    return isinstance(value, bool | int | float | str)


def format_value(value: Value) -> str:
    """Return a value as paths and conflict messages print it."""
    if isinstance(value, dict):
        return "".join(f"{key}={format_value(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "[" + ",".join(format_value(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
