"""Edit: one thing that a person would do to make a pod fit, as the simulation's command and as a kubectl line."""

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
    """Which object."""

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
    """`kind` is its row in the table of costs; two edits are the same if `kind`, `of`, `path` and `detail` are.

    What it does is one of: `change` an object that is there (a function that alters its manifest), `gone` or `moved_to`
    (a pod), `made` (new objects), `disabled` (a plugin of the pod's profile), `profile` (alters that profile). `tie`
    breaks ties among equal costs, less is better. `shape` says which edits of different nodes are alike, so that a list
    names one of them. `kubectl` and `note` may be made when they are asked for: few of the edits that are weighed are
    ever shown.
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
        """Two edits of one place cannot both be made, unless they add to a list."""
        return (str(self.of), self.path, self.detail if self.path.endswith("[]") else "")

    @property
    def command_line(self) -> str:
        return self.kubectl() if callable(self.kubectl) else self.kubectl


Edits = frozenset[Edit]


def cost_of(edits: Edits) -> int:
    return sum(edit.cost for edit in edits)


def in_order(edits: Edits) -> list[Edit]:
    """As they are told: by place."""
    return sorted(edits, key=lambda edit: (edit.cost, str(edit.of), edit.path, edit.detail))


def agree(edits: Edits) -> bool:
    """No two of them change the same place, and none changes what another takes away."""
    places = {edit.place for edit in edits}
    gone = {str(edit.of) for edit in edits if edit.gone or edit.moved_to}
    touched = [str(edit.of) for edit in edits]
    return len(places) == len(edits) and all(touched.count(name) == 1 for name in gone)


# Reading and writing parts of a manifest


def part(manifest: Any, path: Path) -> Any:
    """What stands at a path, None where nothing does."""
    for key in path:
        if isinstance(key, int):
            manifest = manifest[key] if isinstance(manifest, Sequence) and key < len(manifest) else None
        else:
            manifest = manifest.get(key) if isinstance(manifest, Mapping) else None
        if manifest is None:
            return None
    return manifest


def put(*path: str | int, value: Any) -> Change:
    """Write a value at a path; maps on the way are made, None takes it out."""

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
        put(*path, value=[*(part(manifest, path) or ()), item])(manifest)

    return change


def swap_item(*path: str | int, item: Any, by: Any = None) -> Change:
    """An item of a list, by its value, becomes another one, or goes."""

    def change(manifest: dict[str, Any]) -> None:
        items = list(part(manifest, path) or ())
        if item in items:
            at = items.index(item)
            items[at : at + 1] = [] if by is None else [by]
        put(*path, value=items or None)(manifest)

    return change


def several(*changes: Change) -> Change:
    def change(manifest: dict[str, Any]) -> None:
        for one in changes:
            one(manifest)

    return change


def thawed(value: Any) -> Any:
    """A deep copy that may be changed."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thawed(item) for item in value]
    return value


def changed(obj: KubeObject, changes: Sequence[Change]) -> dict[str, Any]:
    """The object's manifest with the changes made."""
    manifest: dict[str, Any] = thawed(manifest_of(obj))
    for change in changes:
        change(manifest)
    return manifest


def detail_of(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
