"""`metadata.managedFields` of an object, maintained on every write as an API server does.

Callers pass the times, because this package reads no clock.

Source: apimachinery/pkg/util/managedfields/internal.
"""

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kube_apiserver.structured_merge import fieldpath, last_applied
from kube_apiserver.structured_merge.fieldpath import FieldSet
from kube_apiserver.structured_merge.schema import Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, check_type, compare
from kube_apiserver.structured_merge.updating import Conflicts, Filter, Managers, Owned, Updater, exclude_fields
from kube_apiserver.structured_merge.values import format_value

Object = dict[str, Any]

MAX_UPDATE_MANAGERS = 10
# In the order of the fields of upstream's type, which is the order of the encoding.
_ENTRY = ("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource")
_OLD_UPDATES = "ancient-changes"
_BEFORE_FIRST_APPLY = "before-first-apply"
_NOT_OWNED = FieldSet.from_paths(
    (fieldpath.field("apiVersion"),),
    (fieldpath.field("kind"),),
    (fieldpath.field("metadata"),),
    *(
        (fieldpath.field("metadata"), fieldpath.field(name))
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)


class BadManagedFields(ValueError):  # noqa: N818 - it is the name of what happened
    """Managed fields of a request that cannot be read."""


class ApplyConflict(Exception):  # noqa: N818 - upstream's name
    """An apply that would change fields that other managers own. `message` and `causes` are those of the Status."""

    def __init__(self, conflicts: Conflicts) -> None:
        all_conflicts = conflicts.conflicts
        self.causes = [
            {
                "reason": "FieldManagerConflict",
                "message": f"conflict with {_format_manager(each.manager)}",
                "field": fieldpath.format_path(each.path),
            }
            for each in all_conflicts
        ]
        if len(all_conflicts) == 1:
            manager, path = _format_manager(all_conflicts[0].manager), fieldpath.format_path(all_conflicts[0].path)
            self.message = f"Apply failed with 1 conflict: conflict with {manager}: {path}"
        else:
            lines = []
            for manager in sorted({each.manager for each in all_conflicts}):
                lines.append(f"conflicts with {_format_manager(manager)}:")
                lines += [f"- {fieldpath.format_path(each.path)}" for each in all_conflicts if each.manager == manager]
            self.message = f"Apply failed with {len(all_conflicts)} conflicts: " + "\n".join(lines)
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class Writer:
    """The identity of a write: the field manager's name, its API version, the subresource, and the time ("" if
    unknown).
    """

    manager: str
    version: str
    time: str
    subresource: str = ""

    def identifier(self, operation: str) -> str:
        # In the order of upstream's type, because conflicts are sorted by this text.
        entry = {"manager": self.manager or "unknown", "operation": operation}
        if operation == "Update":
            entry["apiVersion"] = self.version
        if self.subresource:
            entry["subresource"] = self.subresource
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class PastWrite:
    """A write whose managed fields were not stored.

    `before` and `after` are the changed parts of the object. If `is_last`, the write follows the stored entries and
    took their fields.
    """

    writer: Writer
    before: Object
    after: Object
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class FieldManager:
    """The managed fields of one kind. `resets` are the fields that the endpoint ignores (status, or all but status)."""

    schema: Schema
    type: TypeRef
    resets: FieldSet | None = None

    def update(self, live: Object | None, new: Object, writer: Writer, empty: Object | None = None) -> Object:
        """Return the new object with its managed fields, after a create, an update or a patch.

        `empty` is the object that a new object is compared with: the empty Go value, whose structs exist without an
        owner.
        """
        managed, times = _decode_live_or_new(new, live)
        if live is not None and not managed:
            return _set_entries(new, {}, {})
        before = dict(managed)
        # Compare under a temporary name first: the manager's entry changes only if the update took a field.
        current = "current-operation"
        managed = self._updater(writer.version).update(
            self._typed(live or empty or {}, duplicates=True),
            self._typed(new, duplicates=True),
            writer.version,
            managed,
            current,
        )
        name = writer.identifier("Update")
        if taken := managed.pop(current, None):
            mine = managed.get(name)
            managed[name] = replace(taken, fields=taken.fields.union(mine.fields)) if mine else taken
            if managed.get(name) != before.get(name):
                times.pop(name, None)
                times |= {name: writer.time} if writer.time else {}
        return _set_entries(new, *_cap_update_managers(_strip_unowned(managed), times))

    def add_past_writes(self, value: Object, writes: Iterable[PastWrite]) -> Object:
        """Return the object with the managed fields of these writes, except fields that another manager owns.

        Managed fields that cannot be read are not changed.
        """
        try:
            managed, times = _decode(_get_entries(value, None))
        except BadManagedFields:
            return value
        for write in writes:
            compared = compare(self._typed(write.before, duplicates=True), self._typed(write.after, duplicates=True))
            fields = compared.added.union(compared.modified)
            name, is_new = write.writer.identifier("Update"), True
            for other, owned in list(managed.items()):
                if other == name:
                    fields, is_new = fields.union(owned.fields), fields != owned.fields
                elif write.is_last:
                    managed[other] = replace(owned, fields=owned.fields.difference(fields))
                else:
                    fields = fields.difference(owned.fields)
            if fields and is_new:
                managed[name] = Owned(fields, write.writer.version, applied=False)
                times[name] = max(write.writer.time, times.get(name, ""))
        return _set_entries(value, _strip_unowned(managed), times)

    def apply(
        self, live: Object | None, applied: Object, writer: Writer, *, force: bool, empty: Object | None = None
    ) -> Object | None:
        """Return the object after a server-side apply, or None if nothing changes. Raise ApplyConflict or TypeMismatch.

        `empty` is described at `update`.
        """
        current = live or {}
        managed, times = _decode(_get_entries(current, None))
        if not managed and current:
            before = replace(writer, manager=_BEFORE_FIRST_APPLY)
            managed, times = _decode(
                _get_entries(self.update(None, _set_entries(current, {}, {}), before, empty), None)
            )
        former = dict(managed)
        name = writer.identifier("Apply")
        typed_current, typed_applied = self._typed(current, duplicates=True), self._typed(applied)
        try:
            merged, managed = self._merged(typed_current, typed_applied, managed, writer, force=force)
        except Conflicts as conflicts:
            raise ApplyConflict(conflicts) from conflicts
        managed, result = _strip_unowned(managed), current if merged is None else merged.value
        if writer.manager == last_applied.MANAGER:
            result = last_applied.update_annotation(result, applied)
        if result is current and managed == former:
            return None
        if merged is not None or not current:
            # Sharing ownership of unchanged fields isn't a change, so upstream writes no time.
            times.pop(name, None)
            times |= {name: writer.time} if writer.time else {}
        return _set_entries(result, managed, times)

    def _merged(
        self, there: Typed, applied: Typed, managed: Managers, writer: Writer, *, force: bool
    ) -> tuple[Typed | None, Managers]:
        """Return the merged object and its managers. Fields of kubectl's earlier client-side apply don't conflict."""
        updater, name = self._updater(writer.version), writer.identifier("Apply")
        try:
            return updater.apply(there, applied, writer.version, managed, name, force=force)
        except Conflicts as conflicts:
            conceded = (
                last_applied.find_unchanged_fields(there, writer.version)
                if writer.manager == last_applied.MANAGER
                else None
            )
            if conceded is None:
                raise
            if remaining := [each for each in conflicts.conflicts if not conceded.has(each.path)]:
                raise Conflicts(remaining) from conflicts
        return updater.apply(there, applied, writer.version, managed, name, force=True)

    def _typed(self, value: Object, *, duplicates: bool = False) -> Typed:
        return check_type(_strip_entries(value), self.schema, self.type, allow_duplicates=duplicates)

    def _updater(self, version: str) -> Updater:
        ignored: dict[str, Filter] = {version: exclude_fields(self.resets)} if self.resets else {}
        return Updater(lambda value, _: value, ignored)


def _get_entries(first: Object, second: Object | None) -> list[Any]:
    """Return the entries of `first`, or, if it has none, those of `second`. An empty list removes all entries."""
    for candidate in (first, second):
        sent = ((candidate or {}).get("metadata") or {}).get("managedFields")
        if sent is not None:
            return [] if sent == [{}] else sent
    return []


def _decode_live_or_new(new: Object, live: Object | None) -> tuple[Managers, dict[str, str]]:
    """Return the managers that the client sent.

    If they cannot be read, return the live object's. Source: decodeLiveOrNew.
    """
    try:
        return _decode(_get_entries(new, live))
    except BadManagedFields:
        if live is None:
            raise
        return _decode(_get_entries(live, None))


def _decode(entries: Any) -> tuple[Managers, dict[str, str]]:
    managed: Managers = {}
    times: dict[str, str] = {}
    if not isinstance(entries, list):
        raise BadManagedFields("managedFields must be a list")
    for number, entry in enumerate(entries):
        try:
            operation, version = entry["operation"], str(entry.get("apiVersion", ""))
            if operation not in ("Apply", "Update"):
                raise BadManagedFields(f"managedFields[{number}].operation: operation must be `Apply` or `Update`")
            writer = Writer(str(entry.get("manager", "")), version, "", str(entry.get("subresource") or ""))
            name = writer.identifier(operation)
            managed[name] = Owned(FieldSet.from_json(entry.get("fieldsV1") or {}), version, operation == "Apply")
        except (AttributeError, KeyError, TypeError, fieldpath.PathError) as broken:
            raise BadManagedFields(f"managedFields[{number}]: {broken}") from broken
        if time := entry.get("time"):
            times[name] = str(time)
    return managed, times


def _set_entries(value: Object, managed: Managers, times: Mapping[str, str]) -> Object:
    entries = []
    for name, owned in managed.items():
        entry = {**json.loads(name), "apiVersion": owned.version, "fieldsType": "FieldsV1"}
        if name in times:
            entry["time"] = times[name]
        entry["fieldsV1"] = owned.fields.to_json()
        entries.append({field: entry[field] for field in _ENTRY if field in entry})
    entries.sort(
        key=lambda each: [
            str(each.get(key, "")) for key in ("operation", "time", "manager", "apiVersion", "subresource")
        ]
    )
    metadata = {name: item for name, item in (value.get("metadata") or {}).items() if name != "managedFields"}
    return {**value, "metadata": {**metadata, "managedFields": entries} if entries else metadata}


def _strip_entries(value: Object) -> Object:
    if "managedFields" not in (value.get("metadata") or {}):
        return value
    stripped = copy.copy(value)
    stripped["metadata"] = {name: item for name, item in value["metadata"].items() if name != "managedFields"}
    return stripped


def _strip_unowned(managed: Managers) -> Managers:
    """Return the managers without fields that have no owner: the identity, and fields that only the server writes."""
    left = {name: replace(owned, fields=owned.fields.difference(_NOT_OWNED)) for name, owned in managed.items()}
    return {name: owned for name, owned in left.items() if owned.fields}


def _cap_update_managers(managed: Managers, times: dict[str, str]) -> tuple[Managers, dict[str, str]]:
    """Merge the oldest update managers of a version into one, so that at most MAX_UPDATE_MANAGERS remain."""
    updaters = sorted((n for n, owned in managed.items() if not owned.applied), key=lambda n: (times.get(n, ""), n))
    too_many = len(updaters) - MAX_UPDATE_MANAGERS
    first_of: dict[str, str] = {}
    for name in updaters:
        if too_many <= 0:
            break
        owned = managed[name]
        bucket = Writer(_OLD_UPDATES, owned.version, "").identifier("Update")
        if owned.version not in first_of:
            first_of[owned.version] = name
            continue
        if bucket not in managed:
            managed[bucket] = managed.pop(first_of[owned.version])
        managed[bucket] = replace(owned, fields=owned.fields.union(managed[bucket].fields))
        del managed[name]
        too_many -= 1
        if name in times:
            times[bucket] = times[name]
    return managed, times


def _format_manager(identifier: str) -> str:
    """Return a manager as a conflict message names it."""
    try:
        entry = json.loads(identifier)
    except ValueError:
        return format_value(identifier)
    shown = format_value(entry.get("manager", ""))
    if entry.get("subresource"):
        shown += f" with subresource {format_value(entry['subresource'])}"
    return f"{shown} using {entry.get('apiVersion', '')}" if entry.get("operation") == "Update" else shown
