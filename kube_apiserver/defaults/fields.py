"""Defaults as tables: the path of a field → what it is where nothing is said."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

Object = dict[str, Any]
Defaults = Mapping[str, Any]


def fill(value: Any, defaults: Defaults) -> None:
    """Fill in what is missing below `value`.

    `a.b` is filled in only where `a` is there, `a!.b` makes it be there, `a[].b` is a field of each in the list a.
    Lists and objects of the table are copied.
    """
    for path, default in defaults.items():
        for holder, name in _holders(value, path.split(".")):
            if holder.get(name) is None:
                holder[name] = copy.deepcopy(default)


def _holders(value: Any, names: list[str]) -> Iterator[tuple[Object, str]]:
    if not isinstance(value, dict):
        return
    first, rest = names[0], names[1:]
    if not rest:
        yield value, first
    elif first.endswith("[]"):
        for each in part(value, first[:-2], list):
            yield from _holders(each, rest)
    elif first.endswith("!"):
        inner = value.get(first[:-1])
        if inner is None:
            inner = value[first[:-1]] = {}
        yield from _holders(inner, rest)
    else:
        yield from _holders(value.get(first), rest)


def part(value: Any, name: str, of: type = dict) -> Any:
    """The part `name` of an object, or an empty one where it is not there or something else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, of) else of()


def objects(items: Any) -> list[Object]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def clone(value: Any) -> Any:
    """Return the value with new maps and lists."""
    if type(value) is dict:
        return {name: clone(item) for name, item in value.items()}
    return [clone(item) for item in value] if type(value) is list else value
