"""Directives and error messages of strategic merge patches. Source: mergepatch/errors.go."""

from collections.abc import Sequence
from typing import Any

from kube_apiserver.structured_merge.values import Value, get_sort_key

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
    return PatchError(f"map: {format_value(item)} does not contain declared merge key: {key}")


def bad_patch_type(kind: Value, item: Object) -> PatchError:
    return PatchError(f"unknown patch type: {format_value(kind)} in map: {format_value(item)}")


def expect_object(item: Value) -> Object:
    if not isinstance(item, dict):
        raise PatchError(f"expected a map[string]interface {{}}, but received a {get_go_type(item)}")
    return item


def expect_list(item: Value) -> list[Value]:
    if not isinstance(item, list):
        raise PatchError(f"expected a []interface {{}}, but received a {get_go_type(item)}")
    return item


def get_key(item: Value, merge_key: str) -> Value:
    mapping = expect_object(item)
    if merge_key not in mapping:
        raise no_merge_key(mapping, merge_key)
    return mapping[merge_key]


def parse_directive_name(written: str, prefix: str) -> str:
    """Return the field that a `$setElementOrder/field` or `$deleteFromPrimitiveList/field` directive names."""
    head, slash, rest = written.partition("/")
    if not slash or head != prefix:
        raise PatchError(BAD_PRIMITIVE_LIST if prefix == DELETE_FROM_LIST else BAD_SET_ORDER)
    return rest


def has_marker(item: Value) -> bool:
    return isinstance(item, dict) and MARKER in item


def get_go_type(value: Value) -> str:
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


def get_item_type(*lists: Sequence[Value]) -> str:
    """Return the common type of all items. Raise PatchError if the types differ, or if there are no items."""
    kinds = {get_go_type(item) for each in lists for item in each}
    if not kinds:
        raise PatchError("no elements in any of the given slices")
    if "[]interface {}" in kinds and len(kinds) == 1:
        raise PatchError(NO_LIST_OF_LISTS)
    if len(kinds) > 1:
        raise PatchError(f"list element types are not identical: {format_value(list(lists))}")
    return kinds.pop()


def are_objects(kind: str) -> bool:
    return kind == "map[string]interface {}"


def are_equal(left: Value, right: Value) -> bool:
    return get_sort_key(left) == get_sort_key(right)


def format_value(value: Value) -> str:
    """Return a value as Go's `%v` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{format_value(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list | tuple):
        return "[" + " ".join(format_value(item) for item in value) + "]"
    return str(value)
