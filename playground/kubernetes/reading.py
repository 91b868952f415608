"""Objects as clients read them: as they are stored, with what an API server always has."""

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from kube_apiserver import bootstrap, errors, roles
from kube_apiserver.admission import resource_quota
from kube_apiserver.custom import definitions
from kube_apiserver.reads import pod_fields
from kube_apiserver.resources import Resource, table
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import codec
from kube_objects.parsers.meta import derived_uid
from playground.kubernetes import clock, events, versions
from playground.models import Cluster, ClusterObject
from playground.models.states import ObjectRow, as_rows

Object = dict[str, Any]

NAMESPACES = table()["", "v1", "namespaces"]
_BATCH = 500
_BEGINNING = clock.beginning().strftime(TIME_FORMAT)


def manifest(cluster: Cluster, resource: Resource, key: str) -> Object | None:
    """One object, or None."""
    row = ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=resource.kind, key=key)
    if row is None and resource.kind == "Event":
        return next((each for each in events.of(cluster, key.partition("/")[0]) if key_of(each) == key), None)
    if row is None:
        return _built_in(cluster, resource, key)
    return _whole(cluster, resource, row)


def is_written(cluster: Cluster, resource: Resource, key: str) -> bool:
    """Whether somebody has written it: what every control plane has, and the Events of its parts, is served anyway."""
    return ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=resource.kind, key=key) is not None


def at(cluster: Cluster, resource: Resource, key: str, stored: Object | None, seq: int) -> Object | None:
    """An object as it was stored by a record; None for one that was not there."""
    if stored is None:
        return _built_in(cluster, resource, key)
    if stored.get("apiVersion") != resource.api_version:
        return None
    # Events of the scheduler and the controllers are made whole; those of clients are stored as all objects are.
    is_whole = resource.kind == "Event" and "resourceVersion" in stored["metadata"]
    return stored if is_whole else _served(resource, key, stored, seq)


def last(cluster: Cluster) -> int:
    """The last record, now."""
    cluster.refresh_from_db(fields=["revision", "t", "watched_since"])
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
        found = sorted((each for each in events.of(cluster, namespace) if key_of(each) > after), key=key_of)
        yield from heapq.merge(stored, found, key=key_of)
    else:
        yield from stored


def _stored(cluster: Cluster, resource: Resource, namespace: str, after: str) -> Iterator[Object]:
    rows = rows_of(cluster, resource, namespace)
    found = rows.filter(key__gt=after) if after else rows
    yield from _with_built_in(cluster, resource, namespace, as_rows(found).iterator(_BATCH), after)


def _with_built_in(
    cluster: Cluster, resource: Resource, namespace: str, rows: Iterable[ObjectRow], after: str = ""
) -> Iterator[Object]:
    """The objects of these rows, and in their places those that nobody has written."""
    known = _known(cluster, resource)
    waiting = sorted(key for key in known if key > after and key.startswith(f"{namespace}/" if namespace else ""))
    for row in rows:
        while waiting and waiting[0] <= row[0]:
            first = waiting.pop(0)
            if first != row[0]:
                yield _counted(cluster, resource, _served(resource, first, known[first], 0))
        found = _whole(cluster, resource, row)
        if found is not None:
            yield found
    yield from (_counted(cluster, resource, _served(resource, key, known[key], 0)) for key in waiting)


def _whole(cluster: Cluster, resource: Resource, row: ObjectRow) -> Object | None:
    """The object of a row; None for one of another kind of this name."""
    key, text, seq = row
    stored = json.loads(text)
    if stored.get("apiVersion") != resource.api_version:
        return None
    return _counted(cluster, resource, _served(resource, key, stored, seq))


def rows_of(cluster: Cluster, resource: Resource, namespace: str) -> "QuerySet[ClusterObject]":
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind).order_by("key")
    return rows.filter(key__startswith=f"{namespace}/") if namespace else rows


def _served(resource: Resource, key: str, stored: Mapping[str, Any], seq: int) -> Object:
    namespace, _, name = key.rpartition("/")
    metadata = dict(stored.get("metadata") or {})
    if "uid" not in metadata:
        metadata["uid"] = derived_uid(resource.kind_of_uid, namespace, name)
    metadata.setdefault("creationTimestamp", _BEGINNING)
    metadata["name"], metadata["resourceVersion"] = name, str(versions.of(seq, resource.kind, key))
    if namespace:
        metadata["namespace"] = namespace
    # In the order in which an API server writes them.
    of_kind = {"kind": resource.manifest_kind, "apiVersion": resource.api_version}
    head = {**of_kind, "metadata": codec.metadata_in_order(metadata)}
    # An object of an import or of the page may lack parts that an API server always writes.
    found = codec.with_go_parts(resource, {**head, **{name: part for name, part in stored.items() if name not in head}})
    if resource.kind == "Pod":
        found["spec"], found["status"] = pod_fields.pod_spec(found), pod_fields.pod_status(found)
    return definitions.with_status(found) if resource.kind == definitions.KIND else found


@dataclass(frozen=True, slots=True)
class World:
    """The `ClusterReader` of kube_apiserver.admission: what its rules look at besides the object that is written."""

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


def _counted(cluster: Cluster, resource: Resource, found: Object) -> Object:
    """What controllers write soon, as it is at each moment: a server's own say which names a definition gets; where
    others are at work a quota's status says what is used, a role made of others has their rules.
    """
    if resource.kind == definitions.KIND:
        return definitions.with_names(
            found,
            lambda: [
                _served(resource, key, json.loads(text), seq)
                for key, text, seq in as_rows(rows_of(cluster, resource, ""))
            ],
        )
    if not cluster.actors:
        return found
    if resource.kind == "ResourceQuota":
        return {**found, "status": _spending(cluster, found).status}
    if resource.kind == "ClusterRole" and roles.is_made_of_others(found):
        return dict(roles.aggregated(found, _all_roles(cluster, resource)))
    return found


def _spending(cluster: Cluster, quota: Object) -> resource_quota.Spending:
    """What of a quota is used, kinds of clients included."""
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
        return World(cluster).list(kind, namespace)

    return resource_quota.spending(quota, objects, counted)


def _kind_of(cluster: Cluster, qualified: str) -> str:
    """By which the objects of a resource are kept, "" where none is counted."""
    for each in table().values():
        if each.qualified == qualified:
            return each.kind if each.namespaced and each.kind != "Event" else ""
    row = ClusterObject.objects.find_row(cluster_id=cluster.pk, kind=definitions.KIND, key=qualified)
    return definitions.kept_by(json.loads(row[1])) if row else ""


def _all_roles(cluster: Cluster, resource: Resource) -> list[Object]:
    """Those of the whole cluster, as they are written."""
    written = {key: json.loads(text) for key, text, _ in as_rows(rows_of(cluster, resource, ""))}
    found = {**bootstrap.objects_of(resource.kind), **written}
    return [{**each, "metadata": {**(each.get("metadata") or {}), "name": key}} for key, each in found.items()]


def _built_in(cluster: Cluster, resource: Resource, key: str) -> Object | None:
    """What every control plane has, as long as nobody has written it."""
    found = _known(cluster, resource).get(key)
    return None if found is None else _counted(cluster, resource, _served(resource, key, found, 0))


def _known(cluster: Cluster, resource: Resource) -> Mapping[str, Mapping[str, Any]]:
    """Key → object. Each address of a Service is one; where controllers are at work, they give to each namespace."""
    if resource.kind == bootstrap.DERIVED:
        services = as_rows(rows_of(cluster, table()["", "v1", "services"], ""))
        return {
            **bootstrap.objects_of(resource.kind),
            **bootstrap.addresses((key, json.loads(text)) for key, text, _ in services),
        }
    if not bootstrap.is_in_namespaces(resource.kind) or not cluster.actors:
        return bootstrap.objects_of(resource.kind)
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind="Namespace")
    return bootstrap.namespace_objects(resource.kind, rows.values_list("key", flat=True))


def comes_again(cluster: Cluster, resource: Resource, key: str) -> bool:
    """Whether who deletes it has it again at once: all that is there from the start, and what controllers give."""
    return key in _known(cluster, resource)


def key_of(value: Mapping[str, Any]) -> str:
    metadata = value["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])
