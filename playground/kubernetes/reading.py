"""Objects as clients read them: as they are stored, with what an API server always has."""

import base64
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet

from kubernetes_api import errors, selectors, tables
from kubernetes_api.resources import Resource, table
from playground.kubernetes import events
from playground.kubernetes.requests import Request
from playground.models import Cluster, ClusterObject
from scheduler_core.objects.kinds.core.namespace import BUILT_IN
from scheduler_core.objects.parsers.meta import derived_uid

Object = dict[str, Any]

NAMESPACES = table()["", "v1", "namespaces"]
MOST_AT_ONCE = 5_000
"""Objects of an answer; a client that wants more asks for pages."""
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
    if resource.kind == "Event":
        return next((each for each in events.of(cluster, key.partition("/")[0]) if _key(each) == key), None)
    row = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind, key=key).first()
    if row is None:
        return _built_in(cluster, key) if resource.kind == "Namespace" and key in BUILT_IN else None
    if row.manifest.get("apiVersion") != resource.api_version:
        return None
    return _served(cluster, resource, row.key, row.manifest, row.seq)


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


def listed(asked: Request, resource: Resource, namespace: str, *, as_rows: bool = True) -> Mapping[str, Any]:
    """A page of a list, as the client wants it: a List, a Table or only metadata."""
    matches = _matches(asked, resource)
    limit = asked.number("limit")
    # The version of the list is taken first: what is written while it is read is newer than it says.
    asked.cluster.refresh_from_db(fields=["revision"])
    version, after = str(max(asked.cluster.revision, 1)), _continue(asked.query("continue"))
    items: list[Object] = []
    more, remaining = "", 0
    counts = bool(limit) and not asked.query("labelSelector") and not asked.query("fieldSelector")
    for each in _all(asked.cluster, resource, namespace, after):
        if not matches(each):
            continue
        if limit and len(items) == limit:
            more = _token(version, _key(items[-1]))
            if not counts or resource.kind == "Event":
                break
            remaining = _rows(asked.cluster, resource, namespace).filter(key__gt=_key(items[-1])).count()
            break
        if len(items) == MOST_AT_ONCE:
            raise errors.too_large(f"there are more than {MOST_AT_ONCE} {resource.name}: ask for pages, with limit")
        items.append(each)
    metadata: Object = {"resourceVersion": version, **({"continue": more} if more else {})}
    if remaining:
        metadata["remainingItemCount"] = remaining
    kind = {"kind": f"{resource.kind}List", "apiVersion": resource.api_version}
    whole = {**kind, "metadata": metadata, "items": items}
    return shown(asked, resource, items, whole) if as_rows else whole


def shown(asked: Request, resource: Resource, items: list[Object], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """As the Accept header says; the first form that is known counts."""
    for each in asked.accept.split(","):
        words = {word.strip() for word in each.split(";")}
        if "as=Table" in words and "v=v1" in words:
            include = asked.query("includeObject") or "Metadata"
            return tables.table(resource, items, whole["metadata"] if "items" in whole else {}, _now(), include)
        if "as=PartialObjectMetadataList" in words:
            partial = [tables.partial(item) for item in items]
            head = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
            return {**head, "metadata": whole["metadata"], "items": partial}
        if "as=PartialObjectMetadata" in words:
            return tables.partial(whole)
        if "application/json" in words or "*/*" in words:
            break
    return whole


def _matches(asked: Request, resource: Resource) -> selectors.Match:
    label, of_field = asked.query("labelSelector"), asked.query("fieldSelector")
    try:
        by_label, by_field = selectors.labels(label), selectors.fields(of_field, resource.kind)
    except selectors.SelectorError as wrong:
        raise errors.bad_request(str(wrong)) from wrong
    return lambda value: by_label(value) and by_field(value)


def _all(cluster: Cluster, resource: Resource, namespace: str, after: str) -> Iterator[Object]:
    """In the order of their keys, from behind one on."""
    if resource.kind == "Event":
        found = sorted(events.of(cluster, namespace), key=_key)
        yield from (each for each in found if _key(each) > after)
        return
    rows = _rows(cluster, resource, namespace)
    built_in = [] if resource.kind != "Namespace" else sorted(name for name in BUILT_IN if name > after)
    stored = rows.filter(key__gt=after) if after else rows
    for row in stored.iterator(_BATCH):
        while built_in and built_in[0] <= row.key:
            name = built_in.pop(0)
            if name != row.key:
                yield _built_in(cluster, name)
        if row.manifest.get("apiVersion") == resource.api_version:
            yield _served(cluster, resource, row.key, row.manifest, row.seq)
    yield from (_built_in(cluster, name) for name in built_in)


def _rows(cluster: Cluster, resource: Resource, namespace: str) -> "QuerySet[ClusterObject]":
    rows = ClusterObject.objects.filter(cluster_id=cluster.pk, kind=resource.kind).order_by("key")
    return rows.filter(key__startswith=f"{namespace}/") if namespace else rows


def _served(cluster: Cluster, resource: Resource, key: str, stored: Mapping[str, Any], seq: int) -> Object:
    namespace, _, name = key.rpartition("/")
    metadata = dict(stored.get("metadata") or {})
    metadata.setdefault("uid", derived_uid(resource.kind, namespace, name))
    metadata.setdefault("creationTimestamp", cluster.created.strftime("%Y-%m-%dT%H:%M:%SZ"))
    metadata["name"], metadata["resourceVersion"] = name, str(max(seq, 1))
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


def _built_in(cluster: Cluster, name: str) -> Object:
    labels = {"kubernetes.io/metadata.name": name}
    stored = {"metadata": {"labels": labels}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    return _served(cluster, NAMESPACES, name, stored, 1)


def _key(value: Mapping[str, Any]) -> str:
    metadata = value["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else str(metadata["name"])


def _now() -> datetime:
    return datetime.now(UTC)


def _token(version: str, start: str) -> str:
    written = json.dumps({"v": "meta.k8s.io/v1", "rv": int(version), "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(written.encode()).decode().rstrip("=")


def _continue(written: str) -> str:
    """The key after which a list goes on."""
    if not written:
        return ""
    try:
        found = json.loads(base64.urlsafe_b64decode(written[:2000] + "=" * (-len(written) % 4)))
        return str(found["start"])
    except (ValueError, KeyError, TypeError) as broken:
        raise errors.bad_request("continue key is not valid") from broken
