"""JSON values as upstream compares, orders and prints them. Source: structured-merge-diff/value."""

import json
from typing import Any, Final

Value = Any


class _Missing:
    """There is no value; `None` is JSON's null, which is one."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

_NUMBER, _STRING, _BOOL, _LIST, _MAP, _NULL = range(6)


def order(value: Value) -> tuple[Any, ...]:
    """What a value is ordered and told apart by: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, bool):
        return (_BOOL, value)
    if isinstance(value, int | float):
        return (_NUMBER, value)
    if isinstance(value, str):
        return (_STRING, value)
    if isinstance(value, list):
        return (_LIST, tuple(order(item) for item in value))
    if isinstance(value, dict):
        return (_MAP, tuple((key, order(value[key])) for key in sorted(value)))
    return (_NULL,)


def equal(one: Value, other: Value) -> bool:
    if one is MISSING or other is MISSING:
        return one is other
    return order(one) == order(other)


def is_scalar(value: Value) -> bool:
    return isinstance(value, bool | int | float | str)


def text(value: Value) -> str:
    """As it stands in a path and in a conflict."""
    if isinstance(value, dict):
        return "".join(f"{key}={text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "[" + ",".join(text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
