"""Detection of conflicts between two strategic merge patches. Source: strategicpatch, MergingMapsHaveConflicts."""

from kube_apiserver.structured_merge.strategic.directives import (
    MARKER,
    MERGE,
    REPLACE,
    RETAIN_KEYS,
    Object,
    PatchError,
    are_equal,
    are_objects,
    format_value,
    get_item_type,
    get_key,
)
from kube_apiserver.structured_merge.strategic.ordering import drop_duplicates
from kube_apiserver.structured_merge.strategic.patch_types import PatchType, Strategy
from kube_apiserver.structured_merge.values import MISSING, Value


class PatchConflict(PatchError):  # noqa: N818 - upstream's name
    """A patch of fields that another writer changed."""

    def __init__(self, patch: Object, changed: Object) -> None:
        super().__init__(
            f"patch:\n{format_value(patch)}\n"
            f"conflicts with changes made from original to current:\n{format_value(changed)}\n"
        )


def have_conflict(left: Object, right: Object, kind: PatchType) -> bool:
    return _values_conflict(left, right, kind, Strategy())


def _values_conflict(left: Value, right: Value, kind: PatchType, strategy: Strategy) -> bool:
    if isinstance(left, dict):
        if not isinstance(right, dict) or not are_equal(left.get(MARKER, ""), right.get(MARKER, "")):
            return True
        return strategy.name != REPLACE and _maps_conflict(left, right, kind)
    if isinstance(left, list):
        return not isinstance(right, list) or _lists_conflict(left, right, kind, strategy)
    return not are_equal(left, right)


def _maps_conflict(left: Object, right: Object, kind: PatchType) -> bool:
    for name, value in left.items():
        if name in (MARKER, RETAIN_KEYS) or name not in right:
            continue
        inner, strategy = kind, Strategy()
        if isinstance(value, list):
            inner, strategy = kind.items(name)
        elif isinstance(value, dict):
            inner, strategy = kind.field(name)
        if _values_conflict(value, right[name], inner, strategy):
            return True
    return False


def _lists_conflict(left: list[Value], right: list[Value], kind: PatchType, strategy: Strategy) -> bool:
    kind_of_items = get_item_type(left, right)
    if strategy.name == MERGE:
        if not are_objects(kind_of_items):
            return False
        theirs = {format_value(get_key(item, strategy.merge_key)): item for item in right}
        mine = {format_value(get_key(item, strategy.merge_key)): item for item in left}
        return any(
            _values_conflict(item, theirs[key], kind, Strategy())
            for key, item in mine.items()
            if theirs.get(key, MISSING) is not MISSING
        )
    if len(left) != len(right):
        return True
    if not are_objects(kind_of_items):
        left, right = (sorted(drop_duplicates(items), key=format_value) for items in (left, right))
    return any(
        _values_conflict(mine_item, their_item, kind, Strategy())
        for mine_item, their_item in zip(left, right, strict=False)
    )
