"""Objects by kind and key, and all of them as a file."""

from typing import Any

from django.db.models import Q

from playground.models import ClusterObject
from playground.selectors.queue import pods_at
from scheduler_core.exchange.applicable import applicable, ended, head


def page(cluster_id: int, kind: str, search: str, offset: int, limit: int) -> dict[str, Any]:
    """`{total, objects}`: the objects whose key holds `search`, of one kind if `kind` is not ""."""
    objects = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    if kind:
        objects = objects.filter(kind=kind)
    if search:
        objects = objects.filter(key__icontains=search)
    found = list(objects.values_list("kind", "key")[offset : offset + limit])
    keys = [key for found_kind, key in found if found_kind == "Pod"]
    states = {
        pod: {"node": node or None, "lane": lane}
        for pod, node, lane in pods_at(cluster_id, None).filter(pod__in=keys).values_list("pod", "node", "lane")
    }
    return {
        "total": objects.count(),
        "objects": [
            {"kind": found_kind, "key": key, **(states.get(key, {}) if found_kind == "Pod" else {})}
            for found_kind, key in found
        ],
    }


def source(cluster_id: int, search: str, kind: str, key: str, offset: int, limit: int) -> dict[str, Any]:
    """`{total, offset, objects: [{kind, key, manifest}]}` from `offset` on, or around an object."""
    objects = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    if kind and objects.filter(kind=kind, key=key).exists():
        before = objects.filter(Q(kind__lt=kind) | Q(kind=kind, key__lt=key)).count()
        # What is around it: a third of the room before it.
        offset = max(0, before - limit // 3)
    elif search:
        objects = objects.filter(key__icontains=search)
    total = objects.count()
    offset = min(offset, max(0, total - 1))
    found = objects.values_list("kind", "key", "manifest")[offset : offset + limit]
    return {
        "total": total,
        "offset": offset,
        "objects": [{"kind": one, "key": name, "manifest": written} for one, name, written in found],
    }


def manifest(cluster_id: int, kind: str, key: str) -> dict[str, Any] | None:
    """One object's manifest, or None."""
    found = ClusterObject.objects.filter(cluster_id=cluster_id, kind=kind, key=key).first()
    return None if found is None else found.manifest


def as_list(cluster_id: int) -> dict[str, Any]:
    """All objects as they are now, as one `List` that kubectl and the import read. Pods come last."""
    objects = ClusterObject.objects.filter(cluster_id=cluster_id).order_by("kind", "key")
    items = [found.manifest for found in objects.exclude(kind="Pod")] + [
        found.manifest for found in objects.filter(kind="Pod")
    ]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def as_applicable(cluster_id: int) -> tuple[dict[str, Any], str]:
    """The same as a real API server takes it, see docs/exchange.md; and comments that say what is not in it."""
    items = as_list(cluster_id)["items"]
    return applicable(items), head(ended(items))
