"""JSON patch and JSON merge patch (RFC 7396), as upstream's library implements them.

It differs from RFC 6902: a missing field counts as null, so it can be tested, copied and replaced. A negative index
counts from the end of a list.

Source: evanphx/json-patch v4, patch.go and merge.go.
"""

import copy
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MAX_OPERATIONS = 10_000
"""Source: apiserver/pkg/endpoints/handlers/patch.go maxJSONPatchOperations."""
MAX_COPIED = 3 * 1024 * 1024
"""Bytes that the copy operations of one patch may create. Without a bound, few of them could double a value often."""

MAX_DEPTH = 100
"""Levels of a patched document. A request body may have as many."""

_INDEX = re.compile(r"[+-]?\d{1,18}")
_MISSING = "missing value"
_TOO_DEEP = f"the object provided is nested deeper than {MAX_DEPTH} levels"
_LAST = "-"
"""The position after the last item of a list."""


class JSONPatchError(ValueError):
    """A patch that is malformed or doesn't fit the document."""


class TooDeep(JSONPatchError):  # noqa: N818 - it is the name of what happened
    """A patched document with more than MAX_DEPTH levels."""


class FailedTest(JSONPatchError):  # noqa: N818 - it is the name of what happened
    """A test operation whose value differs from the document's."""


class TooManyOperations(JSONPatchError):  # noqa: N818 - it is the name of what happened
    """A patch with more than MAX_OPERATIONS operations."""


def json_patch(document: Any, operations: Any) -> Any:
    """Return the document with the operations applied in order. Raise JSONPatchError with the library's message.

    The given document is not changed.
    """
    if not isinstance(operations, list):
        raise JSONPatchError("a JSON patch is a list of operations")
    if len(operations) > MAX_OPERATIONS:
        raise TooManyOperations(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        )
    patched = _Patched(copy.deepcopy(document))
    try:
        for operation in operations:
            patched.apply(operation)
    except RecursionError as deep:
        raise TooDeep(_TOO_DEEP) from deep
    _check_depth(patched.document)
    return patched.document


def _check_depth(document: Any) -> None:
    """Raise TooDeep if the document is too deep. Move operations can nest values deeper than any value of the patch."""
    level = [document]
    for _ in range(MAX_DEPTH + 1):
        level = [
            item
            for holder in level
            if isinstance(holder, dict | list)
            for item in (holder.values() if isinstance(holder, dict) else holder)
        ]
        if not level:
            return
    raise TooDeep(_TOO_DEEP)


class _Patched:
    """A document to which operations are applied in order."""

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
            raise JSONPatchError(f"Unexpected kind: {name}")
        known[name](operation)

    def _add(self, operation: dict[str, Any]) -> None:
        holder, key = self._locate(operation, "path", 'add operation does not apply: doc is missing path: "{}"')
        with _prefix_errors("error in add for path: '{}'", operation["path"]):
            _set_item(holder, key, copy.deepcopy(operation.get("value")))

    def _remove(self, operation: dict[str, Any]) -> None:
        holder, key = self._locate(operation, "path", 'remove operation does not apply: doc is missing path: "{}"')
        with _prefix_errors("error in remove for path: '{}'", operation["path"]):
            _remove_item(holder, key)

    def _replace(self, operation: dict[str, Any]) -> None:
        value = copy.deepcopy(operation.get("value"))
        if _get_pointer(operation, "path") == "":
            if not isinstance(value, dict | list):
                raise JSONPatchError("replace operation value must be object or array")
            self.document = value
            return
        holder, key = self._locate(operation, "path", "replace operation does not apply: doc is missing path: {}")
        try:
            _get(holder, key)
        except JSONPatchError as wrong:
            path = operation["path"]
            raise JSONPatchError(f"replace operation does not apply: doc is missing key: {path}: {_MISSING}") from wrong
        holder[_index(holder, key) if isinstance(holder, list) else key] = value

    def _move(self, operation: dict[str, Any]) -> None:
        source, name = self._locate(operation, "from", "move operation does not apply: doc is missing from path: {}")
        with _prefix_errors("error in move for path: '{}'", name):
            value = _remove_item(source, name)
        missing = "move operation does not apply: doc is missing destination path: {}"
        holder, key = self._locate(operation, "path", missing)
        with _prefix_errors("error in move for path: '{}'", operation["path"]):
            _set_item(holder, key, value)

    def _copy(self, operation: dict[str, Any]) -> None:
        source, name = self._locate(operation, "from", "copy operation does not apply: doc is missing from path: {}")
        with _prefix_errors("error in copy for from: '{}'", operation["from"]):
            value = _get(source, name)
        self._copied += len(json.dumps(value))
        if self._copied > MAX_COPIED:
            raise JSONPatchError(f"copies make more than {MAX_COPIED} bytes")
        missing = "copy operation does not apply: doc is missing destination path: {}"
        holder, key = self._locate(operation, "path", missing)
        with _prefix_errors("error while adding value during copy"):
            _set_item(holder, key, copy.deepcopy(value))

    def _test(self, operation: dict[str, Any]) -> None:
        path, value = _get_pointer(operation, "path"), self.document
        if path:
            holder, key = self._locate(operation, "path", "test operation does not apply: is missing path: {}")
            with _prefix_errors("error in test for path: '{}'", path):
                value = _get(holder, key)
        # Compare as JSON, where true and 1 differ.
        if json.dumps(value, sort_keys=True) != json.dumps(operation.get("value"), sort_keys=True):
            raise FailedTest(f"testing value {path} failed: test failed")

    def _locate(self, operation: dict[str, Any], name: str, missing: str) -> tuple[Any, str]:
        """Return the object or list that holds the target of a path, and the last step of the path."""
        path = _get_pointer(operation, name)
        steps = path.split("/")
        if len(steps) > MAX_DEPTH + 1:
            raise TooDeep(_TOO_DEEP)
        holder = self.document if len(steps) > 1 else None
        for step in steps[1:-1]:
            try:
                holder = _get(holder, _decode_step(step))
            except JSONPatchError:
                holder = None
            if not isinstance(holder, dict | list):
                break
        if not isinstance(holder, dict | list):
            raise JSONPatchError(f"{missing.format(path)}: {_MISSING}")
        return holder, _decode_step(steps[-1])


@contextmanager
def _prefix_errors(doing: str, about: str = "") -> Iterator[None]:
    try:
        yield
    except JSONPatchError as wrong:
        raise JSONPatchError(f"{doing.format(about)}: {wrong}") from wrong


def _get_pointer(operation: dict[str, Any], name: str) -> str:
    pointer = operation.get(name)
    if not isinstance(pointer, str):
        operator = operation.get("op")
        raise JSONPatchError(f"{operator} operation failed to decode {name}: {_MISSING}")
    return pointer


def _decode_step(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _get(holder: Any, key: str) -> Any:
    return holder[_index(holder, key)] if isinstance(holder, list) else holder.get(key)


def _set_item(holder: Any, key: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == _LAST:
        holder.append(value)
    else:
        holder.insert(_index(holder, key, room=1), value)


def _remove_item(holder: Any, key: str) -> Any:
    if isinstance(holder, list):
        return holder.pop(_index(holder, key))
    if key not in holder:
        raise JSONPatchError(f"Unable to remove nonexistent key: {key}: {_MISSING}")
    return holder.pop(key)


def _index(holder: list[Any], key: str, room: int = 0) -> int:
    """Return the index that `key` means. `room` extends the list's size, for insertion."""
    size = len(holder) + room
    if not _INDEX.fullmatch(key):
        raise JSONPatchError(
            f"value was not a proper array index: '{key}': strconv.Atoi: parsing \"{key}\": invalid syntax"
        )
    if not -size <= int(key) < size:
        raise JSONPatchError(f"Unable to access invalid index: {int(key)}: invalid index referenced")
    return int(key) % size


def merge_patch(document: Any, patch: Any) -> Any:
    """Return the document with the patch merged: objects merge, null removes a field, other values replace. Merged
    fields are sorted.

    Upstream also removes nulls from objects in a list, but not if the list replaces an object.

    Source: evanphx/json-patch merge.go.
    """
    if not isinstance(document, dict):
        return _strip_nulls(patch)
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    out = dict(document)
    for name, value in patch.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = merge_patch(out.get(name), value)
    return dict(sorted(out.items()))


def _strip_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _strip_nulls(item) for name, item in sorted(value.items()) if item is not None}
    return [_strip_nulls(each) for each in value] if isinstance(value, list) else value
