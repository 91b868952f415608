"""JSON patch and JSON merge patch (RFC 7396), as the library does them that upstream uses.

Source: evanphx/json-patch v4, patch.go and merge.go. It differs from RFC 6902 in that a field that is not there is
null: it can be tested for that, copied and replaced. An index below zero counts from the end of a list.
"""

import copy
import json
import re
from typing import Any

MAX_OPERATIONS = 10_000
"""As upstream: apiserver/pkg/endpoints/handlers/patch.go maxJSONPatchOperations."""
MAX_COPIED = 3 * 1024 * 1024
"""Bytes that all copies of a patch may make together: a few lines could double a value again and again."""

_INDEX = re.compile(r"[+-]?\d{1,18}")
_LAST = "-"
"""Behind the last item of a list."""


class JSONPatchError(ValueError):
    """The patch is no patch, or does not fit the document."""


class TooManyOperations(JSONPatchError):  # noqa: N818 - it is the name of what happened
    """More than MAX_OPERATIONS."""


def json_patch(document: Any, operations: Any) -> Any:
    """The document with the operations applied, in order; JSONPatchError. The document given stays as it is."""
    if not isinstance(operations, list):
        raise JSONPatchError("a JSON patch is a list of operations")
    if len(operations) > MAX_OPERATIONS:
        raise TooManyOperations(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        )
    patched = _Patched(copy.deepcopy(document))
    for number, operation in enumerate(operations):
        try:
            patched.apply(operation)
        except JSONPatchError as wrong:
            raise JSONPatchError(f"operations[{number}]: {wrong}") from wrong
    return patched.document


class _Patched:
    """A document on which operations are applied, one after the other."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self._copied = 0

    def apply(self, operation: Any) -> None:
        name = operation.get("op") if isinstance(operation, dict) else None
        known = {
            "add": self._add,
            "remove": self._remove,
            "replace": self._replace,
            "move": self._move,
            "test": self._test,
            "copy": self._copy,
        }
        if not isinstance(name, str) or name not in known:
            raise JSONPatchError(f"no JSON patch operation: {name}")
        known[name](operation)

    def _add(self, operation: dict[str, Any]) -> None:
        _put(*self._place(operation, "path"), copy.deepcopy(operation.get("value")))

    def _remove(self, operation: dict[str, Any]) -> None:
        _take(*self._place(operation, "path"))

    def _replace(self, operation: dict[str, Any]) -> None:
        value = copy.deepcopy(operation.get("value"))
        if _pointer(operation, "path") == "":
            if not isinstance(value, dict | list):
                raise JSONPatchError("what replaces everything is an object or a list")
            self.document = value
            return
        holder, key = self._place(operation, "path")
        _get(holder, key)
        holder[_index(holder, key) if isinstance(holder, list) else key] = value

    def _move(self, operation: dict[str, Any]) -> None:
        value = _take(*self._place(operation, "from"))
        _put(*self._place(operation, "path"), value)

    def _copy(self, operation: dict[str, Any]) -> None:
        value = _get(*self._place(operation, "from"))
        self._copied += len(json.dumps(value))
        if self._copied > MAX_COPIED:
            raise JSONPatchError(f"copies make more than {MAX_COPIED} bytes")
        _put(*self._place(operation, "path"), copy.deepcopy(value))

    def _test(self, operation: dict[str, Any]) -> None:
        whole = _pointer(operation, "path") == ""
        value = self.document if whole else _get(*self._place(operation, "path"))
        # As JSON: true is not 1 there.
        if json.dumps(value, sort_keys=True) != json.dumps(operation.get("value"), sort_keys=True):
            raise JSONPatchError("the test failed")

    def _place(self, operation: dict[str, Any], name: str) -> tuple[Any, str]:
        """The object or list that holds what a path names, and the last step of that path."""
        steps = _pointer(operation, name).split("/")
        if len(steps) < 2:
            raise JSONPatchError(f"{name} leads nowhere")
        holder = self.document
        for step in steps[1:-1]:
            holder = _get(holder, _decoded(step))
            if not isinstance(holder, dict | list):
                raise JSONPatchError(f"{name} leads nowhere")
        return holder, _decoded(steps[-1])


def _pointer(operation: dict[str, Any], name: str) -> str:
    found = operation.get(name)
    if not isinstance(found, str):
        raise JSONPatchError(f"{name} is missing")
    return found


def _decoded(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _get(holder: Any, key: str) -> Any:
    return holder[_index(holder, key)] if isinstance(holder, list) else holder.get(key)


def _put(holder: Any, key: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == _LAST:
        holder.append(value)
    else:
        holder.insert(_index(holder, key, room=1), value)


def _take(holder: Any, key: str) -> Any:
    if isinstance(holder, list):
        return holder.pop(_index(holder, key))
    if key not in holder:
        raise JSONPatchError(f"there is no {key}")
    return holder.pop(key)


def _index(holder: list[Any], key: str, room: int = 0) -> int:
    """A place in a list; `room`: as if it had one item more."""
    size = len(holder) + room
    if not _INDEX.fullmatch(key) or not -size <= int(key) < size:
        raise JSONPatchError(f"there is no item {key}")
    return int(key) % size


def merge_patch(document: Any, patch: Any) -> Any:
    """Objects are merged, null takes a field out, all else replaces; what was merged has its fields in order.

    Source: evanphx/json-patch merge.go, which takes nulls also out of the objects of a list that replaces something,
    but not of one that replaces an object.
    """
    if not isinstance(document, dict):
        return _without_nulls(patch)
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    out = dict(document)
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = merge_patch(out.get(name), value)
    return dict(sorted(out.items()))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in sorted(value.items()) if item is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value
