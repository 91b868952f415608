"""Defaults as tables that map the path of a field to its default."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

Object = dict[str, Any]
Defaults = Mapping[str, Any]


def fill(value: Any, defaults: Defaults) -> None:
    """Set each missing field below `value` to a copy of its default.

    `a.b` applies only if `a` is present; `a!.b` creates `a` if it is missing; `a[].b` applies to each item of the list
    `a`.
    """
    for path, default in defaults.items():
        for holder, name in _find_holders(value, path.split(".")):
            if holder.get(name) is None:
                holder[name] = copy.deepcopy(default)


def _find_holders(value: Any, names: list[str]) -> Iterator[tuple[Object, str]]:
    if not isinstance(value, dict):
        return
    first, rest = names[0], names[1:]
    if not rest:
        yield value, first
    elif first.endswith("[]"):
        for item in get_part(value, first[:-2], list):
            yield from _find_holders(item, rest)
    elif first.endswith("!"):
        inner = value.get(first[:-1])
        if inner is None:
            inner = value[first[:-1]] = {}
        yield from _find_holders(inner, rest)
    else:
        yield from _find_holders(value.get(first), rest)


def get_part(value: Any, name: str, expected_type: type = dict) -> Any:
    """Return the field `name` of an object, or an empty value if it is missing or of another type."""
    item = value.get(name) if isinstance(value, dict) else None
    return item if isinstance(item, expected_type) else expected_type()


def list_objects(items: Any) -> list[Object]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def clone(value: Any) -> Any:
    """Return the value with new maps and lists."""
    if type(value) is dict:
        return {name: clone(item) for name, item in value.items()}
    return [clone(item) for item in value] if type(value) is list else value
