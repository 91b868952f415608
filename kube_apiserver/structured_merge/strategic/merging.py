"""Application of a strategic merge patch, and combination of two patches. Source: strategicpatch/patch.go mergeMap."""

import copy
from dataclasses import dataclass

from kube_apiserver.structured_merge.strategic.directives import (
    BAD_RETAIN_KEYS,
    BAD_SET_ORDER,
    DELETE,
    DELETE_FROM_LIST,
    MARKER,
    MERGE,
    REPLACE,
    RETAIN_KEYS,
    SET_ORDER,
    Object,
    PatchError,
    are_equal,
    are_objects,
    bad_patch_type,
    expect_list,
    expect_object,
    format_value,
    get_go_type,
    get_item_type,
    get_key,
    has_marker,
    no_merge_key,
    parse_directive_name,
)
from kube_apiserver.structured_merge.strategic.ordering import (
    compute_server_order,
    drop_duplicates,
    interleave,
    partition,
    split_deletions,
)
from kube_apiserver.structured_merge.strategic.patch_types import PatchType, Strategy
from kube_apiserver.structured_merge.values import Value, get_sort_key


def apply_patch(original: Object, patch: Object, kind: PatchType) -> Object:
    """Return the object with the patch applied. Raise PatchError. Neither argument is changed."""
    return apply_and_leave(original, patch, kind)[0]


def apply_and_leave(original: Object, patch: Object, kind: PatchType) -> tuple[Object, Object]:
    """Return the patched object, and the patch as upstream leaves it: without directives and without the lists they
    order.
    """
    left = copy.deepcopy(patch)
    return _PatchMerger(applies=True).merge(copy.deepcopy(original), left, kind), left


def combine(first: Object, second: Object, kind: PatchType) -> Object:
    """Return one patch that does what both do. The second one wins."""
    return _PatchMerger(applies=False).merge(copy.deepcopy(first), copy.deepcopy(second), kind)


@dataclass(frozen=True, slots=True)
class _PatchMerger:
    """A merge of a patch into an object, or of two patches into one.

    If `applies`, directives are carried out and nulls remove fields; otherwise both stay in the combined patch.
    """

    applies: bool

    def merge(self, original: Object, patch: Object, kind: PatchType) -> Object:
        if MARKER in patch:
            return _apply_own_directive(patch)
        self._retain_keys(original, patch)
        self._ordered_lists(original, patch, kind)
        for written, value in patch.items():
            name, deletes = written, False
            if written.startswith(DELETE_FROM_LIST):
                if not self.applies:
                    original[written] = value
                    continue
                name, deletes = parse_directive_name(written, DELETE_FROM_LIST), True
            self._field(original, name, value, kind, deletes)
        return original

    def _field(self, original: Object, name: str, value: Value, kind: PatchType, deletes: bool) -> None:
        if value is None:
            original.pop(name, None)
            if self.applies:
                return
        if name not in original or get_go_type(original[name]) != get_go_type(value):
            if not deletes:
                if self.applies:
                    _discard_nulls(value)
                _set_field(original, name, value)
            return
        if isinstance(value, dict):
            inner, strategy = kind.field(name)
            original[name] = value if strategy.name == REPLACE else self.merge(original[name], value, inner)
        elif isinstance(value, list):
            inner, strategy = kind.items(name)
            original[name] = self._list(original[name], value, inner, strategy, deletes)
        else:
            _set_field(original, name, value)

    def _retain_keys(self, original: Object, patch: Object) -> None:
        """Remove the fields of the original that `$retainKeys` doesn't list."""
        if RETAIN_KEYS not in patch:
            return
        retain_keys = patch.pop(RETAIN_KEYS)
        if not self.applies:
            current = original.setdefault(RETAIN_KEYS, retain_keys)
            if not are_equal(current, retain_keys):
                raise PatchError(
                    f"{format_value(current)} and {format_value(retain_keys)} are not deep equal: "
                    "this may happen when calculating the 3-way diff patch"
                )
            return
        if not isinstance(retain_keys, list):
            raise PatchError(BAD_RETAIN_KEYS)
        retained = {name for name in retain_keys if isinstance(name, str)}
        for name, value in patch.items():
            if value is not None and not name.startswith((DELETE_FROM_LIST, SET_ORDER)) and name not in retained:
                raise PatchError(BAD_RETAIN_KEYS)
        for name in [name for name in original if name not in retained]:
            del original[name]

    def _ordered_lists(self, original: Object, patch: Object, kind: PatchType) -> None:
        """Merge the lists whose order the patch sets with `$setElementOrder`."""
        for written in [name for name in patch if name.startswith(SET_ORDER)]:
            set_order = patch.pop(written)
            if not self.applies and not are_equal(original.setdefault(written, set_order), set_order):
                raise PatchError(BAD_SET_ORDER)
            set_order = expect_list(set_order)
            name = parse_directive_name(written, SET_ORDER)
            mine = expect_list(original[name]) if name in original else None
            theirs = expect_list(patch[name]) if name in patch else None
            inner, strategy = kind.items(name)
            _check_order(theirs or [], set_order, strategy.merge_key)
            if mine is None and theirs is None:
                continue
            if theirs is None:
                merged = mine or []
            elif mine is None:
                merged = _without_directives(theirs)
            else:
                merged = self._list(list(mine), theirs, inner, strategy, deletes=False)
            patched, server_only = partition(merged, set_order, strategy.merge_key)
            kind_of_items = get_item_type(mine or [], theirs or [])
            server_items = compute_server_order(mine or [], theirs or [], strategy.merge_key, kind_of_items)
            original[name] = interleave(
                patched, server_only, set_order, server_items, strategy.merge_key, kind_of_items
            )
            patch.pop(name, None)

    def _list(
        self, mine: list[Value], theirs: list[Value], kind: PatchType, strategy: Strategy, deletes: bool
    ) -> list[Value]:
        if strategy.name != MERGE and not deletes:
            return theirs
        if not mine and not theirs:
            return mine
        kind_of_items = get_item_type(mine, theirs)
        if not are_objects(kind_of_items):
            if self.applies and deletes:
                deleted = {get_sort_key(item) for item in theirs}
                return [item for item in mine if get_sort_key(item) not in deleted]
            merged = drop_duplicates([*mine, *theirs])
        else:
            if not strategy.merge_key:
                raise PatchError(f"cannot merge lists without merge key for {kind.kind}")
            mine, theirs = _apply_item_directives(mine, theirs, strategy.merge_key)
            merged = self._items(list(mine), theirs, kind, strategy.merge_key)
        patched, server_only = partition(merged, theirs, strategy.merge_key)
        return interleave(patched, server_only, theirs, mine, strategy.merge_key, kind_of_items)

    def _items(self, mine: list[Value], theirs: list[Value], kind: PatchType, merge_key: str) -> list[Value]:
        places: dict[Value, int] = {}
        for number, item in enumerate(mine):
            if merge_key in expect_object(item):
                places.setdefault(get_sort_key(item[merge_key]), number)
        for item in theirs:
            key = get_sort_key(get_key(item, merge_key))
            if key in places:
                mine[places[key]] = self.merge(mine[places[key]], item, kind)
            else:
                places[key] = len(mine)
                mine.append(item)
        return mine


def _apply_own_directive(patch: Object) -> Object:
    directive = patch[MARKER]
    if directive == REPLACE:
        return {name: value for name, value in patch.items() if name != MARKER}
    if directive == DELETE:
        return {}
    raise bad_patch_type(directive, patch)


def _apply_item_directives(mine: list[Value], theirs: list[Value], merge_key: str) -> tuple[list[Value], list[Value]]:
    """Return both lists after `$patch: delete` and `$patch: replace` items are carried out."""
    plain, replaces, deleted = [], False, set()
    for item in theirs:
        directive = expect_object(item).get(MARKER)
        if MARKER not in item:
            plain.append(item)
        elif directive == DELETE:
            if merge_key not in item:
                raise no_merge_key(item, merge_key)
            deleted.add(get_sort_key(item[merge_key]))
        elif directive == REPLACE:
            replaces = True
        elif directive == MERGE:
            raise PatchError("merging lists cannot yet be specified in the patch")
        else:
            raise bad_patch_type(directive, item)
    if replaces:
        return plain, []
    if deleted:
        mine = [
            item for item in mine if not (merge_key in expect_object(item) and get_sort_key(item[merge_key]) in deleted)
        ]
    return mine, plain


def _check_order(patch_list: list[Value], wanted: list[Value], merge_key: str) -> None:
    """Raise PatchError unless the patch's items are in the order that the patch itself sets."""
    if not patch_list or not wanted:
        return
    items = split_deletions(patch_list)[0] if merge_key else patch_list
    i = j = 0
    while i < len(items) and j < len(wanted):
        if has_marker(items[i]):
            i += 1
            continue
        mine = get_key(items[i], merge_key) if merge_key else items[i]
        if are_equal(mine, get_key(wanted[j], merge_key) if merge_key else wanted[j]):
            i += 1
        j += 1
    if i < len(items) and j >= len(wanted):
        raise PatchError(
            f"The order in patch list:\n{format_value(patch_list)}\n"
            f" doesn't match {SET_ORDER} list:\n{format_value(wanted)}\n"
        )


def _set_field(original: Object, name: str, value: Value) -> None:
    if has_marker(value):
        original.pop(name, None)
    else:
        original[name] = _without_directives(value)


def _without_directives(value: Value) -> Value:
    if isinstance(value, dict):
        return {name: _without_directives(item) for name, item in value.items() if not has_marker(item)}
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not has_marker(item)]
    return value


def _discard_nulls(value: Value) -> None:
    if isinstance(value, dict):
        for name in [name for name, item in value.items() if item is None]:
            del value[name]
        for item in value.values():
            _discard_nulls(item)
    elif isinstance(value, list):
        for item in value:
            _discard_nulls(item)
