"""Defaults of statuses that clients write through the `status` subresource.

Sources: pkg/apis/core/v1 defaults.go and conversion.go; PrepareForUpdate of the status strategies.
"""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.defaults import others
from kube_apiserver.defaults.fields import clone, fill

Object = dict[str, Any]

_PHASES = {"Namespace": "Active", "PersistentVolume": "Pending", "PersistentVolumeClaim": "Pending"}
_SINCE = "lastPhaseTransitionTime"


def copy_with_status_defaults(kind: str, live: Mapping[str, Any], value: Object, time: str) -> Object:
    """Return a copy of an object whose status was sent, with the defaults of that status."""
    copied: Object = clone(value)
    _set_status_defaults(kind, live, copied, time)
    return copied


def _set_status_defaults(kind: str, live: Mapping[str, Any], value: Object, time: str) -> None:
    status, was = value.setdefault("status", {}), live.get("status") or {}
    if kind in _PHASES:
        fill(status, {"phase": _PHASES[kind]})
    if kind == "PersistentVolume":
        _set_phase_time(status, was, time)
    if kind == "Pod":
        _sync_pod_fields(status, was)
    if kind == "ResourceClaim":
        _remove_deallocated(status, was)
    if kind == "Node":
        others.set_node_defaults(value)
    if kind == "Service" and (value.get("spec") or {}).get("type") == "LoadBalancer":
        others.set_load_balancer_defaults(value)


def _remove_deallocated(status: Object, was: Mapping[str, Any]) -> None:
    """Remove the statuses of devices that are no longer allocated. Source: dropDeallocatedStatusDevices."""
    before, still_allocated = (_list_allocated(each) for each in (was, status))
    deallocated = [each for each in before if each not in still_allocated]
    devices = status.get("devices")
    if deallocated and isinstance(devices, list):
        status["devices"] = [each for each in devices if _get_device_key(each) not in deallocated]
        if not status["devices"]:
            del status["devices"]


def _list_allocated(status: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or ()
    return [_get_device_key(each) for each in results]


def _get_device_key(device: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(device.get(name) for name in ("driver", "pool", "device", "shareID"))


def _set_phase_time(status: Object, was: Mapping[str, Any], time: str) -> None:
    """Set the time of the phase change, unless the client set it."""
    is_same, since = status.get("phase") == was.get("phase"), status.get(_SINCE)
    if is_same and since is None and was.get(_SINCE) is not None:
        status[_SINCE] = was[_SINCE]
    elif not is_same and (since is None or since == was.get(_SINCE)):
        status[_SINCE] = time


def _sync_pod_fields(status: Object, was: Mapping[str, Any]) -> None:
    if not status.get("qosClass") and was.get("qosClass"):
        status["qosClass"] = was["qosClass"]
    first, addresses = status.get("podIP"), status.get("podIPs") or []
    if first and (not addresses or addresses[0].get("ip") != first):
        # Older kubelets set only one address.
        status["podIPs"] = [{"ip": first}]
    elif addresses and not first and addresses[0].get("ip"):
        status["podIP"] = addresses[0]["ip"]
