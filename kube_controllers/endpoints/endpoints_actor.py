"""Endpoints: the same as slices say, in one object of the service's name. Source: pkg/controller/endpoint."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_controllers.contract import GONE, Backoff, Outcome, Wake, subject
from kube_controllers.endpoints import addresses, subsets, trigger
from kube_controllers.endpoints.ports import Finder
from kube_controllers.endpoints.service import (
    HEADLESS,
    families,
    hostname,
    is_headless,
    is_published,
    publishes_not_ready,
    reference,
)
from kube_controllers.endpoints.waking import OF_PODS, of_pod
from kube_controllers.objects import View
from kube_controllers.pods import is_ready, node_of
from kube_objects.manifests import (
    Manifest,
    annotations,
    key,
    kind,
    labels,
    name,
    namespace,
    split,
    with_meta,
)
from kube_objects.sentences import say

KIND = "Endpoints"
COMPONENT = "endpoint-controller"
_MANAGED_BY, _OVER_CAPACITY = "endpoints.kubernetes.io/managed-by", "endpoints.kubernetes.io/over-capacity"


class EndpointsActor:
    name = "endpoints"
    kind = "Service"
    watches = frozenset({"Service", "Pod", KIND})
    heeds: Mapping[str, int] = {"Pod": OF_PODS, KIND: GONE}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == "Pod":
            return of_pod(old, new, view)
        return (Wake(key(obj)),)

    def lost(self, at: str, view: View) -> Outcome:
        """They go with their service, which does not own them."""
        found = view.get(KIND, at)
        if found is None:
            return Outcome()
        api = Api(view)
        api.delete(found)
        return Outcome(api.changes, say("Endpoints {name} go with their Service", name=split(at)[1]))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncService."""
        if not is_published(obj):
            return Outcome()
        pods = view.selected(obj)
        times = trigger.times_of(pods)
        at = trigger.changed(obj, (view.remembered or {}).get("pods"), times)
        memory = {"pods": times}
        found = subsets.packed(_found(obj, pods))
        current = view.get(KIND, key(obj))
        if current is not None and _is_right(current, obj, found):
            return Outcome(memory=memory)
        api = Api(view)
        try:
            made = _made(obj, found, at, current)
            _ = api.create(made) if current is None else api.update(made)
        except Refused as refused:
            return _refused(obj, refused, api, memory)
        reason = say("Endpoints {name} have {count} addresses", name=name(obj), count=subsets.count(found))
        return Outcome(api.changes, reason if api.changes else "", memory=memory)


def _found(service: Manifest, pods: Iterable[Manifest]) -> Iterator[subsets.At]:
    publishes, finder, family = publishes_not_ready(service), Finder(service), families(service)[0]
    for pod in pods:
        if not addresses.is_published(pod, with_terminating=publishes):
            continue
        given = addresses.of(pod, family)
        of = finder.of(pod)
        if given and (of is None or of):
            yield subsets.At(_address(pod, given[0], service), of, publishes or is_ready(pod))


def _address(pod: Manifest, at: str, service: Manifest) -> dict[str, Any]:
    """Source: podToEndpointAddressForService."""
    host = hostname(pod, service)
    return {
        "ip": at,
        **({"hostname": host} if host else {}),
        "nodeName": node_of(pod),
        "targetRef": reference(pod),
    }


def _is_right(current: Manifest, service: Manifest, found: list[subsets.Subset]) -> bool:
    """Whether it says all that already."""
    given = current.get("subsets") or []
    is_truncated = _OVER_CAPACITY in annotations(current)
    return (
        given == found and not is_truncated and subsets.count(given) <= subsets.MOST and _has_labels(current, service)
    )


def _has_labels(current: Manifest, service: Manifest) -> bool:
    """Source: labelsCorrectForEndpoints."""
    given = labels(current)
    left = {key: value for key, value in given.items() if key not in (HEADLESS, _MANAGED_BY)}
    return given.get(_MANAGED_BY) == COMPONENT and left == labels(service)


def _made(service: Manifest, found: list[subsets.Subset], at: str, current: Manifest | None) -> dict[str, Any]:
    given = {key: value for key, value in labels(service).items() if key != HEADLESS}
    given |= {HEADLESS: ""} if is_headless(service) else {}
    notes = trigger.annotated({} if current is None else annotations(current), at)
    remaining = subsets.truncated(found)
    notes.pop(_OVER_CAPACITY, None)
    if subsets.count(remaining) < subsets.count(found):
        notes[_OVER_CAPACITY] = "truncated"
    fields = {"labels": {**given, _MANAGED_BY: COMPONENT}, "annotations": notes or None}
    new = {"metadata": {"name": name(service), "namespace": namespace(service)}, "apiVersion": "v1", "kind": KIND}
    made = with_meta(new if current is None else current, **fields)
    left = {part: value for part, value in made.items() if part != "subsets"}
    return {**left, "subsets": remaining} if remaining else left


def _refused(service: Manifest, refused: Refused, api: Api, memory: Any) -> Outcome:
    if is_of_ending_namespace(refused.message):
        return Outcome(memory=memory)
    at = f"{namespace(service)}/{name(service)}"
    about = {"apiVersion": "v1", "kind": KIND, "metadata": {"name": name(service), "namespace": namespace(service)}}
    message = f"Failed to create endpoint for service {at}: {refused.message}"
    api.tell(about, "Warning", "FailedToCreateEndpoint", message, COMPONENT)
    return Outcome(api.changes, message, failed=True, memory=memory)
