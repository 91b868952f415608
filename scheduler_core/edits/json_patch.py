"""JSON patches: how one manifest becomes another, in the few words that one would type. Source: RFC 6902."""

from collections.abc import Mapping
from typing import Any


def difference(before: Any, after: Any, path: str = "") -> list[dict[str, Any]]:
    """The operations that lead from `before` to `after`, both JSON."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        found: list[dict[str, Any]] = []
        for key in dict.fromkeys((*before, *after)):
            inner = f"{path}/{_escaped(str(key))}"
            if key not in after:
                found.append({"op": "remove", "path": inner})
            elif key not in before:
                found.append({"op": "add", "path": inner, "value": after[key]})
            else:
                found += difference(before[key], after[key], inner)
        return found
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return _lists(list(before), list(after), path)
    return [] if before == after else [{"op": "replace", "path": path, "value": after}]


def _lists(before: list[Any], after: list[Any], path: str) -> list[dict[str, Any]]:
    if before == after:
        return []
    if len(before) == len(after):
        found = []
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            found += difference(old, new, f"{path}/{i}")
        return found
    if after[: len(before)] == before:
        return [{"op": "add", "path": f"{path}/-", "value": item} for item in after[len(before) :]]
    for i in range(len(before)):
        if len(after) == len(before) - 1 and before[:i] + before[i + 1 :] == after:
            return [{"op": "remove", "path": f"{path}/{i}"}]
    return [{"op": "replace", "path": path, "value": after}]


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
