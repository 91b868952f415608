"""Application of JSON, merge and strategic merge patches. Source: apiserver/pkg/endpoints/handlers/patch.go."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver import errors
from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge.json_patches import (
    JSONPatchError,
    TooDeep,
    TooManyOperations,
    json_patch,
    merge_patch,
)
from kube_apiserver.structured_merge.strategic import PatchError, apply_and_leave, directives
from kube_apiserver.writes import decode, types
from kube_apiserver.writes.patches import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH

Object = dict[str, Any]

_KIND = ("apiVersion", "kind")
_DECODING = "error decoding patch: "
_BAD = (directives.BAD_PRIMITIVE_LIST, directives.BAD_RETAIN_KEYS, directives.BAD_SET_ORDER)
_UNFIT = (directives.NO_LIST_OF_LISTS,)


def patched(resource: Resource | None, live: Object, kind: str, sent: Any) -> Any:
    """Return the object after a patch other than server-side apply, before validation."""
    return applied(resource, live, kind, sent)[0]


def applied(resource: Resource | None, live: Object, kind: str, sent: Any) -> tuple[Any, Any]:
    """Return the object after a patch, and the value that an error message shows.

    That is the object, or the unapplied rest of a strategic merge patch.
    """
    before = copy.deepcopy(live)
    try:
        if kind == JSON_PATCH:
            if not isinstance(sent, list):
                raise _no_patch(sent, "[]handlers.jsonPatchOp")
            result = _as_walked(json_patch(before, sent), sent)
            return result, result
        if kind == MERGE_PATCH and sent is None:
            raise errors.bad_request("Invalid JSON Patch")
        if kind == STRATEGIC_PATCH and sent is None:
            return before, sent
        if not isinstance(sent, dict):
            start = "" if kind == STRATEGIC_PATCH else _DECODING
            raise _no_patch(sent, "map[string]interface {}", start)
        if kind == MERGE_PATCH:
            result = merge_patch(before, sent)
            return result, result
        schema = None if resource is None else types.patch_type(resource)
        if schema is None:
            raise errors.not_understood((JSON_PATCH, MERGE_PATCH, APPLY_PATCH[0]))
        result, left = apply_and_leave(before, sent, schema)
        # Go's converter doesn't check the kind.
        return {**result, **{name: live[name] for name in _KIND if name in live}}, left
    except TooManyOperations as many:
        raise errors.too_large(str(many)) from many
    except TooDeep as deep:
        raise errors.bad_request(str(deep)) from deep
    except JSONPatchError as wrong:
        message = "the server rejected our request due to an error in our request"
        raise errors.ApiError(422, "Invalid", message, {}) from wrong
    except PatchError as wrong:
        raise _unfit(str(wrong)) from wrong


def _as_walked(value: Any, operations: Sequence[Any]) -> Any:
    """Return the value in the order in which Go writes it: maps on the path of an operation are sorted.

    Source: evanphx/json-patch.
    """
    walked: Object = {}
    for each in operations:
        place = walked
        for step in str(each.get("path") or "").split("/")[1:]:
            place = place.setdefault(step.replace("~1", "/").replace("~0", "~"), {})
    return _sorted_along(value, walked)


def _sorted_along(value: Any, walked: Mapping[str, Any]) -> Any:
    if isinstance(value, dict) and walked:
        return {name: _sorted_along(value[name], walked.get(name) or {}) for name in sorted(value)}
    if isinstance(value, list) and walked:
        return [_sorted_along(each, walked.get(str(number)) or {}) for number, each in enumerate(value)]
    return value


def _no_patch(sent: Any, wanted: str, start: str = _DECODING) -> errors.ApiError:
    got = decode.go_kind(sent)
    return errors.bad_request(f"{start}json: cannot unmarshal {got} into Go value of type {wanted}")


def _unfit(text: str) -> errors.ApiError:
    """Return the error of an invalid strategic merge patch. Source: interpretStrategicMergePatchError."""
    if text in _BAD:
        return errors.bad_request(text)
    return errors.ApiError(422 if text in _UNFIT else 500, "", text)
