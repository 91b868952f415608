"""Creation of strategic merge patches: from two objects, or from three with the last-applied configuration.

Source: strategicpatch/patch.go diffMaps, CreateThreeWayMergePatch.
"""

import copy
from dataclasses import dataclass, replace

from kube_apiserver.structured_merge.strategic.conflicts import PatchConflict, have_conflict
from kube_apiserver.structured_merge.strategic.directives import (
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
    format_value,
    get_go_type,
    get_item_type,
    get_key,
)
from kube_apiserver.structured_merge.strategic.merging import combine
from kube_apiserver.structured_merge.strategic.ordering import drop_duplicates, sort_by
from kube_apiserver.structured_merge.strategic.patch_types import PatchType
from kube_apiserver.structured_merge.values import Value


def two_way_patch(original: Object, modified: Object, kind: PatchType) -> Object:
    """Return the patch that turns `original` into `modified`."""
    return _Differ(sets_order=True).maps(copy.deepcopy(original), copy.deepcopy(modified), kind)


def three_way_patch(original: Object, modified: Object, current: Object, kind: PatchType, *, overwrite: bool) -> Object:
    """Return the patch of `current`: its differences from `modified`, and the deletions between `original` and
    `modified`.

    Raise PatchConflict if another writer changed the same fields, unless `overwrite`.
    """
    original, modified, current = copy.deepcopy((original, modified, current))
    changes = _Differ(sets_order=True, ignores_deletions=True).maps(current, modified, kind)
    deletions = _Differ(sets_order=True, ignores_changes=True).maps(original, modified, kind)
    patch = combine(deletions, changes, kind)
    if not overwrite:
        changed = _Differ().maps(original, current, kind)
        if have_conflict(patch, changed, kind):
            raise PatchConflict(patch, changed)
    return patch


@dataclass(frozen=True, slots=True)
class _Differ:
    sets_order: bool = False
    ignores_changes: bool = False
    ignores_deletions: bool = False
    lists_retained_keys: bool = False

    def maps(self, original: Object, modified: Object, kind: PatchType) -> Object:
        patch: Object = {}
        for name, value in modified.items():
            if name not in original:
                self._change(patch, name, value)
            elif name == MARKER:
                _diff_marker(original[name], value, patch)
            elif get_go_type(original[name]) != get_go_type(value):
                self._change(patch, name, value)
            elif isinstance(value, dict):
                self._map(name, original[name], value, patch, kind)
            elif isinstance(value, list):
                self._list(name, original[name], value, patch, kind)
            elif not are_equal(original[name], value):
                self._change(patch, name, value)
        gone = [name for name in original if name not in modified]
        if not self.ignores_deletions:
            patch.update(dict.fromkeys(gone))
        if self.lists_retained_keys:
            present = [name for name, value in modified.items() if value is not None]
            if present and (patch or any(original[name] is not None for name in gone)):
                patch[RETAIN_KEYS] = sorted(present)
        return patch

    def _change(self, patch: Object, name: str, value: Value) -> None:
        if not self.ignores_changes:
            patch[name] = value

    def _map(self, name: str, original: Object, modified: Object, patch: Object, kind: PatchType) -> None:
        try:
            inner, strategy = kind.field(name)
        except PatchError:
            if are_equal(original, modified):
                return
            raise
        if strategy.name == REPLACE:
            self._change(patch, name, modified)
        elif found := replace(self, lists_retained_keys=strategy.retains_keys).maps(original, modified, inner):
            patch[name] = found

    def _list(self, name: str, original: list[Value], modified: list[Value], patch: Object, kind: PatchType) -> None:
        try:
            inner, strategy = kind.items(name)
        except PatchError:
            if are_equal(original, modified):
                return
            raise
        if strategy.name != MERGE:
            if not are_equal(original, modified):
                self._change(patch, name, modified)
            return
        differ = replace(self, lists_retained_keys=strategy.retains_keys)
        added, deleted, order = differ.lists(original, modified, inner, strategy.merge_key)
        for key, found in ((name, added), (f"{DELETE_FROM_LIST}/{name}", deleted), (f"{SET_ORDER}/{name}", order)):
            if found:
                patch[key] = found

    def lists(
        self, original: list[Value], modified: list[Value], kind: PatchType, merge_key: str
    ) -> tuple[list[Value], list[Value], list[Value]]:
        """Return the items to patch, the scalars to delete, and the order to set."""
        if not original:
            return ([] if self.ignores_changes else modified), [], []
        kind_of_items = get_item_type(original, modified)
        if not are_objects(kind_of_items):
            return self._scalars(original, modified, kind_of_items)
        added, deleted = self._objects(original, modified, kind, merge_key)
        added = [*sort_by(added, modified, merge_key, kind_of_items), *deleted]
        keys = [get_key(item, merge_key) for item in modified]
        moved = not are_equal([get_key(item, merge_key) for item in original], keys)
        must_set_order = (not self.ignores_changes and (added or moved)) or (not self.ignores_deletions and added)
        return added, [], [{merge_key: key} for key in keys] if self.sets_order and must_set_order else []

    def _scalars(
        self, original: list[Value], modified: list[Value], kind_of_items: str
    ) -> tuple[list[Value], list[Value], list[Value]]:
        before, after = sorted(original, key=format_value), sorted(modified, key=format_value)
        added, deleted = [], []
        i = j = 0
        while i < len(before) or j < len(after):
            mine = format_value(before[i]) if i < len(before) else None
            theirs = format_value(after[j]) if j < len(after) else None
            if mine == theirs:
                i, j = i + 1, j + 1
            elif mine is None or (theirs is not None and mine > theirs):
                added.append(after[j])
                j += 1
            else:
                deleted.append(before[i])
                i += 1
        added = [] if self.ignores_changes else sort_by(added, modified, "", kind_of_items)
        deleted = [] if self.ignores_deletions else drop_duplicates(deleted)
        must_set_order = bool(deleted) or (not self.ignores_changes and not are_equal(before, modified))
        return added, deleted, modified if self.sets_order and must_set_order else []

    def _objects(
        self, original: list[Value], modified: list[Value], kind: PatchType, merge_key: str
    ) -> tuple[list[Value], list[Value]]:
        def by_key(item: Value) -> str:
            return format_value(item.get(merge_key))

        before, after = sorted(original, key=by_key), sorted(modified, key=by_key)
        patch: list[Value] = []
        deleted: list[Value] = []
        i = j = 0
        while i < len(before) or j < len(after):
            mine = format_value(get_key(before[i], merge_key)) if i < len(before) else None
            theirs = format_value(get_key(after[j], merge_key)) if j < len(after) else None
            if mine == theirs:
                if found := self.maps(before[i], after[j], kind):
                    patch.append({**found, merge_key: after[j][merge_key]})
                i, j = i + 1, j + 1
            elif mine is None or (theirs is not None and mine > theirs):
                if not self.ignores_changes:
                    patch.append(after[j])
                j += 1
            else:
                if not self.ignores_deletions:
                    deleted.append({merge_key: before[i][merge_key], MARKER: DELETE})
                i += 1
        return patch, deleted


def _diff_marker(original: Value, modified: Value, patch: Object) -> None:
    if not isinstance(original, str) or not isinstance(modified, str):
        raise PatchError(f"invalid value for special key: {MARKER}")
    if original != modified:
        patch[MARKER] = modified
