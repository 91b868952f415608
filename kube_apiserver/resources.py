"""The resources that the API serves: names and scope from `kube_objects`, the rest from `data/resources.json`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kube_objects.kinds.api_names import API_NAMES, ApiNames
from kube_objects.kinds.storage_kind import kind_of_uid

if TYPE_CHECKING:
    # At run time this would import the library for CEL expressions, which few commands need.
    from kube_apiserver.custom.schemas import Structural

_DATA = Path(__file__).with_name("data")
VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")

# Source: the prerelease-lifecycle of the types.
_DEPRECATED = {
    "ComponentStatus": "v1 ComponentStatus is deprecated in v1.19+",
    "Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}


@dataclass(frozen=True, slots=True)
class Custom:
    """The properties of a custom resource from its CustomResourceDefinition.

    `paths` are the JSONPaths of the columns after the name. `stored` is the stored version, None for this one.

    `scale` has the JSONPaths of its Scale; `selectable` the paths of fields for field selectors.
    """

    schema: "Structural"
    paths: Sequence[str]
    has_status: bool
    stored: "Resource | None" = None
    scale: Mapping[str, str] | None = None
    selectable: Sequence[str] = ()
    deprecation: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that the API serves, with the columns of its Table.

    `kind` is the kind under which objects are stored: see `manifest_kind`.
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
    subresources: Sequence[Mapping[str, Any]] = ()
    storage_hash: str = ""
    custom: Custom | None = None

    @property
    def manifest_kind(self) -> str:
        """Return the kind in manifests. The stored kind of a custom resource has its group as a suffix."""
        return self.kind.partition(".")[0]

    @property
    def kind_of_uid(self) -> str:
        """Return the kind from which the server derives the UIDs of objects that have none."""
        return kind_of_uid(self.kind)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """Return the name in error messages: `deployments.apps`."""
        return f"{self.name}.{self.group}" if self.group else self.name

    @property
    def deprecation(self) -> str:
        """Return the deprecation warning of every response, or ""."""
        return self.custom.deprecation if self.custom else _DEPRECATED.get(self.kind, "")

    @property
    def path(self) -> str:
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"


@cache
def table() -> Mapping[tuple[str, str, str], Resource]:
    """Return (group, version, plural) → resource."""
    written = json.loads((_DATA / "resources.json").read_text(encoding="utf-8"))["resources"]
    resources = (
        Resource(
            group=names.group,
            version=names.version,
            name=names.plural,
            singular=names.singular,
            kind=names.kind,
            namespaced=names.namespaced,
            short_names=names.short_names,
            categories=names.categories,
            columns=tuple(entry["columns"]),
            verbs=tuple(entry["verbs"]),
            subresources=tuple(entry.get("doors", ())),
            storage_hash=entry.get("hash", ""),
        )
        for names, entry in ((_names(entry), entry) for entry in written)
    )
    return {(each.group, each.version, each.name): each for each in resources}


def _names(written: Mapping[str, str]) -> ApiNames:
    group, version = written["group"], written["version"]
    return API_NAMES[f"{group}/{version}" if group else version, written["kind"]]


def group_versions(custom: Sequence[Resource] = ()) -> Iterator[tuple[str, str]]:
    """Yield each group and version once, in the table's order, then those of custom resources. The core group is ""."""
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
    """Return the first resource of a kind, with the core group before others, or raise KeyError."""
    for each in table().values():
        if each.kind == kind:
            return each
    raise KeyError(kind)
