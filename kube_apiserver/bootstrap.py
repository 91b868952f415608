"""The objects that every control plane has from the start, with the API server as field manager."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from kube_apiserver import built_in, flow_control
from kube_apiserver.resources import Resource, by_kind
from kube_apiserver.structured_merge.managed_fields import Writer
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import go_types, types
from kube_objects.epoch import EPOCH_SECONDS

Object = Mapping[str, Any]

MANAGER = "kube-apiserver"
# No store has these objects.
_MADE_UP = frozenset(["ComponentStatus"])
_STATUS = "status"
_NO_ADDRESS = "None"
DERIVED = "IPAddress"
"""The kind whose objects follow from Services: see `addresses`."""
# The server adds these after its own write, so they have no field manager.
_ADDED: Mapping[str, frozenset[str]] = {
    "APIService": frozenset([_STATUS]),
    **{kind: frozenset([_STATUS]) for kind in flow_control.KINDS},
    "Namespace": frozenset(["spec", "status"]),
    "Service": frozenset(["clusterIPs", "ipFamilies", "status"]),
    "ServiceCIDR": frozenset(["status"]),
}


@cache
def objects_of(kind: str) -> Mapping[str, Object]:
    """Return the built-in objects of a kind by key, with managed fields."""
    found = built_in.objects_of(kind)
    return found if kind in _MADE_UP else {key: _managed(kind, value) for key, value in found.items()}


def namespace_objects(kind: str, namespaces: Iterable[str]) -> Mapping[str, Object]:
    """Return the objects that controllers create in these namespaces and in the built-in ones."""
    name, value = built_in.OF_NAMESPACES[kind]
    return {f"{each}/{name}": value for each in (*built_in.NAMESPACES, *namespaces)}


def addresses(services: Iterable[tuple[str, Object]]) -> Mapping[str, Object]:
    """Return the IPAddresses of existing Services by key."""
    (entry,) = objects_of(DERIVED)[built_in.SERVICE_ADDRESS]["metadata"]["managedFields"]
    objects: dict[str, Object] = {}
    for key, service in services:
        namespace, _, name = key.partition("/")
        time = (service.get("metadata") or {}).get("creationTimestamp")
        times = {"creationTimestamp": time, "managedFields": [{**entry, "time": time}]} if time else {}
        for each in (service.get("spec") or {}).get("clusterIPs") or ():
            if each != _NO_ADDRESS:
                objects[str(each)] = built_in.service_address(namespace, name, str(each), **times)
    return objects


def _managed(kind: str, value: Object) -> Object:
    resource, added = by_kind(kind), _ADDED.get(kind, frozenset())
    sent = {name: part for name, part in value.items() if name not in added and part is not None}
    if isinstance(sent.get("spec"), Mapping):
        sent["spec"] = {name: part for name, part in sent["spec"].items() if name not in added}
    time = datetime.fromtimestamp(EPOCH_SECONDS, UTC).strftime(TIME_FORMAT)
    manager = flow_control.PRODUCER if kind in flow_control.KINDS else MANAGER
    writer = Writer(manager, resource.api_version, time)
    found: Object = types.field_manager(resource, "").update(None, dict(sent), writer, go_types.empty(resource))
    if kind == flow_control.SCHEMA:
        found = _with_condition(resource, found, value[_STATUS], time)
    entries = (found.get("metadata") or {}).get("managedFields")
    return {**value, "metadata": {**(value.get("metadata") or {}), "managedFields": entries}} if entries else value


def _with_condition(resource: Resource, value: Object, status: Object, time: str) -> Object:
    """Return a FlowSchema after its controller applied the Dangling condition."""
    applied = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": {}, _STATUS: status}
    writer = Writer(flow_control.CONSUMER, resource.api_version, time, _STATUS)
    found = types.field_manager(resource, _STATUS).apply(dict(value), applied, writer, force=True)
    return value if found is None else found
