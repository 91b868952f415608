"""The kinds that clients registered with a cluster."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.custom import definitions, naming
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, by_kind, table
from kube_apiserver.writes import decode
from playground.kubernetes import reading
from playground.models import Cluster, ClusterObject

Key = tuple[str, str, str]
_DEFINITIONS = by_kind(definitions.KIND)


def served(cluster: Cluster) -> Sequence[Resource]:
    """The resources that its CustomResourceDefinitions make."""
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=definitions.KIND)
    found = tuple(rows.order_by("key").values_list("key", "seq"))
    return _made(cluster.pk, found) if found else ()


def find(cluster: Cluster, key: Key) -> Resource | None:
    """By group, version and plural name; no row is read for kinds that every server has."""
    known = table().get(key)
    if known is not None:
        return known
    return next((each for each in served(cluster) if (each.group, each.version, each.name) == key), None)


def resource_of(cluster: Cluster, definition: Mapping[str, Any]) -> Resource | None:
    name = definition["metadata"]["name"]
    return next((each for each in served(cluster) if each.qualified == name), None)


def objects_of(cluster: Cluster, definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All objects of its kind: they go with it."""
    resource = resource_of(cluster, definition)
    return [] if resource is None else list(reading.all_of(cluster, conversion.stored(resource), ""))


def definition_of(cluster: Cluster, resource: Resource) -> dict[str, Any] | None:
    """The definition that makes it; None for what every server has."""
    return None if resource.custom is None else reading.manifest(cluster, _DEFINITIONS, resource.qualified)


def definitions_of(cluster: Cluster) -> list[dict[str, Any]]:
    return reading.World(cluster).list(definitions.KIND)


def freed(cluster: Cluster, definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Other definitions as they are when this one is gone: those that get names which it had."""
    left = [each for each in definitions_of(cluster) if each["metadata"]["name"] != definition["metadata"]["name"]]
    found = []
    for number, each in enumerate(left):
        if not naming.is_established(each) and (now := naming.with_accepted_names(each, left)) != each:
            left[number] = now
            found.append(now)
    return found


@lru_cache(maxsize=32)
def _made(cluster_id: int, versions: tuple[tuple[str, int], ...]) -> Sequence[Resource]:
    """As the definitions were when they had these versions."""
    keys = [key for key, _ in versions]
    rows = ClusterObject.objects.filter(cluster_id=cluster_id, kind=definitions.KIND, key__in=keys).order_by("key")
    return definitions.resources(_named(row.key, row.manifest) for row in rows if _fits(row.manifest))


def _fits(manifest: Mapping[str, Any]) -> bool:
    """Whether it has the form of a definition: what was imported may have any."""
    try:
        decode.decoded(_DEFINITIONS, dict(manifest))
    except ApiError:
        return False
    return True


def _named(key: str, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**manifest, "metadata": {**(manifest.get("metadata") or {}), "name": key}}
