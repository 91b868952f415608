"""EndpointSlices: where the pods of a service are, and which of them are ready.

Source: pkg/controller/endpointslice/endpointslice_controller.go, staging/src/k8s.io/endpointslice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_controllers.contract import Backoff, Outcome, Wake, subject
from kube_controllers.endpoints import addresses, ports, trigger
from kube_controllers.endpoints.service import (
    families,
    hostname,
    is_published,
    publishes_not_ready,
    reference,
)
from kube_controllers.endpoints.slices import CONTROLLER, MANAGED_BY, SERVICE, Plan, Slice, Wanted, identity
from kube_controllers.endpoints.waking import OF_PODS, changed_by_others, of_pod
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
# How long it waits until it looks at what others did to a slice.
_AFTER_OTHERS = 1.0


class EndpointSliceActor:
    name = "endpointslice"
    kind = "Service"
    watches = frozenset({"Service", "Pod", KIND})
    heeds: Mapping[str, int] = {"Pod": OF_PODS}
    backoff = Backoff(1.0, 1000.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == "Pod":
            return of_pod(old, new, view)
        if kind(obj) == self.kind:
            return (Wake(key(obj)),)
        return [Wake(at, _AFTER_OTHERS) for at in changed_by_others(old, new, self.name, CONTROLLER, view)]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_published(obj):
            return Outcome()
        return _Sync(obj, view).outcome()


class _Sync:
    """One look at a service. Source: syncService, Reconcile."""

    def __init__(self, service: Manifest, view: View) -> None:
        self.service, self.view, self.api = service, view, Api(view)
        self.problems: list[str] = []  # in the order in which they are told
        self.pods = view.selected(service)
        remembered = view.remembered or {}
        self.times = trigger.times_of(self.pods)
        self.at = trigger.changed(service, remembered.get("pods"), self.times)
        self.known: dict[str, int] = dict(remembered.get("slices") or {})  # generations of slices, as they were written
        self.ready = self.count = 0  # endpoints

    def outcome(self) -> Outcome:
        wanted_families = families(self.service)
        existing = _slices_of(self.service, self.view)
        if self._misses_any(existing):
            return Outcome(failed=True)
        self.known = {name(one): self.known[name(one)] for one in existing if name(one) in self.known}
        others = [one for one in existing if one.get("addressType") not in wanted_families]
        for family in wanted_families:
            self._of_family(family, [one for one in existing if one.get("addressType") == family])
        for one in others:
            self._delete(one)
        if self.problems:
            report = _aggregate(self.problems)
            at = f"{namespace(self.service)}/{name(self.service)}"
            message = f"Error updating Endpoint Slices for Service {at}: {report}"
            self.api.tell(self.service, "Warning", "FailedToUpdateEndpointSlices", message, COMPONENT)
        memory = {"pods": self.times, "slices": self.known}
        return Outcome(self.api.changes, self._reason(), failed=bool(self.problems), memory=memory)

    def _misses_any(self, existing: Sequence[Manifest]) -> bool:
        """One that somebody else has taken, by its labels, is waited for. Source: StaleSlices."""
        there = {name(one) for one in existing}
        inside = namespace(self.service)
        return any(self.view.get(KIND, key_of(inside, one)) is not None for one in self.known if one not in there)

    def _reason(self) -> str:
        if not self.api.changes:
            return ""
        of, ready, count = name(self.service), self.ready, self.count
        return say("Service {name}: {ready} of {count} endpoints are ready", name=of, ready=ready, count=count)

    def _of_family(self, family: str, existing: Sequence[Manifest]) -> None:
        plan = Plan(self.service, family)
        plan.make(existing, self._wanted(family))
        if self._created(plan):
            for one in plan.update:
                written = self.api.update(self._changed(plan, one))
                self.known[name(written)] = generation(written)
            for live in plan.delete:
                self._delete(live)

    def _wanted(self, family: str) -> dict[ports.Ports, Wanted]:
        """The endpoints that there should be, by the ports at which they answer."""
        finder = ports.Finder(self.service)
        found: dict[ports.Ports, Wanted] = {}
        in_order: dict[ports.Ports | None, ports.Ports] = {}
        publishes = publishes_not_ready(self.service)
        zones: dict[str, Manifest | None] = {}
        for pod in self.pods:
            if not addresses.is_published(pod, with_terminating=True):
                continue
            given = finder.of(pod)
            of = in_order.get(given)
            if of is None:
                of = in_order[given] = ports.in_slices(given or ())
            there = found.setdefault(of, {})
            on = node_of(pod)
            if on not in zones:
                zones[on] = self.view.get("Node", on)
            node = zones[on]
            if node is None and not publishes:
                self.problems.append(self._without_node(pod, on))
                continue
            at = addresses.of(pod, family)
            if at:
                endpoint = _endpoint(pod, at, node, self.service, publishes)
                there[identity(endpoint)] = endpoint
                self.ready += endpoint["conditions"]["ready"]
                self.count += 1
        return found

    def _without_node(self, pod: Manifest, node: str) -> str:
        at = f"{namespace(self.service)}/{name(self.service)}"
        return f"skipping Pod {name(pod)} for Service {at}: Node {node} Not Found"

    def _created(self, plan: Plan) -> bool:
        """Make what is new, unless the service goes; whether anything more is to be done. Source: finalize."""
        at = f"{namespace(self.service)}/{name(self.service)}"
        for one in () if is_deleted(self.service) else plan.create:
            try:
                made = self.api.create(self._made(plan, one))
            except Refused as refused:
                if not is_of_ending_namespace(refused.message):
                    self.problems.append(f"failed to create EndpointSlice for Service {at}: {refused.message}")
                return False
            self.known[name(made)] = generation(made)
        return True

    def _delete(self, one: Manifest) -> None:
        self.api.delete(one)
        self.known.pop(name(one), None)

    def _made(self, plan: Plan, one: Slice) -> dict[str, Any]:
        given = trigger.annotated({}, self.at)
        metadata = {
            "generateName": f"{name(self.service)}-",
            "namespace": namespace(self.service),
            "labels": one.labels,
            **({"annotations": given} if given else {}),
            "ownerReferences": [{**controller_reference(self.service), "apiVersion": "v1"}],
        }
        return {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": KIND,
            "metadata": metadata,
            "addressType": plan.family,
            "endpoints": one.endpoints or None,
            "ports": ports.of_slice(one.ports),
        }

    def _changed(self, plan: Plan, one: Slice) -> dict[str, Any]:
        assert one.live is not None
        made = self._made(plan, one)
        before = {} if one.takes_over else annotations(one.live)
        fields = {"labels": one.labels, "annotations": trigger.annotated(before, self.at) or None}
        return {**with_meta(one.live, **fields), "endpoints": made["endpoints"], "ports": made["ports"]}


def _endpoint(
    pod: Manifest, at: Sequence[str], node: Manifest | None, service: Manifest, publishes: bool
) -> dict[str, Any]:
    """Source: podToEndpoint."""
    serving, terminating = is_ready(pod), is_deleted(pod)
    ready = publishes or (serving and not terminating)
    found: dict[str, Any] = {
        "addresses": list(at),
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
    }
    if host := hostname(pod, service):
        found["hostname"] = host
    found["targetRef"] = reference(pod)
    if on := node_of(pod):
        found["nodeName"] = on
    if node is not None and (zone := labels(node).get(_ZONE)):
        found["zone"] = zone
    return found


def _slices_of(service: Manifest, view: View) -> list[Manifest]:
    """Those that are found by their labels, and are not being deleted. What another object controls goes with that."""
    found = [*view.owned(service, KIND), *view.orphans(KIND, namespace(service))]
    return [one for one in found if _is_ours(one) and labels(one).get(SERVICE) == name(service) and not is_deleted(one)]


def _is_ours(one: Manifest) -> bool:
    return labels(one).get(MANAGED_BY) == CONTROLLER


def _aggregate(problems: Sequence[str]) -> str:
    """Source: apimachinery/pkg/util/errors aggregate.Error."""
    found = list(dict.fromkeys(problems))
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"
