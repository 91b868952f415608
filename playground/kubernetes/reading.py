"""Objects as clients read them: as they are stored, with what an API server always has."""

import heapq
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from kubernetes_api import built_in, errors
from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.resources import Resource, table
from playground.kubernetes import clock, events, versions
from playground.models import Cluster, ClusterObject
from scheduler_core.objects.parsers.meta import derived_uid

Object = dict[str, Any]

NAMESPACES = table()["", "v1", "namespaces"]
_BATCH = 500
_METADATA = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)


def manifest(cluster: Cluster, resource: Resource, key: str) -> Object | None:
    """One object, or None."""
    row = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind, key=key).first()
    if row is None and resource.kind == "Event":
        return next((each for each in events.of(cluster, key.partition("/")[0]) if key_of(each) == key), None)
    if row is None:
        return _built_in(resource, key) if key in built_in.of(resource.kind) else None
    if row.manifest.get("apiVersion") != resource.api_version:
        return None
    return _served(resource, row.key, row.manifest, row.seq)


def at(cluster: Cluster, resource: Resource, key: str, stored: Object | None, seq: int) -> Object | None:
    """An object as it was stored by a record; None for one that was not there."""
    if stored is None:
        return _built_in(resource, key) if key in built_in.of(resource.kind) else None
    if stored.get("apiVersion") != resource.api_version:
        return None
    # Events of the scheduler and the controllers are made whole; those of clients are stored as all objects are.
    return stored if "resourceVersion" in stored["metadata"] else _served(resource, key, stored, seq)


def last(cluster: Cluster) -> int:
    """The last record, now."""
    cluster.refresh_from_db(fields=["revision", "t"])
    return cluster.revision


def one(cluster: Cluster, resource: Resource, key: str, name: str) -> Object:
    found = manifest(cluster, resource, key)
    if found is None:
        raise errors.not_found(resource, name)
    return found


def inside(cluster: Cluster, namespace: str) -> list[dict[str, str]]:
    """References to all objects of a namespace."""
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, key__startswith=f"{namespace}/")
    found = rows.values_list("kind", "key")
    return [{"kind": kind, "namespace": namespace, "name": key.partition("/")[2]} for kind, key in found]


def all_of(cluster: Cluster, resource: Resource, namespace: str, after: str = "") -> Iterator[Object]:
    """In the order of their keys, from behind one on."""
    stored = _stored(cluster, resource, namespace, after)
    if resource.kind == "Event":
        told = sorted((each for each in events.of(cluster, namespace) if key_of(each) > after), key=key_of)
        yield from heapq.merge(stored, told, key=key_of)
    else:
        yield from stored


def _stored(cluster: Cluster, resource: Resource, namespace: str, after: str) -> Iterator[Object]:
    rows = rows_of(cluster, resource, namespace)
    known = built_in.of(resource.kind)
    waiting = sorted(key for key in known if key > after and key.startswith(f"{namespace}/" if namespace else ""))
    found = rows.filter(key__gt=after) if after else rows
    for row in found.iterator(_BATCH):
        while waiting and waiting[0] <= row.key:
            key = waiting.pop(0)
            if key != row.key:
                yield _built_in(resource, key)
        if row.manifest.get("apiVersion") == resource.api_version:
            yield _served(resource, row.key, row.manifest, row.seq)
    yield from (_built_in(resource, key) for key in waiting)


def rows_of(cluster: Cluster, resource: Resource, namespace: str) -> "QuerySet[ClusterObject]":
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind).order_by("key")
    return rows.filter(key__startswith=f"{namespace}/") if namespace else rows


def _served(resource: Resource, key: str, stored: Mapping[str, Any], seq: int) -> Object:
    namespace, _, name = key.rpartition("/")
    metadata = dict(stored.get("metadata") or {})
    metadata.setdefault("uid", derived_uid(resource.kind, namespace, name))
    metadata.setdefault("creationTimestamp", clock.beginning().strftime(TIME_FORMAT))
    metadata["name"], metadata["resourceVersion"] = name, versions.of(seq)
    if namespace:
        metadata["namespace"] = namespace
    # In the order in which an API server writes them.
    head = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": _in_order(metadata)}
    found = {**head, **{name: part for name, part in stored.items() if name not in head}}
    if resource.kind == "Pod":
        # What came by import or from the page may lack what an API server writes at once.
        found["status"] = {"phase": "Pending", **(stored.get("status") or {})}
    return found


def _in_order(metadata: Object) -> Object:
    return {name: metadata[name] for name in _METADATA if name in metadata} | {
        name: part for name, part in metadata.items() if name not in _METADATA
    }


def _built_in(resource: Resource, key: str) -> Object:
    """What every control plane has, as long as nobody has written it."""
    return _served(resource, key, built_in.of(resource.kind)[key], 0)


def key_of(value: Mapping[str, Any]) -> str:
    metadata = value["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])
