"""Order of a patched list: the patch's order, with items that only the server has at their places."""

from collections.abc import Hashable, Sequence

from kube_apiserver.structured_merge.strategic.directives import (
    DELETE,
    MARKER,
    REPLACE,
    are_objects,
    expect_object,
    get_key,
)
from kube_apiserver.structured_merge.values import Value, get_sort_key


def get_identity(item: Value, merge_key: str, kind: str) -> Hashable:
    if are_objects(kind):
        return get_sort_key(item.get(merge_key)) if isinstance(item, dict) else get_sort_key(None)
    return get_sort_key(item)


def find_positions(items: Sequence[Value], merge_key: str, kind: str) -> dict[Hashable, int]:
    """Return the first position of each item."""
    first_positions: dict[Hashable, int] = {}
    for number, item in enumerate(items):
        first_positions.setdefault(get_identity(item, merge_key, kind), number)
    return first_positions


def split_deletions(items: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Return the items, and the directives that delete items."""
    rest: list[Value] = []
    deleted: list[Value] = []
    for item in items:
        (deleted if expect_object(item).get(MARKER) == DELETE else rest).append(item)
    return rest, deleted


def sort_by(items: Sequence[Value], wanted: Sequence[Value], merge_key: str, kind: str) -> list[Value]:
    """Return the items in the order of `wanted`. Directives that delete items come last."""
    deleted: list[Value] = []
    if are_objects(kind):
        for item in (*items, *wanted):
            get_key(item, merge_key)
        items, deleted = split_deletions(items)
    places = find_positions(wanted, merge_key, kind)
    return [*sorted(items, key=lambda item: places.get(get_identity(item, merge_key, kind), -1)), *deleted]


def interleave(
    patched: Sequence[Value],
    server_only: Sequence[Value],
    patch_order: Sequence[Value],
    server_order: Sequence[Value],
    merge_key: str,
    kind: str,
) -> list[Value]:
    """Return the patched items in the patch's order, merged with items that only the server has.

    An item of the server stays before the item that it preceded on the server.
    """
    right = sort_by(patched, patch_order, merge_key, kind)
    left = sort_by(server_only, server_order, merge_key, kind)
    places = find_positions(server_order, merge_key, kind)
    out: list[Value] = []
    i = j = 0
    while i < len(left) and j < len(right):
        mine = places.get(get_identity(left[i], merge_key, kind))
        theirs = places.get(get_identity(right[j], merge_key, kind))
        if mine is not None and theirs is not None and mine < theirs:
            out.append(left[i])
            i += 1
        else:
            out.append(right[j])
            j += 1
    return [*out, *left[i:], *right[j:]]


def compute_server_order(mine: Sequence[Value], theirs: Sequence[Value], merge_key: str, kind: str) -> Sequence[Value]:
    """Return the server's list for reading its order. A new item takes the place of a deleted one."""
    if not are_objects(kind) or any(item.get(MARKER) == REPLACE for item in theirs):
        return mine
    added, deleted = split_deletions(theirs)
    deleted_keys = {get_sort_key(item.get(merge_key)) for item in deleted}
    rest = [item for item in mine if get_sort_key(item.get(merge_key)) not in deleted_keys]
    remaining_keys = {get_sort_key(item.get(merge_key)) for item in rest}
    return [*rest, *(item for item in added if get_sort_key(item.get(merge_key)) not in remaining_keys)][: len(mine)]


def partition(items: Sequence[Value], by: Sequence[Value], merge_key: str) -> tuple[list[Value], list[Value]]:
    """Return the items that `by` names, and the other items."""
    if merge_key:
        named = {get_sort_key(expect_object(item).get(merge_key)) for item in by}
        keys = [get_sort_key(get_key(item, merge_key)) for item in items]
    else:
        named = {get_sort_key(item) for item in by}
        keys = [get_sort_key(item) for item in items]
    inside = [item for item, key in zip(items, keys, strict=True) if key in named]
    outside = [item for item, key in zip(items, keys, strict=True) if key not in named]
    return inside, outside


def drop_duplicates(items: Sequence[Value]) -> list[Value]:
    """Return scalars without later duplicates."""
    return list({get_sort_key(item): item for item in reversed(items)}.values())[::-1]
