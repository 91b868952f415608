"""Reads of objects for API clients: stored objects and built-in ones, completed as an API server returns them."""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from kube_apiserver import bootstrap, built_in, errors, pod_fields, roles
from kube_apiserver.admission import resource_quota
from kube_apiserver.custom import definitions
from kube_apiserver.resources import Resource, table
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import codec
from kube_objects.parsers.meta import derived_uid
from playground.kubernetes import api_clock, event_objects, resource_versions
from playground.models import Cluster, ClusterObject
from playground.models.states import ObjectRow, as_rows

Object = dict[str, Any]

NAMESPACES = table()["", "v1", "namespaces"]
_BATCH = 500
_BEGINNING = api_clock.beginning().strftime(TIME_FORMAT)


def manifest(cluster: Cluster, resource: Resource, key: str) -> Object | None:
    """Return one object, or None."""
    row = ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=resource.kind, key=key)
    if row is None and resource.kind == "Event":
        return next(
            (each for each in event_objects.read_newest_events(cluster, key.partition("/")[0]) if key_of(each) == key),
            None,
        )
    if row is None:
        return _built_in(cluster, resource, key)
    return _object_of_row(cluster, resource, row)


def is_written(cluster: Cluster, resource: Resource, key: str) -> bool:
    """Return True if the object is stored. Built-in objects and Events of components are served without a row."""
    return ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=resource.kind, key=key) is not None


def object_at(cluster: Cluster, resource: Resource, key: str, stored: Object | None, seq: int) -> Object | None:
    """Return an object as a record stored it, or None if it did not exist."""
    if stored is None:
        return _built_in(cluster, resource, key)
    if stored.get("apiVersion") != resource.api_version:
        return None
    # Events of the scheduler and the controllers are complete. Events of clients are stored like other objects.
    is_whole = resource.kind == "Event" and "resourceVersion" in stored["metadata"]
    return stored if is_whole else _complete_object(resource, key, stored, seq)


def refresh_revision(cluster: Cluster) -> int:
    """Return the number of the last record, after refreshing the cluster's row."""
    cluster.refresh_from_db(fields=["revision", "t", "watched_since"])
    return cluster.revision


def get_or_not_found(cluster: Cluster, resource: Resource, key: str, name: str) -> Object:
    value = manifest(cluster, resource, key)
    if value is None:
        raise errors.not_found(resource, name)
    return value


def all_of(cluster: Cluster, resource: Resource, namespace: str, after: str = "") -> Iterator[Object]:
    """Yield the objects of a resource ordered by key, after the key `after`."""
    rows = rows_of(cluster, resource, namespace)
    newer = rows.filter(key__gt=after) if after else rows
    stored = _with_built_in(cluster, resource, namespace, as_rows(newer).iterator(_BATCH), after)
    if resource.kind == "Event":
        generated = sorted(
            (each for each in event_objects.read_newest_events(cluster, namespace) if key_of(each) > after), key=key_of
        )
        yield from heapq.merge(stored, generated, key=key_of)
    else:
        yield from stored


def _with_built_in(
    cluster: Cluster, resource: Resource, namespace: str, rows: Iterable[ObjectRow], after: str = ""
) -> Iterator[Object]:
    """Yield the objects of these rows and, in order of keys, the built-in objects that are not stored."""
    known = _known(cluster, resource)
    waiting = sorted(key for key in known if key > after and key.startswith(f"{namespace}/" if namespace else ""))
    for row in rows:
        while waiting and waiting[0] <= row[0]:
            first = waiting.pop(0)
            if first != row[0]:
                yield _with_current_status(cluster, resource, _complete_object(resource, first, known[first], 0))
        value = _object_of_row(cluster, resource, row)
        if value is not None:
            yield value
    yield from (
        _with_current_status(cluster, resource, _complete_object(resource, key, known[key], 0)) for key in waiting
    )


def _object_of_row(cluster: Cluster, resource: Resource, row: ObjectRow) -> Object | None:
    """Return the object of a row, or None if it belongs to another API version."""
    key, text, seq = row
    stored = json.loads(text)
    if stored.get("apiVersion") != resource.api_version:
        return None
    return _with_current_status(cluster, resource, _complete_object(resource, key, stored, seq))


def rows_of(cluster: Cluster, resource: Resource, namespace: str) -> "QuerySet[ClusterObject]":
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind).order_by("key")
    return rows.filter(key__startswith=f"{namespace}/") if namespace else rows


def _complete_object(resource: Resource, key: str, stored: Mapping[str, Any], seq: int) -> Object:
    namespace, _, name = key.rpartition("/")
    metadata = dict(stored.get("metadata") or {})
    if "uid" not in metadata:
        metadata["uid"] = derived_uid(resource.kind_of_uid, namespace, name)
    metadata.setdefault("creationTimestamp", _BEGINNING)
    metadata["name"], metadata["resourceVersion"] = name, str(resource_versions.object_version(seq, resource.kind, key))
    if namespace:
        metadata["namespace"] = namespace
    # An API server writes the fields in this order.
    of_kind = {"kind": resource.manifest_kind, "apiVersion": resource.api_version}
    head = {**of_kind, "metadata": codec.metadata_in_order(metadata)}
    # Objects from an import or the UI may lack fields that an API server always writes.
    value = codec.with_go_parts(resource, {**head, **{name: part for name, part in stored.items() if name not in head}})
    if resource.kind == "Pod":
        value["spec"], value["status"] = pod_fields.pod_spec(value), pod_fields.pod_status(value)
    return definitions.with_status(value) if resource.kind == definitions.KIND else value


@dataclass(frozen=True, slots=True)
class StoredClusterReader:
    """The cluster reader for kube_apiserver.admission, which implements its protocol `ClusterReader`."""

    cluster: Cluster

    def get(self, kind: str, name: str, namespace: str = "") -> Object | None:
        return manifest(self.cluster, self._resource(kind), f"{namespace}/{name}" if namespace else name)

    def list(self, kind: str, namespace: str = "") -> list[Object]:
        resource = self._resource(kind)
        prefix = f"{namespace}/" if namespace else ""
        rows = ClusterObject.objects.select_by_prefix(cluster_id=self.cluster.pk, kind=kind, prefix=prefix)
        return list(_with_built_in(self.cluster, resource, namespace, rows))

    def _resource(self, kind: str) -> Resource:
        return definitions.stored(kind, lambda: self.list(definitions.KIND))


def _with_current_status(cluster: Cluster, resource: Resource, found: Object) -> Object:
    """Return the object with a status that controllers would write soon: names of a definition, use of a quota, rules
    of an aggregated role.

    Only a definition's names are updated without controllers.
    """
    if resource.kind == definitions.KIND:
        return definitions.with_names(
            found,
            lambda: [
                _complete_object(resource, key, json.loads(text), seq)
                for key, text, seq in as_rows(rows_of(cluster, resource, ""))
            ],
        )
    if not cluster.actors:
        return found
    if resource.kind == "ResourceQuota":
        return {**found, "status": _spending(cluster, found).status}
    if resource.kind == "ClusterRole" and roles.is_aggregated(found):
        return dict(roles.aggregate_rules(found, _all_roles(cluster, resource)))
    return found


def _spending(cluster: Cluster, quota: Object) -> resource_quota.Spending:
    """Return the use of a quota, including kinds of custom resources."""
    counted: dict[str, str] = {}
    for name in (quota.get("spec") or {}).get("hard") or ():
        kind = (
            _kind_of(cluster, name.removeprefix(resource_quota.COUNT)) if name.startswith(resource_quota.COUNT) else ""
        )
        if kind and not resource_quota.is_known(kind):
            counted[kind] = name

    def objects(kind: str, namespace: str) -> list[Object]:
        if not resource_quota.is_known(kind):
            rows = ClusterObject.objects.select_by_prefix(cluster_id=cluster.pk, kind=kind, prefix=f"{namespace}/")
            return [json.loads(text) for _, text, _ in rows]
        return StoredClusterReader(cluster).list(kind, namespace)

    return resource_quota.spending(quota, objects, counted)


def _kind_of(cluster: Cluster, qualified: str) -> str:
    """Return the kind under which the objects of a resource are stored, or "" if quotas don't count it."""
    for resource in table().values():
        if resource.qualified == qualified:
            return resource.kind if resource.namespaced and resource.kind != "Event" else ""
    row = ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=definitions.KIND, key=qualified)
    return definitions.kept_by(json.loads(row[1])) if row else ""


def _all_roles(cluster: Cluster, resource: Resource) -> list[Object]:
    """Return all roles of the cluster, stored and built in, before aggregation."""
    written = {key: json.loads(text) for key, text, _ in as_rows(rows_of(cluster, resource, ""))}
    manifests = {**bootstrap.objects_of(resource.kind), **written}
    return [{**role, "metadata": {**(role.get("metadata") or {}), "name": key}} for key, role in manifests.items()]


def _built_in(cluster: Cluster, resource: Resource, key: str) -> Object | None:
    """Return a built-in object that is not stored, or None."""
    stored = _known(cluster, resource).get(key)
    return (
        None if stored is None else _with_current_status(cluster, resource, _complete_object(resource, key, stored, 0))
    )


def _known(cluster: Cluster, resource: Resource) -> Mapping[str, Mapping[str, Any]]:
    """Return the built-in objects by key.

    They include an IPAddress per Service address, and with controllers the objects that these create in each namespace.
    """
    if resource.kind == bootstrap.DERIVED:
        services = as_rows(rows_of(cluster, table()["", "v1", "services"], ""))
        return {
            **bootstrap.objects_of(resource.kind),
            **bootstrap.addresses((key, json.loads(text)) for key, text, _ in services),
        }
    if resource.kind not in built_in.OF_NAMESPACES or not cluster.actors:
        return bootstrap.objects_of(resource.kind)
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind="Namespace")
    return bootstrap.namespace_objects(resource.kind, rows.values_list("key", flat=True))


def is_recreated(cluster: Cluster, resource: Resource, key: str) -> bool:
    """Return True if a deleted object is recreated at once, because it is built in or controllers create it."""
    return key in _known(cluster, resource)


def key_of(value: Mapping[str, Any]) -> str:
    metadata = value["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])
