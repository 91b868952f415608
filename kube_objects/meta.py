"""The metadata of all Kubernetes objects: identity, labels, owners, timestamps."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, make_dataclass
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T", bound="KubeObject")


@dataclass(slots=True, frozen=True)
class OwnerReference:
    kind: str
    name: str
    uid: str
    api_version: str = ""
    controller: bool = False


@dataclass(slots=True, kw_only=True)
class KubeObject:
    """Base of every object; also the whole of a kind that scheduling does not read.

    `manifest` is the JSON form it was parsed from, as it was given; never changed in place. Two objects are equal if
    all that scheduling reads of them is.

    Timestamps are seconds since the Unix epoch (float), or None.
    """

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owners: tuple[OwnerReference, ...] = ()
    creation_timestamp: float | None = None
    deletion_timestamp: float | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def key(self) -> str:
        """Return `namespace/name`, or only the name for cluster-scoped objects; unique within a kind."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def controller(self) -> OwnerReference | None:
        return next((owner for owner in self.owners if owner.controller), None)


_Fields = tuple[Callable[..., None], Callable[[Any], tuple[Any, ...]]]
_FIELDS: dict[type, _Fields] = {}


def copied(obj: T) -> T:
    """Return a shallow copy, faster than copy.copy. The caller may change it."""
    fill, values = _FIELDS.get(type(obj)) or _fields(type(obj))
    copy = object.__new__(type(obj))
    fill(copy, *values(obj))
    return copy


def _fields(cls: type[KubeObject]) -> _Fields:
    """Return functions that set and read all fields of an object in one order. A loop over the fields is slower."""
    names = tuple(item.name for item in fields(cls))
    fill: Callable[..., None] = vars(make_dataclass(cls.__name__, names))["__init__"]
    functions = _FIELDS[cls] = fill, attrgetter(*names)
    return functions


def with_manifest(obj: T, manifest: Mapping[str, Any]) -> T:
    """Return a copy with another manifest that differs only in fields that are not read."""
    copy = copied(obj)
    copy.manifest = manifest
    return copy
