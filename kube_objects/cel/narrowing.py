"""The parts of variables that an expression can look at.

The library copies all that it's given. An expression that looks at one field of a large object gets only this field.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from kube_objects.cel.syntax import Call, Index, Literal, Made, Name, Node, NotReadError, Select, parse

# The fields of a variable that are looked at, each with its own fields; None for all that is in it.
_Fields = dict[str, Any]


def narrowed(expression: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the variables with only those parts that the expression can look at."""
    try:
        fields = _looked_at(expression)
    except (NotReadError, RecursionError):
        return variables
    return {name: _part(value, fields[name]) for name, value in variables.items() if name in fields}


def looks_at(expression: str, variable: str) -> bool:
    """Return whether the expression looks at a variable. An expression that can't be parsed looks at none."""
    try:
        return variable in _looked_at(expression)
    except (NotReadError, RecursionError):
        return False


def _part(value: Any, fields: _Fields | None) -> Any:
    if fields is None:
        return value
    if isinstance(value, list) and not fields:
        # Only its presence is looked at.
        return []
    if not isinstance(value, Mapping):
        return value
    return {name: _part(value[name], below) for name, below in fields.items() if name in value}


@lru_cache(maxsize=1024)
def _looked_at(expression: str) -> _Fields:
    fields: _Fields = {}
    for path, is_presence in _paths(parse(expression)):
        _add(fields, path, is_presence=is_presence)
    return fields


def _add(fields: _Fields, path: tuple[str, ...], *, is_presence: bool) -> None:
    *start, last = path
    for name in start:
        below = fields.setdefault(name, {})
        if below is None:
            return
        fields = below
    if is_presence:
        fields.setdefault(last, {})
    else:
        fields[last] = None


def _paths(node: Node) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the paths that start at a variable, and whether only the presence of a value there is looked at."""
    if (path := _path(node)) is not None:
        yield path, False
        return
    match node:
        case Select():
            yield from _paths(node.target)
        case Index():
            yield from _paths(node.target)
            yield from _paths(node.index)
        case Made():
            for item in node.items:
                yield from _paths(item)
        case Call():
            # `has(a.b)`, `a.b != null`
            is_presence = node.function == "has" or (
                node.function in ("==", "!=")
                and any(isinstance(each, Literal) and each.kind == "null" for each in node.arguments)
            )
            for item in (*node.arguments, *(() if node.target is None else (node.target,))):
                if is_presence and (path := _path(item)) is not None:
                    yield path, True
                else:
                    yield from _paths(item)


def _path(node: Node) -> tuple[str, ...] | None:
    """Return the path of a field of a variable; None for anything else."""
    names = list[str]()
    while not isinstance(node, Name):
        if isinstance(node, Select):
            names.append(node.field)
        elif isinstance(node, Index) and isinstance(node.index, Literal) and node.index.text is not None:
            names.append(node.index.text)
        else:
            return None
        node = node.target
    return (node.name, *reversed(names))
