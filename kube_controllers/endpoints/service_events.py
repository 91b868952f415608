"""The Services to reconcile after an event of a Pod, or after another client changed a slice.

Source: staging/src/k8s.io/endpointslice/util: GetPodUpdateProjectionKey, GetServicesToUpdate, EndpointSliceTracker.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.contract import (
    ADDED,
    ADDRESSES,
    DELETED,
    FINISHED,
    LABELS,
    READY,
    REMOVED,
    ReconcileRequest,
    latest_version,
)
from kube_controllers.endpoints.slices import MANAGED_BY, SERVICE
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_objects.manifests import (
    Manifest,
    generation,
    is_deleted,
    key_of,
    labels,
    name,
    namespace,
    status,
)

# Changes of Pods within this time are reconciled together. Upstream doesn't wait, but its client limits the writes.
_BATCH_SECONDS = 0.1
POD_EVENTS = ADDED | REMOVED | LABELS | DELETED | FINISHED | READY | ADDRESSES
"""The aspects of a Pod that can change the endpoints of its Services."""


def requests_for_pod(old: Manifest | None, new: Manifest | None, view: View) -> Sequence[ReconcileRequest]:
    """Return requests for the Services that a Pod's event affects."""
    return [ReconcileRequest(service_key, _BATCH_SECONDS) for service_key in _services_of_event(old, new, view)]


def _services_of_event(old: Manifest | None, new: Manifest | None, view: View) -> Sequence[str]:
    if old is None or new is None:
        pod = new or old
        return () if pod is None else view.services_of(pod)
    is_relabelled = old.get("metadata") is not new.get("metadata") and labels(old) != labels(new)
    has_changed = _has_changed(old, new)
    if not is_relabelled:
        return view.services_of(new) if has_changed else ()
    before, now = view.services_of(old), view.services_of(new)
    if has_changed:
        return list(dict.fromkeys((*now, *before)))
    return [
        *(service for service in now if service not in before),
        *(service for service in before if service not in now),
    ]


def _has_changed(old: Manifest, new: Manifest) -> bool:
    """Return whether the endpoints of the Pod may have changed. Source: podEndpointsChanged.

    Like upstream it counts each version of a deleted Pod as a change, because upstream compares pointers to times
    there.
    """
    if is_deleted(old) or is_deleted(new):
        return True
    was, now = status(old), status(new)
    return was is not now and (_addresses(was) != _addresses(now) or is_ready(old) != is_ready(new))


def _addresses(status: Mapping[str, Any]) -> Any:
    return status.get("podIPs") or None


def services_changed_by_others(
    old: Manifest | None, new: Manifest | None, actor: str, manager: str, view: View
) -> Iterable[str]:
    """Return the Services of a slice that differs from what its controller wrote.

    `actor` is the controller's name, `manager` its name in the labels of slices.
    """
    services = dict.fromkeys(_service_of(version) for version in (new, old) if version is not None)
    if len(services) > 1:
        return services
    latest = latest_version(old, new)
    if new is not None and old is not None and _is_managed_by(old, manager) != _is_managed_by(new, manager):
        return services
    known = (view.memory.get((actor, next(iter(services)))) or {}).get("slices") or {}
    if not _is_managed_by(latest, manager):
        return ()
    if new is None:
        return services if name(latest) in known else ()
    return services if generation(new) > known.get(name(new), 0) else ()


def _is_managed_by(slice_: Manifest, manager: str) -> bool:
    return labels(slice_).get(MANAGED_BY) == manager


def _service_of(slice_: Manifest) -> str:
    return key_of(namespace(slice_), str(labels(slice_).get(SERVICE) or ""))
