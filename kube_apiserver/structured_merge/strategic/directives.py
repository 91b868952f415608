"""Directives and error messages of strategic merge patches. Source: mergepatch/errors.go."""

from collections.abc import Sequence
from typing import Any

from kube_apiserver.structured_merge.values import Value, order

MARKER = "$patch"
DELETE, REPLACE, MERGE = "delete", "replace", "merge"
RETAIN_KEYS = "$retainKeys"
DELETE_FROM_LIST = "$deleteFromPrimitiveList"
SET_ORDER = "$setElementOrder"

Object = dict[str, Any]


class PatchError(ValueError):
    """A patch that doesn't fit the object or its schema, with upstream's message."""


BAD_PRIMITIVE_LIST = "invalid patch format of primitive list"
BAD_RETAIN_KEYS = "invalid patch format of retainKeys"
BAD_SET_ORDER = "invalid patch format of setElementOrder list"
NO_LIST_OF_LISTS = "lists of lists are not supported"


def no_merge_key(item: Object, key: str) -> PatchError:
    return PatchError(f"map: {shown(item)} does not contain declared merge key: {key}")


def bad_patch_type(kind: Value, item: Object) -> PatchError:
    return PatchError(f"unknown patch type: {shown(kind)} in map: {shown(item)}")


def expected_object(item: Value) -> Object:
    if not isinstance(item, dict):
        raise PatchError(f"expected a map[string]interface {{}}, but received a {kind_of(item)}")
    return item


def expected_list(item: Value) -> list[Value]:
    if not isinstance(item, list):
        raise PatchError(f"expected a []interface {{}}, but received a {kind_of(item)}")
    return item


def key_of(item: Value, merge_key: str) -> Value:
    mapping = expected_object(item)
    if merge_key not in mapping:
        raise no_merge_key(mapping, merge_key)
    return mapping[merge_key]


def name_after(written: str, prefix: str) -> str:
    """Return the field that a `$setElementOrder/field` or `$deleteFromPrimitiveList/field` directive names."""
    head, slash, rest = written.partition("/")
    if not slash or head != prefix:
        raise PatchError(BAD_PRIMITIVE_LIST if prefix == DELETE_FROM_LIST else BAD_SET_ORDER)
    return rest


def has_marker(item: Value) -> bool:
    return isinstance(item, dict) and MARKER in item


def kind_of(value: Value) -> str:
    """Return Go's type of a JSON value. Two values are merged only if their types are equal."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64"
    if isinstance(value, float):
        return "float64"
    if isinstance(value, str):
        return "string"
    return "[]interface {}" if isinstance(value, list) else "map[string]interface {}"


def item_kind(*lists: Sequence[Value]) -> str:
    """Return the common type of all items. Raise PatchError if the types differ, or if there are no items."""
    kinds = {kind_of(item) for each in lists for item in each}
    if not kinds:
        raise PatchError("no elements in any of the given slices")
    if "[]interface {}" in kinds and len(kinds) == 1:
        raise PatchError(NO_LIST_OF_LISTS)
    if len(kinds) > 1:
        raise PatchError(f"list element types are not identical: {shown(list(lists))}")
    return kinds.pop()


def are_objects(kind: str) -> bool:
    return kind == "map[string]interface {}"


def same(one: Value, other: Value) -> bool:
    return order(one) == order(other)


def shown(value: Value) -> str:
    """Return a value as Go's `%v` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{shown(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list | tuple):
        return "[" + " ".join(shown(item) for item in value) + "]"
    return str(value)
