"""Objects by kind and key, their manifests by page, and all of them as one List."""

from collections.abc import Collection
from typing import Any, NotRequired, TypedDict

from django.db.models import Q, QuerySet

from kube_objects.kinds.storage_kind import OWN_GROUPS
from playground.models import ClusterObject
from playground.response_types import Anything
from playground.store.versions import pods_at
from simulator.exchange.applicable import applicable, count_ended_pods, left_out_comment


class ObjectEntry(TypedDict):
    kind: str
    key: str
    node: NotRequired[str | None]
    lane: NotRequired[str]


class Objects(TypedDict):
    total: int
    objects: list[ObjectEntry]


class SourceObject(TypedDict):
    kind: str
    key: str
    manifest: Anything


class SourcePage(TypedDict):
    total: int
    offset: int
    objects: list[SourceObject]
    own: list[str]


class Source(SourcePage):
    revision: int


class _PodPlace(TypedDict):
    node: str | None
    lane: str


def list_objects(
    cluster_id: int, kind: str, search: str, offset: int, limit: int, hidden: Collection[str] = ()
) -> Objects:
    """Return the objects whose key contains `search`, of one kind if `kind` is not "", and of no `hidden` kind."""
    objects = _visible_objects(cluster_id, hidden)
    if kind:
        objects = objects.filter(kind=kind)
    if search:
        objects = objects.filter(key__icontains=search)
    rows = list(objects.values_list("kind", "key")[offset : offset + limit])
    keys = [key for found_kind, key in rows if found_kind == "Pod"]
    states: dict[str, _PodPlace] = {
        pod: {"node": node or None, "lane": lane}
        for pod, node, lane in pods_at(cluster_id, None).filter(pod__in=keys).values_list("pod", "node", "lane")
    }
    return {
        "total": objects.count(),
        "objects": [_entry(found_kind, key, states.get(key)) for found_kind, key in rows],
    }


def _entry(kind: str, key: str, where: _PodPlace | None) -> ObjectEntry:
    return {"kind": kind, "key": key} if where is None or kind != "Pod" else {"kind": kind, "key": key, **where}


def _visible_objects(cluster_id: int, hidden: Collection[str]) -> QuerySet[ClusterObject]:
    objects = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    return objects.exclude(kind__in=hidden) if hidden else objects


def read_manifest_page(
    cluster_id: int, search: str, kind: str, key: str, offset: int, limit: int, hidden: Collection[str] = ()
) -> SourcePage:
    """Return the manifests of objects from `offset` on, or around one object, without those of `hidden` kinds.

    `own`: the API groups whose objects are stored by name only.
    """
    objects = _visible_objects(cluster_id, hidden)
    if kind and objects.filter(kind=kind, key=key).exists():
        before = objects.filter(Q(kind__lt=kind) | Q(kind=kind, key__lt=key)).count()
        # A third of the page is for the objects before it.
        offset = max(0, before - limit // 3)
    elif search:
        objects = objects.filter(key__icontains=search)
    total = objects.count()
    offset = min(offset, max(0, total - 1))
    rows = objects.values_list("kind", "key", "manifest")[offset : offset + limit]
    return {
        "total": total,
        "offset": offset,
        "objects": [{"kind": row_kind, "key": name, "manifest": manifest} for row_kind, name, manifest in rows],
        "own": sorted(OWN_GROUPS),
    }


def read_manifest(cluster_id: int, kind: str, key: str) -> dict[str, Any] | None:
    """Return an object's manifest, or None."""
    row = ClusterObject.objects.filter(cluster_id=cluster_id, kind=kind, key=key).first()
    return None if row is None else row.manifest


def as_list(cluster_id: int) -> dict[str, Any]:
    """Return all current objects as one `List` that kubectl and the import can read. Pods come last."""
    objects = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    items = [row.manifest for row in objects.exclude(kind="Pod")]
    items += [row.manifest for row in objects.filter(kind="Pod")]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def as_applicable(cluster_id: int) -> tuple[dict[str, Any], str]:
    """Return that List in the form that a real API server accepts, and comments that name what it leaves out.

    See docs/reference/file-formats.md.
    """
    items = as_list(cluster_id)["items"]
    return applicable(items), left_out_comment(count_ended_pods(items))
