"""The Endpoints controller, which writes one Endpoints object for each Service. Source: pkg/controller/endpoint."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import REMOVED, Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.endpoints import endpoint_addresses, subsets, trigger_times
from kube_controllers.endpoints.ports import PortFinder
from kube_controllers.endpoints.service import (
    HEADLESS,
    families,
    hostname,
    is_headless,
    is_published,
    publishes_not_ready,
    reference,
)
from kube_controllers.endpoints.service_events import POD_EVENTS, requests_for_pod
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


class EndpointsController:
    name = "endpoints"
    kind = "Service"
    watches = frozenset({"Service", "Pod", KIND})
    event_filter: Mapping[str, int] = {"Pod": POD_EVENTS, KIND: REMOVED}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == "Pod":
            return requests_for_pod(old, new, view)
        return (ReconcileRequest(key(obj)),)

    def lost(self, service_key: str, view: View) -> Outcome:
        """Delete the Endpoints of a removed Service, which doesn't own them."""
        endpoints = view.get(KIND, service_key)
        if endpoints is None:
            return Outcome()
        api = Api(view)
        api.delete(endpoints)
        return Outcome(api.changes, say("Endpoints {name}: deleted with their Service", name=split(service_key)[1]))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncService."""
        if not is_published(obj):
            return Outcome()
        pods = view.selected(obj)
        times = trigger_times.ready_times(pods)
        trigger_time = trigger_times.change_time(obj, (view.remembered or {}).get("pods"), times)
        memory = {"pods": times}
        wanted = subsets.repack_subsets(_served_addresses(obj, pods))
        current = view.get(KIND, key(obj))
        if current is not None and _is_up_to_date(current, obj, wanted):
            return Outcome(memory=memory)
        api = Api(view)
        try:
            updated = _endpoints_object(obj, wanted, trigger_time, current)
            _ = api.create(updated) if current is None else api.update(updated)
        except WriteRefused as refused:
            return _report_refusal(obj, refused, api, memory)
        reason = say("Endpoints {name} have {count} addresses", name=name(obj), count=subsets.count_addresses(wanted))
        return Outcome(api.changes, reason if api.changes else "", memory=memory)


def _served_addresses(service: Manifest, pods: Iterable[Manifest]) -> Iterator[subsets.ServedAddress]:
    publishes, port_finder, family = publishes_not_ready(service), PortFinder(service), families(service)[0]
    for pod in pods:
        if not endpoint_addresses.is_published(pod, with_terminating=publishes):
            continue
        pod_addresses = endpoint_addresses.addresses_in_family(pod, family)
        pod_ports = port_finder.ports_of(pod)
        if pod_addresses and (pod_ports is None or pod_ports):
            yield subsets.ServedAddress(_address(pod, pod_addresses[0], service), pod_ports, publishes or is_ready(pod))


def _address(pod: Manifest, address: str, service: Manifest) -> dict[str, Any]:
    """Source: podToEndpointAddressForService."""
    host = hostname(pod, service)
    return {
        "ip": address,
        **({"hostname": host} if host else {}),
        "nodeName": node_of(pod),
        "targetRef": reference(pod),
    }


def _is_up_to_date(current: Manifest, service: Manifest, wanted: list[subsets.Subset]) -> bool:
    """Return whether the Endpoints need no change."""
    subsets_now = current.get("subsets") or []
    is_truncated = _OVER_CAPACITY in annotations(current)
    return (
        subsets_now == wanted
        and not is_truncated
        and subsets.count_addresses(subsets_now) <= subsets.MOST
        and _has_labels(current, service)
    )


def _has_labels(current: Manifest, service: Manifest) -> bool:
    """Source: labelsCorrectForEndpoints."""
    current_labels = labels(current)
    left = {key: value for key, value in current_labels.items() if key not in (HEADLESS, _MANAGED_BY)}
    return current_labels.get(_MANAGED_BY) == COMPONENT and left == labels(service)


def _endpoints_object(
    service: Manifest, wanted: list[subsets.Subset], trigger_time: str, current: Manifest | None
) -> dict[str, Any]:
    new_labels = {key: value for key, value in labels(service).items() if key != HEADLESS}
    new_labels |= {HEADLESS: ""} if is_headless(service) else {}
    new_annotations = trigger_times.with_trigger_time({} if current is None else annotations(current), trigger_time)
    remaining = subsets.truncate_subsets(wanted)
    new_annotations.pop(_OVER_CAPACITY, None)
    if subsets.count_addresses(remaining) < subsets.count_addresses(wanted):
        new_annotations[_OVER_CAPACITY] = "truncated"
    fields = {"labels": {**new_labels, _MANAGED_BY: COMPONENT}, "annotations": new_annotations or None}
    new = {"metadata": {"name": name(service), "namespace": namespace(service)}, "apiVersion": "v1", "kind": KIND}
    made = with_meta(new if current is None else current, **fields)
    left = {part: value for part, value in made.items() if part != "subsets"}
    return {**left, "subsets": remaining} if remaining else left


def _report_refusal(service: Manifest, refused: WriteRefused, api: Api, memory: Any) -> Outcome:
    if is_namespace_terminating(refused.message):
        return Outcome(memory=memory)
    service_key = f"{namespace(service)}/{name(service)}"
    endpoints = {"apiVersion": "v1", "kind": KIND, "metadata": {"name": name(service), "namespace": namespace(service)}}
    message = f"Failed to create endpoint for service {service_key}: {refused.message}"
    api.emit_event(endpoints, "Warning", "FailedToCreateEndpoint", message, COMPONENT)
    return Outcome(api.changes, message, failed=True, memory=memory)
