"""What every control plane holds from the start, with who manages its fields: the API server wrote it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from kubernetes_api import built_in
from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.resources import by_kind
from kubernetes_api.writes import go_types, types
from scheduler_core.objects.epoch import EPOCH_SECONDS
from structured_merge.managed_fields import Writer

Object = Mapping[str, Any]

MANAGER = "kube-apiserver"
# It is stored nowhere.
_MADE_UP = frozenset(["ComponentStatus"])
# What the server adds behind its own write belongs to nobody.
_ADDED: Mapping[str, frozenset[str]] = {
    "APIService": frozenset(["status"]),
    "Namespace": frozenset(["spec", "status"]),
    "Service": frozenset(["clusterIPs", "ipFamilies", "status"]),
    "ServiceCIDR": frozenset(["status"]),
}


@cache
def of(kind: str) -> Mapping[str, Object]:
    """As `built_in.of`, with managed fields."""
    found = built_in.of(kind)
    return found if kind in _MADE_UP else {key: _managed(kind, value) for key, value in found.items()}


def is_given(kind: str) -> bool:
    return kind in built_in.OF_NAMESPACES


def given(kind: str, namespaces: Iterable[str]) -> Mapping[str, Object]:
    """What controllers give to these namespaces, and to those that are there from the start."""
    name, value = built_in.OF_NAMESPACES[kind]
    return {f"{each}/{name}": value for each in (*built_in.NAMESPACES, *namespaces)}


def _managed(kind: str, value: Object) -> Object:
    resource, added = by_kind(kind), _ADDED.get(kind, frozenset())
    sent = {name: part for name, part in value.items() if name not in added and part is not None}
    if isinstance(sent.get("spec"), Mapping):
        sent["spec"] = {name: part for name, part in sent["spec"].items() if name not in added}
    time = datetime.fromtimestamp(EPOCH_SECONDS, UTC).strftime(TIME_FORMAT)
    writer = Writer(MANAGER, resource.api_version, time)
    found = types.field_manager(resource, "").update(None, sent, writer, go_types.empty(resource))
    entries = (found.get("metadata") or {}).get("managedFields")
    return {**value, "metadata": {**(value.get("metadata") or {}), "managedFields": entries}} if entries else value
