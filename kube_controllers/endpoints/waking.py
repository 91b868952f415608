"""The services that are looked at when a pod comes, changes or goes, and when somebody else touches a slice.

Source: staging/src/k8s.io/endpointslice/util: GetPodUpdateProjectionKey, GetServicesToUpdate, EndpointSliceTracker.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.contract import ADDRESSES, CAME, DELETED, FINISHED, GONE, LABELS, READY, Wake, subject
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

# Pods that change one after the other are looked at together. Upstream waits for nothing, but may not write more often
# than its client lets it, and each write takes a while.
_TOGETHER = 0.1
OF_PODS = CAME | GONE | LABELS | DELETED | FINISHED | READY | ADDRESSES
"""What is new about a pod whenever its services may have to be looked at."""


def of_pod(old: Manifest | None, new: Manifest | None, view: View) -> Sequence[Wake]:
    """What a pod that comes, changes or goes is a reason to look at."""
    return [Wake(at, _TOGETHER) for at in _services(old, new, view)]


def _services(old: Manifest | None, new: Manifest | None, view: View) -> Sequence[str]:
    if old is None or new is None:
        one = new or old
        return () if one is None else view.services_of(one)
    is_relabelled = old.get("metadata") is not new.get("metadata") and labels(old) != labels(new)
    has_changed = _has_changed(old, new)
    if not is_relabelled:
        return view.services_of(new) if has_changed else ()
    before, now = view.services_of(old), view.services_of(new)
    if has_changed:
        return list(dict.fromkeys((*now, *before)))
    return [*(one for one in now if one not in before), *(one for one in before if one not in now)]


def _has_changed(old: Manifest, new: Manifest) -> bool:
    """Whether its endpoints may have. Source: podEndpointsChanged, which takes every version of a pod that is being
    deleted for a change: it compares where the two times are kept.
    """
    if is_deleted(old) or is_deleted(new):
        return True
    was, now = status(old), status(new)
    return was is not now and (_addresses(was) != _addresses(now) or is_ready(old) != is_ready(new))


def _addresses(status: Mapping[str, Any]) -> Any:
    return status.get("podIPs") or None


def changed_by_others(
    old: Manifest | None, new: Manifest | None, actor: str, manager: str, view: View
) -> Iterable[str]:
    """The services of a slice that is not as its controller has written it. `manager`: how slices name that one."""
    places = dict.fromkeys(_service_of(one) for one in (new, old) if one is not None)
    if len(places) > 1:
        return places
    one = subject(old, new)
    if new is not None and old is not None and _is_of(old, manager) != _is_of(new, manager):
        return places
    known = (view.memory.get((actor, next(iter(places)))) or {}).get("slices") or {}
    if not _is_of(one, manager):
        return ()
    if new is None:
        return places if name(one) in known else ()
    return places if generation(new) > known.get(name(new), 0) else ()


def _is_of(one: Manifest, manager: str) -> bool:
    return labels(one).get(MANAGED_BY) == manager


def _service_of(one: Manifest) -> str:
    return key_of(namespace(one), str(labels(one).get(SERVICE) or ""))
