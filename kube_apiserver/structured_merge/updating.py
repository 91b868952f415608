"""Ownership of fields after an update or an apply, and the object that an apply produces.

Source: structured-merge-diff/merge/{update,conflict}.go, typed/reconcile_schema.go.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import Element, FieldSet, Path
from kube_apiserver.structured_merge.schema import ATOMIC, UNTYPED, Map, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Comparison, Typed, compare, merge, remove, resolve_type, to_field_set
from kube_apiserver.structured_merge.values import are_equal, format_value


@dataclass(frozen=True, slots=True)
class Owned:
    """The fields of one manager in the version of its write. `applied` is true for an apply, false for an update."""

    fields: FieldSet
    version: str
    applied: bool


Managers = dict[str, Owned]
Convert = Callable[[Typed, str], Typed]
Filter = Callable[[FieldSet], FieldSet]


class UnknownVersion(Exception):  # noqa: N818 - it is the name of what happened
    """A version that is no longer served, as reported by a converter. Its managers lose their fields."""


@dataclass(frozen=True, slots=True)
class Conflict:
    manager: str
    path: Path

    def __str__(self) -> str:
        return f"conflict with {format_value(self.manager)}: {fieldpath.format_path(self.path)}"


class Conflicts(Exception):  # noqa: N818 - upstream's name
    """The fields that other managers own with other values."""

    def __init__(self, conflicts: list[Conflict]) -> None:
        self.conflicts = conflicts
        super().__init__(self._text())

    def _text(self) -> str:
        if len(self.conflicts) == 1:
            return str(self.conflicts[0])
        lines = []
        for manager in sorted({each.manager for each in self.conflicts}):
            lines.append(f"conflicts with {format_value(manager)}:")
            lines += [f"- {fieldpath.format_path(each.path)}" for each in self.conflicts if each.manager == manager]
        return "\n".join(lines)


def exclude_fields(fields: FieldSet) -> Filter:
    """Return a filter that removes these fields and all fields below them, as a subresource resets them."""
    return lambda given: given.recursive_difference(fields)


@dataclass(frozen=True, slots=True)
class Updater:
    """Upstream's Updater: it computes managers and merged objects.

    `convert` converts an object to a version, or raises UnknownVersion. `ignored` maps versions to filters of fields
    without owner.
    """

    convert: Convert
    ignored: Mapping[str, Filter] = field(default_factory=dict)

    def update(self, live: Typed, new: Typed, version: str, managers: Managers, manager: str) -> Managers:
        """Return the managers after `new` replaced `live`. The writing manager owns the fields that it changed."""
        managers = self._reconciled(live, managers)
        managers, compared = self._disown(live, new, version, managers, manager, force=True)
        mine = managers[manager].fields if manager in managers else FieldSet()
        mine = mine.difference(compared.removed).union(compared.modified).union(compared.added)
        managers[manager] = Owned(self._filtered(mine, version), version, applied=False)
        return {name: owned for name, owned in managers.items() if owned.fields}

    def apply(
        self, live: Typed, applied: Typed, version: str, managers: Managers, manager: str, *, force: bool
    ) -> tuple[Typed | None, Managers]:
        """Return the merged object, or None if nothing changes, and the managers. Raise Conflicts unless `force`.

        Fields that the manager applied before and no longer applies are removed, unless another manager owns them.
        """
        managers = self._reconciled(live, managers)
        merged = merge(live, applied)
        last = managers.get(manager)
        managers[manager] = Owned(self._filtered(to_field_set(applied), version), version, applied=True)
        if last is not None and last.fields:
            merged = self._prune(merged, managers, manager, last)
        managers, _ = self._disown(live, merged, version, managers, manager, force=force)
        return (None if are_equal(live.value, merged.value) else merged), managers

    def _filtered(self, fields: FieldSet, version: str) -> FieldSet:
        ignore = self.ignored.get(version)
        return ignore(fields) if ignore else fields

    def _disown(
        self, live: Typed, new: Typed, version: str, managers: Managers, writer: str, *, force: bool
    ) -> tuple[Managers, Comparison]:
        """Return the managers without the fields that the writer changes, and the comparison.

        Raise Conflicts unless `force`.
        """
        compared = {version: self._compared(live, new, version)}
        remaining: Managers = {}
        conflicts: list[Conflict] = []
        for name in sorted(managers):
            owned = managers[name]
            if name == writer:
                remaining[name] = owned
                continue
            if owned.version not in compared:
                try:
                    converted = self.convert(live, owned.version), self.convert(new, owned.version)
                except UnknownVersion:
                    continue
                compared[owned.version] = self._compared(*converted, owned.version)
            comparison = compared[owned.version]
            taken_fields = owned.fields.intersection(comparison.modified.union(comparison.added))
            conflicts += [Conflict(name, path) for path in taken_fields]
            remaining[name] = replace(
                owned, fields=owned.fields.difference(taken_fields).difference(comparison.removed)
            )
        if conflicts and not force:
            raise Conflicts(conflicts)
        return {name: owned for name, owned in remaining.items() if owned.fields}, compared[version]

    def _compared(self, live: Typed, new: Typed, version: str) -> Comparison:
        comparison = compare(live, new)
        ignore = self.ignored.get(version)
        return (
            Comparison(ignore(comparison.removed), ignore(comparison.modified), ignore(comparison.added))
            if ignore
            else comparison
        )

    def _prune(self, merged: Typed, managers: Managers, manager: str, last: Owned) -> Typed:
        try:
            converted = self.convert(merged, last.version)
        except UnknownVersion:
            return merged
        pruned = remove(converted, last.fields.with_named_fields(converted.schema, converted.type))
        pruned = self._with_owned(converted, pruned, last.version, managers)
        try:
            pruned = self._with_dangling(converted, pruned, last)
        except UnknownVersion:
            pruned = converted
        return self.convert(pruned, managers[manager].version)

    def _with_owned(self, merged: Typed, pruned: Typed, version: str, managers: Managers) -> Typed:
        """Restore pruned fields that another manager still owns, first those of the pruned version."""
        by_version: dict[str, FieldSet] = {}
        for owned in managers.values():
            by_version[owned.version] = by_version.get(owned.version, FieldSet()).union(owned.fields)
        for owned_version in sorted(by_version, key=lambda name: (name != version, name)):
            try:
                converted, pruned_value = self.convert(merged, owned_version), self.convert(pruned, owned_version)
            except UnknownVersion:
                continue
            merged = converted
            unowned = _to_named_field_set(converted).difference(
                _to_named_field_set(pruned_value).union(
                    by_version[owned_version].with_named_fields(converted.schema, converted.type)
                )
            )
            pruned = remove(converted, unowned)
        return pruned

    def _with_dangling(self, merged: Typed, pruned: Typed, last: Owned) -> Typed:
        """Restore pruned fields that the manager did not apply before."""
        converted = self.convert(pruned, last.version)
        before = last.fields.with_named_fields(merged.schema, merged.type)
        left = to_field_set(converted).with_named_fields(merged.schema, merged.type)
        return remove(merged, _to_named_field_set(merged).difference(left).intersection(before))

    def _reconciled(self, live: Typed, managers: Managers) -> Managers:
        reconciled: Managers = {}
        for name, owned in managers.items():
            try:
                converted = self.convert(live, owned.version)
            except UnknownVersion:
                continue
            fields = reconcile(owned.fields, converted)
            reconciled[name] = owned if fields is None else replace(owned, fields=fields)
        return reconciled


def _to_named_field_set(value: Typed) -> FieldSet:
    return to_field_set(value).with_named_fields(value.schema, value.type)


def reconcile(fields: FieldSet, live: Typed) -> FieldSet | None:
    """Return the fields adapted to the current schema, or None if nothing changes.

    Owners of parts of a now atomic value own all of it. A value that is no longer atomic keeps its owners.
    """
    walker = _ReconcilingWalker(live.schema)
    walker.walk(fields, live.type, (), is_atomic=False)
    if not walker.now_atomic:
        return None
    return fields.recursive_difference(walker.now_atomic).union(walker.now_atomic)


class _ReconcilingWalker:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.now_atomic = FieldSet()

    def walk(self, fields: FieldSet | None, ref: TypeRef, path: Path, *, is_atomic: bool) -> None:
        atom = resolve_type(self.schema, ref)
        if atom.map:
            self._map(atom.map, fields, path, is_atomic)
        elif atom.list and not atom.scalar:
            if not is_atomic and atom.list.relationship == ATOMIC:
                self.now_atomic.insert(path)
            elif fields is not None:
                for element in _list_elements(fields):
                    self._descend(fields, element, atom.list.element, path)

    def _map(self, mapping: Map, fields: FieldSet | None, path: Path, is_atomic: bool) -> None:
        if _is_untyped(mapping):
            return
        if not is_atomic and mapping.relationship == ATOMIC:
            if fields:
                self.now_atomic.insert(path)
            return
        for element in _list_elements(fields) if fields is not None else ():
            ref = mapping.type_of(element.field_name) if element.field_name is not None else mapping.element
            if ref is not None:
                self._descend(fields, element, ref, path)

    def _descend(self, fields: FieldSet | None, element: Element, ref: TypeRef, path: Path) -> None:
        assert fields is not None
        child = fields.children.get(element)
        self.walk(child, ref, (*path, element), is_atomic=element in fields.members and child is None)


def _list_elements(fields: FieldSet) -> list[Element]:
    return sorted(fields.members | fields.children.keys())


def _is_untyped(mapping: Map) -> bool:
    """Return whether only `x-kubernetes-preserve-unknown-fields` is known of a struct."""
    element = mapping.element
    if mapping.fields or element is None:
        return False
    if element.named is not None:
        return element.named == "__untyped_deduced_"
    return bool(element.inlined and element.inlined.scalar == UNTYPED)
