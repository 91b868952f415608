"""JSON patches: how one manifest becomes another, in the few words that one would type. Source: RFC 6902."""

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.edits.edit import thawed

Operation = dict[str, Any]


class PatchError(ValueError):
    """An operation names a place that the document does not have."""


def difference(before: Any, after: Any, path: str = "") -> list[Operation]:
    """The operations that lead from `before` to `after`, both JSON."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        found: list[Operation] = []
        for key in dict.fromkeys((*before, *after)):
            inner = f"{path}/{escaped(str(key))}"
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


def _lists(before: list[Any], after: list[Any], path: str) -> list[Operation]:
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


def escaped(key: str) -> str:
    """Return a key as a part of a JSON pointer. Source: RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def patched(document: Any, operations: Sequence[Operation]) -> Any:
    """Return a copy of the document with `add`, `replace` and `remove` carried out. Raises PatchError."""
    made = thawed(document)
    for operation in operations:
        *way, last = [key.replace("~1", "/").replace("~0", "~") for key in operation["path"].split("/")[1:]]
        holder = made
        for key in way:
            holder = _inner(holder, key, operation)
        _carry_out(holder, last, operation)
    return made


def _inner(holder: Any, key: str, operation: Operation) -> Any:
    if isinstance(holder, dict) and key in holder:
        return holder[key]
    if isinstance(holder, list) and key.isdigit() and int(key) < len(holder):
        return holder[int(key)]
    raise PatchError(operation["path"])


def _carry_out(holder: Any, last: str, operation: Operation) -> None:
    op = operation["op"]
    if op == "add" and isinstance(holder, dict):
        holder[last] = thawed(operation["value"])
        return
    if op == "add" and isinstance(holder, list) and (last == "-" or (last.isdigit() and int(last) <= len(holder))):
        holder.insert(len(holder) if last == "-" else int(last), thawed(operation["value"]))
        return
    _inner(holder, last, operation)
    key: Any = int(last) if isinstance(holder, list) else last
    if op == "replace":
        holder[key] = thawed(operation["value"])
    elif op == "remove":
        del holder[key]
    else:
        raise PatchError(operation["path"])


def fitted(document: Any, operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations, made for a like document, as this one takes them. Raises PatchError if it cannot.

    A value whose place is not there yet is added with the maps that lead to it.
    """
    found: list[Operation] = []
    made = document
    for operation in operations:
        try:
            made = patched(made, [operation])
        except PatchError:
            operation = _with_way(made, operation)
            made = patched(made, [operation])
        found.append(operation)
    return found


def _with_way(document: Any, operation: Operation) -> Operation:
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
        holder = _inner(holder, plain, operation)
    raise PatchError(operation["path"])
