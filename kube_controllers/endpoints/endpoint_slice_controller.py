"""The EndpointSlice controller: addresses and readiness of a Service's Pods.

Source: pkg/controller/endpointslice/endpointslice_controller.go, staging/src/k8s.io/endpointslice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.endpoints import endpoint_addresses, ports, trigger_times
from kube_controllers.endpoints.service import (
    families,
    hostname,
    is_published,
    publishes_not_ready,
    reference,
)
from kube_controllers.endpoints.service_events import POD_EVENTS, requests_for_pod, services_changed_by_others
from kube_controllers.endpoints.slices import (
    CONTROLLER,
    MANAGED_BY,
    SERVICE,
    SliceChange,
    SlicePlan,
    Wanted,
    endpoint_identity,
)
from kube_controllers.objects import View
from kube_controllers.pods import is_ready, node_of
from kube_objects.manifests import (
    Manifest,
    annotations,
    controller_reference,
    generation,
    is_deleted,
    key,
    key_of,
    kind,
    labels,
    name,
    namespace,
    with_meta,
)
from kube_objects.sentences import say

KIND = "EndpointSlice"
COMPONENT = "endpoint-slice-controller"
_ZONE = "topology.kubernetes.io/zone"
# The delay after another client changed a slice.
_AFTER_OTHERS = 1.0


class EndpointSliceController:
    name = "endpointslice"
    kind = "Service"
    watches = frozenset({"Service", "Pod", KIND})
    event_filter: Mapping[str, int] = {"Pod": POD_EVENTS}
    backoff = Backoff(1.0, 1000.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == "Pod":
            return requests_for_pod(old, new, view)
        if kind(obj) == self.kind:
            return (ReconcileRequest(key(obj)),)
        return [
            ReconcileRequest(at, _AFTER_OTHERS)
            for at in services_changed_by_others(old, new, self.name, CONTROLLER, view)
        ]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_published(obj):
            return Outcome()
        return _ServiceSync(obj, view).reconcile()


class _ServiceSync:
    """One reconcile of a Service. Source: syncService, Reconcile."""

    def __init__(self, service: Manifest, view: View) -> None:
        self.service, self.view, self.api = service, view, Api(view)
        self.problems: list[str] = []  # in the order of the Event's message
        self.pods = view.selected(service)
        memory = view.remembered or {}
        self.times = trigger_times.ready_times(self.pods)
        self.at = trigger_times.change_time(service, memory.get("pods"), self.times)
        self.generations: dict[str, int] = dict(
            memory.get("slices") or {}
        )  # generations of the written slices, by name
        self.ready = self.count = 0  # endpoints

    def reconcile(self) -> Outcome:
        """Write the slices of all families.

        1. Fail if a slice that was written is missing among the Service's slices.
        2. For each family create, update and delete slices.
        3. Delete the slices of other families.
        4. Report problems in an Event.
        """
        wanted_families = families(self.service)
        existing = _slices_of(self.service, self.view)
        if self._is_cache_stale(existing):
            return Outcome(failed=True)
        self.generations = {
            name(live): self.generations[name(live)] for live in existing if name(live) in self.generations
        }
        others = [live for live in existing if live.get("addressType") not in wanted_families]
        for family in wanted_families:
            self._sync_family(family, [live for live in existing if live.get("addressType") == family])
        for obsolete in others:
            self._delete(obsolete)
        if self.problems:
            report = _aggregate(self.problems)
            service_key = f"{namespace(self.service)}/{name(self.service)}"
            message = f"Error updating Endpoint Slices for Service {service_key}: {report}"
            self.api.emit_event(self.service, "Warning", "FailedToUpdateEndpointSlices", message, COMPONENT)
        memory = {"pods": self.times, "slices": self.generations}
        return Outcome(self.api.changes, self._reason(), failed=bool(self.problems), memory=memory)

    def _is_cache_stale(self, existing: Sequence[Manifest]) -> bool:
        """Return whether a written slice is missing, for example because another client changed its labels.

        Source: StaleSlices.
        """
        listed = {name(live) for live in existing}
        obj_namespace = namespace(self.service)
        return any(
            self.view.get(KIND, key_of(obj_namespace, slice_name)) is not None
            for slice_name in self.generations
            if slice_name not in listed
        )

    def _reason(self) -> str:
        if not self.api.changes:
            return ""
        service_name, ready, count = name(self.service), self.ready, self.count
        return say(
            "Service {name}: {ready} of {count} endpoints are ready", name=service_name, ready=ready, count=count
        )

    def _sync_family(self, family: str, existing: Sequence[Manifest]) -> None:
        plan = SlicePlan(self.service, family)
        plan.make(existing, self._wanted_endpoints(family))
        if self._create_slices(plan):
            for change in plan.update:
                written = self.api.update(self._updated_slice(plan, change))
                self.generations[name(written)] = generation(written)
            for live in plan.delete:
                self._delete(live)

    def _wanted_endpoints(self, family: str) -> dict[ports.Ports, Wanted]:
        """Return the wanted endpoints of a family, by ports and identity."""
        finder = ports.PortFinder(self.service)
        wanted: dict[ports.Ports, Wanted] = {}
        sorted_by_ports: dict[ports.Ports | None, ports.Ports] = {}
        publishes = publishes_not_ready(self.service)
        zones: dict[str, Manifest | None] = {}
        for pod in self.pods:
            if not endpoint_addresses.is_published(pod, with_terminating=True):
                continue
            pod_ports = finder.ports_of(pod)
            sorted_ports = sorted_by_ports.get(pod_ports)
            if sorted_ports is None:
                sorted_ports = sorted_by_ports[pod_ports] = ports.sort_for_slices(pod_ports or ())
            endpoints = wanted.setdefault(sorted_ports, {})
            node_name = node_of(pod)
            if node_name not in zones:
                zones[node_name] = self.view.get("Node", node_name)
            node = zones[node_name]
            if node is None and not publishes:
                self.problems.append(self._missing_node_message(pod, node_name))
                continue
            pod_addresses = endpoint_addresses.addresses_in_family(pod, family)
            if pod_addresses:
                endpoint = _endpoint(pod, pod_addresses, node, self.service, publishes)
                endpoints[endpoint_identity(endpoint)] = endpoint
                self.ready += endpoint["conditions"]["ready"]
                self.count += 1
        return wanted

    def _missing_node_message(self, pod: Manifest, node: str) -> str:
        service_key = f"{namespace(self.service)}/{name(self.service)}"
        return f"skipping Pod {name(pod)} for Service {service_key}: Node {node} Not Found"

    def _create_slices(self, plan: SlicePlan) -> bool:
        """Create the new slices, unless the Service is deleted. Return False if that failed. Source: finalize."""
        service_key = f"{namespace(self.service)}/{name(self.service)}"
        for change in () if is_deleted(self.service) else plan.create:
            try:
                created = self.api.create(self._slice_object(plan, change))
            except WriteRefused as refused:
                if not is_namespace_terminating(refused.message):
                    self.problems.append(f"failed to create EndpointSlice for Service {service_key}: {refused.message}")
                return False
            self.generations[name(created)] = generation(created)
        return True

    def _delete(self, live: Manifest) -> None:
        self.api.delete(live)
        self.generations.pop(name(live), None)

    def _slice_object(self, plan: SlicePlan, change: SliceChange) -> dict[str, Any]:
        slice_annotations = trigger_times.with_trigger_time({}, self.at)
        metadata = {
            "generateName": f"{name(self.service)}-",
            "namespace": namespace(self.service),
            "labels": change.labels,
            **({"annotations": slice_annotations} if slice_annotations else {}),
            "ownerReferences": [{**controller_reference(self.service), "apiVersion": "v1"}],
        }
        return {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": KIND,
            "metadata": metadata,
            "addressType": plan.family,
            "endpoints": change.endpoints or None,
            "ports": ports.slice_ports(change.ports),
        }

    def _updated_slice(self, plan: SlicePlan, change: SliceChange) -> dict[str, Any]:
        assert change.live is not None
        wanted = self._slice_object(plan, change)
        before = {} if change.takes_over else annotations(change.live)
        fields = {"labels": change.labels, "annotations": trigger_times.with_trigger_time(before, self.at) or None}
        return {**with_meta(change.live, **fields), "endpoints": wanted["endpoints"], "ports": wanted["ports"]}


def _endpoint(
    pod: Manifest, pod_addresses: Sequence[str], node: Manifest | None, service: Manifest, publishes: bool
) -> dict[str, Any]:
    """Source: podToEndpoint."""
    serving, terminating = is_ready(pod), is_deleted(pod)
    ready = publishes or (serving and not terminating)
    endpoint: dict[str, Any] = {
        "addresses": list(pod_addresses),
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
    }
    if host := hostname(pod, service):
        endpoint["hostname"] = host
    endpoint["targetRef"] = reference(pod)
    if node_name := node_of(pod):
        endpoint["nodeName"] = node_name
    if node is not None and (zone := labels(node).get(_ZONE)):
        endpoint["zone"] = zone
    return endpoint


def _slices_of(service: Manifest, view: View) -> list[Manifest]:
    """Return the Service's slices by their labels, without deleted ones and those that another object controls."""
    candidates = [*view.owned(service, KIND), *view.orphans(KIND, namespace(service))]
    return [
        live
        for live in candidates
        if _is_ours(live) and labels(live).get(SERVICE) == name(service) and not is_deleted(live)
    ]


def _is_ours(live: Manifest) -> bool:
    return labels(live).get(MANAGED_BY) == CONTROLLER


def _aggregate(problems: Sequence[str]) -> str:
    """Source: apimachinery/pkg/util/errors aggregate.Error."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
