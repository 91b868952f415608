"""The custom resources of a cluster: the resources that its CustomResourceDefinitions serve."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_apiserver import conversion
from kube_apiserver.custom import definitions, naming
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, by_kind, table
from kube_apiserver.writes import decode
from playground.kubernetes import object_reads
from playground.models import Cluster, ClusterObject

Key = tuple[str, str, str]
_DEFINITIONS = by_kind(definitions.KIND)


def served_resources(cluster: Cluster) -> Sequence[Resource]:
    """Return the resources that the cluster's CustomResourceDefinitions serve."""
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=definitions.KIND)
    keys_and_versions = tuple(rows.order_by("key").values_list("key", "seq"))
    return _make_resources(cluster.pk, keys_and_versions) if keys_and_versions else ()


def find(cluster: Cluster, key: Key) -> Resource | None:
    """Return a resource by group, version and plural name, or None. Built-in resources need no read."""
    known = table().get(key)
    if known is not None:
        return known
    return next((each for each in served_resources(cluster) if (each.group, each.version, each.name) == key), None)


def resource_of(cluster: Cluster, definition: Mapping[str, Any]) -> Resource | None:
    name = definition["metadata"]["name"]
    return next((each for each in served_resources(cluster) if each.qualified == name), None)


def objects_of(cluster: Cluster, definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all objects of the definition's kind, which are deleted together with the definition."""
    resource = resource_of(cluster, definition)
    return [] if resource is None else list(object_reads.all_of(cluster, conversion.stored(resource), ""))


def definition_of(cluster: Cluster, resource: Resource) -> dict[str, Any] | None:
    """Return the definition of a custom resource, or None for a built-in one."""
    return None if resource.custom is None else object_reads.manifest(cluster, _DEFINITIONS, resource.qualified)


def definitions_of(cluster: Cluster) -> list[dict[str, Any]]:
    return object_reads.StoredClusterReader(cluster).list(definitions.KIND)


def freed(cluster: Cluster, definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the definitions that get names which `definition` had, with their new status."""
    left = [other for other in definitions_of(cluster) if other["metadata"]["name"] != definition["metadata"]["name"]]
    changed = []
    for number, other in enumerate(left):
        if not naming.is_established(other) and (now := naming.with_accepted_names(other, left)) != other:
            left[number] = now
            changed.append(now)
    return changed


@lru_cache(maxsize=32)
def _make_resources(cluster_id: int, versions: tuple[tuple[str, int], ...]) -> Sequence[Resource]:
    """Return the resources of the definitions with these versions. The versions are part of the key of the cache."""
    keys = [key for key, _ in versions]
    rows = ClusterObject.objects.filter(cluster_id=cluster_id, kind=definitions.KIND, key__in=keys).order_by("key")
    return definitions.resources(_named(row.key, row.manifest) for row in rows if _fits(row.manifest))


def _fits(manifest: Mapping[str, Any]) -> bool:
    """Return True if a manifest is a valid definition. Imported ones are not checked before."""
    try:
        decode.decoded(_DEFINITIONS, dict(manifest))
    except ApiError:
        return False
    return True


def _named(key: str, manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**manifest, "metadata": {**(manifest.get("metadata") or {}), "name": key}}
