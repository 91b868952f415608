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
    return _Differ(sets_order=True).diff_maps(copy.deepcopy(original), copy.deepcopy(modified), kind)


def three_way_patch(original: Object, modified: Object, current: Object, kind: PatchType, *, overwrite: bool) -> Object:
    """Return a patch that changes `current` to `modified` and deletes the fields that only `original` has.

    Raise PatchConflict if another writer changed the same fields, unless `overwrite`.
    """
    original, modified, current = copy.deepcopy((original, modified, current))
    changes = _Differ(sets_order=True, ignores_deletions=True).diff_maps(current, modified, kind)
    deletions = _Differ(sets_order=True, ignores_changes=True).diff_maps(original, modified, kind)
    patch = combine(deletions, changes, kind)
    if not overwrite:
        changed = _Differ().diff_maps(original, current, kind)
        if have_conflict(patch, changed, kind):
            raise PatchConflict(patch, changed)
    return patch


@dataclass(frozen=True, slots=True)
class _Differ:
    """A comparison of two objects with options. Source: DiffOptions."""

    sets_order: bool = False
    ignores_changes: bool = False
    ignores_deletions: bool = False
    lists_retained_keys: bool = False

    def diff_maps(self, original: Object, modified: Object, kind: PatchType) -> Object:
        patch: Object = {}
        for name, value in modified.items():
            if name not in original:
                self._set_value(patch, name, value)
            elif name == MARKER:
                _diff_marker(original[name], value, patch)
            elif get_go_type(original[name]) != get_go_type(value):
                self._set_value(patch, name, value)
            elif isinstance(value, dict):
                self._diff_map_field(name, original[name], value, patch, kind)
            elif isinstance(value, list):
                self._diff_list_field(name, original[name], value, patch, kind)
            elif not are_equal(original[name], value):
                self._set_value(patch, name, value)
        removed = [name for name in original if name not in modified]
        if not self.ignores_deletions:
            patch.update(dict.fromkeys(removed))
        if self.lists_retained_keys:
            present = [name for name, value in modified.items() if value is not None]
            if present and (patch or any(original[name] is not None for name in removed)):
                patch[RETAIN_KEYS] = sorted(present)
        return patch

    def _set_value(self, patch: Object, name: str, value: Value) -> None:
        if not self.ignores_changes:
            patch[name] = value

    def _diff_map_field(self, name: str, original: Object, modified: Object, patch: Object, kind: PatchType) -> None:
        try:
            inner, strategy = kind.field(name)
        except PatchError:
            if are_equal(original, modified):
                return
            raise
        if strategy.name == REPLACE:
            self._set_value(patch, name, modified)
        elif changes := replace(self, lists_retained_keys=strategy.retains_keys).diff_maps(original, modified, inner):
            patch[name] = changes

    def _diff_list_field(
        self, name: str, original: list[Value], modified: list[Value], patch: Object, kind: PatchType
    ) -> None:
        try:
            inner, strategy = kind.items(name)
        except PatchError:
            if are_equal(original, modified):
                return
            raise
        if strategy.name != MERGE:
            if not are_equal(original, modified):
                self._set_value(patch, name, modified)
            return
        differ = replace(self, lists_retained_keys=strategy.retains_keys)
        added, deleted, order = differ.diff_lists(original, modified, inner, strategy.merge_key)
        for key, items in ((name, added), (f"{DELETE_FROM_LIST}/{name}", deleted), (f"{SET_ORDER}/{name}", order)):
            if items:
                patch[key] = items

    def diff_lists(
        self, original: list[Value], modified: list[Value], kind: PatchType, merge_key: str
    ) -> tuple[list[Value], list[Value], list[Value]]:
        """Return the items to patch, the scalars to delete, and the order to set."""
        if not original:
            return ([] if self.ignores_changes else modified), [], []
        kind_of_items = get_item_type(original, modified)
        if not are_objects(kind_of_items):
            return self._diff_scalars(original, modified, kind_of_items)
        added, deleted = self._diff_objects(original, modified, kind, merge_key)
        added = [*sort_by(added, modified, merge_key, kind_of_items), *deleted]
        keys = [get_key(item, merge_key) for item in modified]
        moved = not are_equal([get_key(item, merge_key) for item in original], keys)
        must_set_order = (not self.ignores_changes and (added or moved)) or (not self.ignores_deletions and added)
        return added, [], [{merge_key: key} for key in keys] if self.sets_order and must_set_order else []

    def _diff_scalars(
        self, original: list[Value], modified: list[Value], kind_of_items: str
    ) -> tuple[list[Value], list[Value], list[Value]]:
        before, after = sorted(original, key=format_value), sorted(modified, key=format_value)
        added, deleted = [], []
        i = j = 0
        while i < len(before) or j < len(after):
            old_key = format_value(before[i]) if i < len(before) else None
            new_key = format_value(after[j]) if j < len(after) else None
            if old_key == new_key:
                i, j = i + 1, j + 1
            elif old_key is None or (new_key is not None and old_key > new_key):
                added.append(after[j])
                j += 1
            else:
                deleted.append(before[i])
                i += 1
        added = [] if self.ignores_changes else sort_by(added, modified, "", kind_of_items)
        deleted = [] if self.ignores_deletions else drop_duplicates(deleted)
        must_set_order = bool(deleted) or (not self.ignores_changes and not are_equal(before, modified))
        return added, deleted, modified if self.sets_order and must_set_order else []

    def _diff_objects(
        self, original: list[Value], modified: list[Value], kind: PatchType, merge_key: str
    ) -> tuple[list[Value], list[Value]]:
        def by_key(item: Value) -> str:
            return format_value(item.get(merge_key))

        before, after = sorted(original, key=by_key), sorted(modified, key=by_key)
        patch: list[Value] = []
        deleted: list[Value] = []
        i = j = 0
        while i < len(before) or j < len(after):
            old_key = format_value(get_key(before[i], merge_key)) if i < len(before) else None
            new_key = format_value(get_key(after[j], merge_key)) if j < len(after) else None
            if old_key == new_key:
                if changes := self.diff_maps(before[i], after[j], kind):
                    patch.append({**changes, merge_key: after[j][merge_key]})
                i, j = i + 1, j + 1
            elif old_key is None or (new_key is not None and old_key > new_key):
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
