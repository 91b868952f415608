"""The resources that are served: names and scope from `kube_objects`, the rest from `data/resources.json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kube_apiserver.custom.schemas import Structural
from kube_objects.kinds.api_names import API_NAMES, ApiNames
from kube_objects.kinds.kept import kind_of_uid

_DATA = Path(__file__).with_name("data")
VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")

# Source: the prerelease-lifecycle of the types.
_DEPRECATED = {
    "ComponentStatus": "v1 ComponentStatus is deprecated in v1.19+",
    "Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}


@dataclass(frozen=True, slots=True)
class Custom:
    """What a CustomResourceDefinition says of its kind.

    `paths`: where the columns behind the name are found. `stored`: the version that is stored, None for itself.
    `scale`: where its Scale has its numbers; `selectable`: paths of fields that lists can be chosen by.
    """

    schema: Structural
    paths: Sequence[str]
    has_status: bool
    stored: "Resource | None" = None
    scale: Mapping[str, str] | None = None
    selectable: Sequence[str] = ()
    deprecation: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind as the API serves it. `columns` are those of its Table, `doors` its subresources.

    `kind` is what objects are kept by: see `manifest_kind`.
    """

    group: str
    version: str
    name: str
    singular: str
    kind: str
    namespaced: bool
    short_names: Sequence[str]
    categories: Sequence[str]
    columns: Sequence[Mapping[str, Any]]
    verbs: Sequence[str] = VERBS
    doors: Sequence[Mapping[str, Any]] = ()
    storage_hash: str = ""
    custom: Custom | None = None

    @property
    def manifest_kind(self) -> str:
        """As clients know it: kinds of clients are kept with their groups behind them."""
        return self.kind.partition(".")[0]

    @property
    def kind_of_uid(self) -> str:
        """What the uids of objects that bring none are made of."""
        return kind_of_uid(self.kind)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As errors name it: `deployments.apps`."""
        return f"{self.name}.{self.group}" if self.group else self.name

    @property
    def deprecation(self) -> str:
        """What every answer about it warns of; "" for nothing."""
        return self.custom.deprecation if self.custom else _DEPRECATED.get(self.kind, "")

    @property
    def path(self) -> str:
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"


@cache
def table() -> Mapping[tuple[str, str, str], Resource]:
    """(group, version, plural) → the resource."""
    written = json.loads((_DATA / "resources.json").read_text(encoding="utf-8"))["resources"]
    found = (
        Resource(
            group=names.group,
            version=names.version,
            name=names.plural,
            singular=names.singular,
            kind=names.kind,
            namespaced=names.namespaced,
            short_names=names.short_names,
            categories=names.categories,
            columns=tuple(each["columns"]),
            verbs=tuple(each["verbs"]),
            doors=tuple(each.get("doors", ())),
            storage_hash=each.get("hash", ""),
        )
        for names, each in ((_names(each), each) for each in written)
    )
    return {(each.group, each.version, each.name): each for each in found}


def _names(written: Mapping[str, str]) -> ApiNames:
    group, version = written["group"], written["version"]
    return API_NAMES[f"{group}/{version}" if group else version, written["kind"]]


def group_versions(custom: Sequence[Resource] = ()) -> Iterator[tuple[str, str]]:
    """Each once, in the table's order, then those of kinds that clients registered; the core group is ""."""
    yield from dict.fromkeys((each.group, each.version) for each in (*table().values(), *custom))


def of_version(group: str, version: str, custom: Sequence[Resource] = ()) -> Sequence[Resource]:
    return [each for each in (*table().values(), *custom) if (each.group, each.version) == (group, version)]


def by_version(custom: Sequence[Resource] = ()) -> Mapping[tuple[str, str], Sequence[Resource]]:
    """Return the resources of each group and version, in the order of `group_versions`."""
    resources: dict[tuple[str, str], list[Resource]] = {}
    for resource in (*table().values(), *custom):
        resources.setdefault((resource.group, resource.version), []).append(resource)
    return resources


def by_kind(kind: str) -> Resource:
    """The first of its kind: a core one before those of other groups. KeyError."""
    for each in table().values():
        if each.kind == kind:
            return each
    raise KeyError(kind)
