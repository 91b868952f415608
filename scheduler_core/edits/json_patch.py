"""JSON patches: the shortest operations that turn one manifest into another. Source: RFC 6902."""

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.edits.edit import mutable_copy

Operation = dict[str, Any]


class PatchError(ValueError):
    """Raised if an operation's path doesn't exist in the document."""


def diff_json(before: Any, after: Any, path: str = "") -> list[Operation]:
    """Return the operations that turn `before` into `after`, both JSON."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        operations: list[Operation] = []
        for key in dict.fromkeys((*before, *after)):
            inner = f"{path}/{escape_pointer_key(str(key))}"
            if key not in after:
                operations.append({"op": "remove", "path": inner})
            elif key not in before:
                operations.append({"op": "add", "path": inner, "value": after[key]})
            else:
                operations += diff_json(before[key], after[key], inner)
        return operations
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return _diff_lists(list(before), list(after), path)
    return [] if before == after else [{"op": "replace", "path": path, "value": after}]


def _diff_lists(before: list[Any], after: list[Any], path: str) -> list[Operation]:
    if before == after:
        return []
    if len(before) == len(after):
        operations = []
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            operations += diff_json(old, new, f"{path}/{i}")
        return operations
    if after[: len(before)] == before:
        return [{"op": "add", "path": f"{path}/-", "value": item} for item in after[len(before) :]]
    for i in range(len(before)):
        if len(after) == len(before) - 1 and before[:i] + before[i + 1 :] == after:
            return [{"op": "remove", "path": f"{path}/{i}"}]
    return [{"op": "replace", "path": path, "value": after}]


def escape_pointer_key(key: str) -> str:
    """Return a key as a part of a JSON pointer. Source: RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def apply_patch(document: Any, operations: Sequence[Operation]) -> Any:
    """Return a copy of the document with `add`, `replace` and `remove` applied. Raises PatchError."""
    result = mutable_copy(document)
    for operation in operations:
        *parents, last = [key.replace("~1", "/").replace("~0", "~") for key in operation["path"].split("/")[1:]]
        holder = result
        for key in parents:
            holder = _get_child(holder, key, operation)
        _apply_operation(holder, last, operation)
    return result


def _get_child(holder: Any, key: str, operation: Operation) -> Any:
    if isinstance(holder, dict) and key in holder:
        return holder[key]
    if isinstance(holder, list) and key.isdigit() and int(key) < len(holder):
        return holder[int(key)]
    raise PatchError(operation["path"])


def _apply_operation(holder: Any, last: str, operation: Operation) -> None:
    op = operation["op"]
    if op == "add" and isinstance(holder, dict):
        holder[last] = mutable_copy(operation["value"])
        return
    if op == "add" and isinstance(holder, list) and (last == "-" or (last.isdigit() and int(last) <= len(holder))):
        holder.insert(len(holder) if last == "-" else int(last), mutable_copy(operation["value"]))
        return
    _get_child(holder, last, operation)
    key: Any = int(last) if isinstance(holder, list) else last
    if op == "replace":
        holder[key] = mutable_copy(operation["value"])
    elif op == "remove":
        del holder[key]
    else:
        raise PatchError(operation["path"])


def adapt_patch(document: Any, operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations, made for a similar document, adapted to this one.

    Raises PatchError if that is impossible. A value whose path doesn't exist yet is added with the maps that lead to
    it.
    """
    adapted: list[Operation] = []
    result = document
    for operation in operations:
        try:
            result = apply_patch(result, [operation])
        except PatchError:
            operation = _add_missing_parents(result, operation)
            result = apply_patch(result, [operation])
        adapted.append(operation)
    return adapted


def _add_missing_parents(document: Any, operation: Operation) -> Operation:
    if operation["op"] == "remove":
        raise PatchError(operation["path"])
    keys, holder = operation["path"].split("/")[1:], document
    for i, key in enumerate(keys):
        plain = key.replace("~1", "/").replace("~0", "~")
        if isinstance(holder, Mapping) and plain not in holder:
            value = operation["value"]
            for inner in reversed(keys[i + 1 :]):
                if inner.isdigit():
                    raise PatchError(operation["path"])
                value = [value] if inner == "-" else {inner.replace("~1", "/").replace("~0", "~"): value}
            return {"op": "add", "path": "/" + "/".join(keys[: i + 1]), "value": value}
        holder = _get_child(holder, plain, operation)
    raise PatchError(operation["path"])
