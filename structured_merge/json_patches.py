"""JSON patch (RFC 6902) by the library, within bounds, and JSON merge patch (RFC 7396)."""

import copy
import json
from typing import Any

import jsonpatch
import jsonpointer

MAX_OPERATIONS = 10_000
"""As upstream: apiserver/pkg/endpoints/handlers/patch.go maxJSONPatchOperations."""
MAX_COPIED = 3 * 1024 * 1024
"""Bytes that all copies of a patch may make together: a few lines could double a value again and again."""


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
    out = copy.deepcopy(document)
    copied = 0
    for number, operation in enumerate(operations):
        try:
            if operation.get("op") == "copy":
                source = jsonpointer.resolve_pointer(out, operation["from"])
                copied += len(json.dumps(source))
                if copied > MAX_COPIED:
                    raise JSONPatchError(f"operations[{number}]: copies make more than {MAX_COPIED} bytes")
            out = jsonpatch.JsonPatch([operation]).apply(out, in_place=True)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as wrong:
            raise JSONPatchError(f"operations[{number}]: {wrong}") from wrong
        except (AttributeError, KeyError, TypeError, ValueError) as wrong:
            raise JSONPatchError(f"operations[{number}]: no JSON patch operation: {wrong}") from wrong
    return out


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
