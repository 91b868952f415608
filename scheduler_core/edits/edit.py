"""Edit: one change by which a user can make a pod fit, as a simulation command and as a kubectl line."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.sentences import Data
from kube_objects.serialize import manifest_of

Manifest = Mapping[str, Any]
Path = tuple[str | int, ...]
Change = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to an object."""

    kind: str
    name: str
    namespace: str = ""

    @classmethod
    def to(cls, obj: KubeObject) -> "Ref":
        return cls(obj.kind, obj.name, obj.namespace)

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def __str__(self) -> str:
        return f"{self.kind}/{self.key}"

    def as_dict(self) -> dict[str, str]:
        return {"kind": self.kind, "name": self.name, **({"namespace": self.namespace} if self.namespace else {})}


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. `kind` is its row in the table of costs; edits are equal if `kind`, `of`, `path` and `detail` are.

    Its effect is one of: `change` an object (a function that modifies its manifest), `gone` or `moved_to` (a pod),
    `made` (new objects), `disabled` (a plugin of the pod's profile), `profile` (a function that modifies that profile).
    `tie` orders edits of equal cost, lower first. Edits of different nodes with one `shape` are listed once. `kubectl`
    and `note` may be functions, because few edits are shown.
    """

    kind: str
    of: Ref
    path: str
    detail: str
    cost: int
    sentence: Data = field(compare=False, hash=False)
    kubectl: str | Callable[[], str] = field(compare=False, hash=False)
    before: Any = field(default=None, compare=False, hash=False)
    after: Any = field(default=None, compare=False, hash=False)
    shape: str = field(default="", compare=False)
    tie: float = field(default=0.0, compare=False)
    change: Change | None = field(default=None, compare=False, hash=False, repr=False)
    gone: bool = field(default=False, compare=False)
    moved_to: str = field(default="", compare=False)
    made: tuple[Manifest, ...] = field(default=(), compare=False, hash=False, repr=False)
    disabled: str = field(default="", compare=False)
    profile: Change | None = field(default=None, compare=False, hash=False, repr=False)
    note: Data | Callable[[], Data | None] | None = field(default=None, compare=False, hash=False)

    @property
    def place(self) -> tuple[str, str, str]:
        """Return the place that the edit changes; two edits of one place conflict, unless they add to a list."""
        return (str(self.of), self.path, self.detail if self.path.endswith("[]") else "")

    @property
    def command_line(self) -> str:
        return self.kubectl() if callable(self.kubectl) else self.kubectl


Edits = frozenset[Edit]


def total_cost(edits: Edits) -> int:
    return sum(edit.cost for edit in edits)


def sort_edits(edits: Edits) -> list[Edit]:
    """Return the edits sorted for display."""
    return sorted(edits, key=lambda edit: (edit.cost, str(edit.of), edit.path, edit.detail))


def are_compatible(edits: Edits) -> bool:
    """Return True if no two edits change the same place, and none changes what another removes."""
    places = {edit.place for edit in edits}
    gone = {str(edit.of) for edit in edits if edit.gone or edit.moved_to}
    touched = [str(edit.of) for edit in edits]
    return len(places) == len(edits) and all(touched.count(name) == 1 for name in gone)


# Reading and writing parts of a manifest


def value_at(manifest: Any, path: Path) -> Any:
    """Return the value at a path, or None."""
    for key in path:
        if isinstance(key, int):
            manifest = manifest[key] if isinstance(manifest, Sequence) and key < len(manifest) else None
        else:
            manifest = manifest.get(key) if isinstance(manifest, Mapping) else None
        if manifest is None:
            return None
    return manifest


def set_value(*path: str | int, value: Any) -> Change:
    """Return a change that writes a value at a path, with missing maps; None removes the value."""

    def change(manifest: dict[str, Any]) -> None:
        holder: Any = manifest
        for key in path[:-1]:
            if isinstance(holder, dict) and holder.get(key) is None:
                holder[key] = {}
            holder = holder[key]
        if value is None:
            holder.pop(path[-1], None)
        else:
            holder[path[-1]] = value

    return change


def add_item(*path: str | int, item: Any) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        set_value(*path, value=[*(value_at(manifest, path) or ()), item])(manifest)

    return change


def replace_item(*path: str | int, item: Any, by: Any = None) -> Change:
    """Return a change that replaces an item of a list by another one, or removes it."""

    def change(manifest: dict[str, Any]) -> None:
        items = list(value_at(manifest, path) or ())
        if item in items:
            position = items.index(item)
            items[position : position + 1] = [] if by is None else [by]
        set_value(*path, value=items or None)(manifest)

    return change


def combine_changes(*changes: Change) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        for part_of_change in changes:
            part_of_change(manifest)

    return change


def mutable_copy(value: Any) -> Any:
    """Return a deep, mutable copy."""
    if isinstance(value, Mapping):
        return {key: mutable_copy(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [mutable_copy(item) for item in value]
    return value


def apply_changes(obj: KubeObject, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the object's manifest with the changes applied."""
    manifest: dict[str, Any] = mutable_copy(manifest_of(obj))
    for change in changes:
        change(manifest)
    return manifest


def encode_detail(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
