"""The EndpointSlice mirroring controller, for Endpoints of Services without a selector.

Source: pkg/controller/endpointslicemirroring.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.endpoints import ports, subsets, trigger_times
from kube_controllers.endpoints.endpoint_addresses import IPV4, IPV6, parse_address
from kube_controllers.endpoints.ports import Ports
from kube_controllers.endpoints.selections import selector_of
from kube_controllers.endpoints.service import mappings
from kube_controllers.endpoints.service_events import services_changed_by_others
from kube_controllers.endpoints.slices import MANAGED_BY, SERVICE, Wanted, endpoint_identity, has_same_fields
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    annotations,
    controller_reference,
    generation,
    is_deleted,
    key,
    kind,
    labels,
    name,
    namespace,
    owners,
    split,
    uid,
    with_meta,
)
from kube_objects.sentences import say

KIND, SLICE = "Endpoints", "EndpointSlice"
CONTROLLER = "endpointslicemirroring-controller.k8s.io"
COMPONENT = "endpoint-slice-mirroring-controller"
_MOST = 1000  # addresses of a subset
_SKIP, _LEADER = "endpointslice.kubernetes.io/skip-mirror", "control-plane.alpha.kubernetes.io/leader"
_NOT_MIRRORED = (trigger_times.ANNOTATION, "kubectl.kubernetes.io/last-applied-configuration")

Key = tuple[str, Ports]  # a family of addresses, and ports


class EndpointSliceMirroringController:
    name = "endpointslice-mirroring"
    kind = KIND
    watches = frozenset({KIND, "Service", SLICE})
    backoff = Backoff(1.0, 100.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == SLICE:
            return [ReconcileRequest(at) for at in services_changed_by_others(old, new, self.name, CONTROLLER, view)]
        if kind(obj) == "Service":
            selects = [bool(selector_of(one)) for one in (old, new) if one is not None]
            return (ReconcileRequest(key(obj)),) if not selects[0] or not selects[-1] else ()
        service = view.get("Service", key(obj))
        # The EndpointSlice controller handles Services that select Pods.
        return () if service is not None and selector_of(service) else (ReconcileRequest(key(obj)),)

    def lost(self, at: str, view: View) -> Outcome:
        return _delete_slices(at, view)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncEndpoints."""
        service = view.get("Service", key(obj))
        is_skipped = labels(obj).get(_SKIP) == "true" or _LEADER in annotations(obj)
        if is_skipped or service is None or selector_of(service):
            return _delete_slices(key(obj), view)
        return _mirror(obj, view)


def _delete_slices(endpoints_key: str, view: View) -> Outcome:
    """Delete the mirrored slices of a key."""
    api = Api(view)
    for live in _slices_of(endpoints_key, view):
        api.delete(live)
    reason = say("Endpoints {name} are no longer mirrored", name=split(endpoints_key)[1]) if api.changes else ""
    return Outcome(api.changes, reason, memory=None)


def _slices_of(endpoints_key: str, view: View) -> list[Manifest]:
    obj_namespace, endpoints_name = split(endpoints_key)
    slices = view.of_kind(SLICE, obj_namespace)
    return [
        live
        for live in slices
        if labels(live).get(MANAGED_BY) == CONTROLLER and labels(live).get(SERVICE) == endpoints_name
    ]


def _mirror(obj: Manifest, view: View) -> Outcome:
    """Write the slices of an Endpoints object, and delete all others. Source: reconcile."""
    api, existing = Api(view), _by_key(_slices_of(key(obj), view))
    wanted, left_out = _wanted_endpoints(obj)
    if left_out:
        limit = f"A max of {_MOST} addresses can be mirrored to EndpointSlices per Endpoints subset"
        message = f"{limit}. {left_out} addresses were skipped"
        api.emit_event(obj, "Warning", "TooManyAddressesToMirror", message, COMPONENT)
    gone = [
        surplus
        for slice_key, slices in existing.items()
        for surplus in (slices[1:] if wanted.get(slice_key) else slices)
    ]
    known: dict[str, int] = {}  # generations of slices, as they were written
    failed = False
    for slice_key, wanted_here in wanted.items():
        first = existing.get(slice_key, (None,))[0]
        if not wanted_here:
            continue
        if first is None:
            first = next((slice_ for slice_ in gone if slice_.get("addressType") == slice_key[0]), None)
            gone = [slice_ for slice_ in gone if slice_ is not first]
            made = _slice_object(obj, slice_key, wanted_here)
        elif _is_up_to_date(first, obj, wanted_here):
            known[name(first)] = generation(first)
            continue
        else:
            # A stored slice has no `generateName`.
            made = with_meta(_slice_object(obj, slice_key, wanted_here), generateName=None)
        try:
            written = _write_slice(made, first, obj, api)
        except WriteRefused as refused:
            failed = not is_namespace_terminating(refused.message)
            break
        known |= {name(slice_): generation(slice_) for slice_ in written}
    else:
        for surplus in gone:
            api.delete(surplus)
    reason = say("Endpoints {name} are mirrored", name=name(obj)) if api.changes else ""
    return Outcome(api.changes, reason, failed=failed, memory={"slices": known})


def _by_key(slices: Iterable[Manifest]) -> dict[Key, list[Manifest]]:
    slices_by_key: dict[Key, list[Manifest]] = {}
    for live in slices:
        slice_key = str(live.get("addressType")), ports.sort_for_slices(ports.read_ports(live.get("ports")))
        slices_by_key.setdefault(slice_key, []).append(live)
    return slices_by_key


def _wanted_endpoints(obj: Manifest) -> tuple[dict[Key, Wanted], int]:
    """Return the endpoints by family and ports, and the number of addresses beyond the limit. Source: desiredCalc."""
    wanted: dict[Key, Wanted] = {}
    left_out = 0
    for subset in subsets.repack_subsets(_served_addresses(obj)):
        slice_ports = ports.sort_for_slices(ports.read_ports(subset.get("ports")))
        addresses = [*((address, True) for address in subset.get("addresses") or ())]
        addresses += [(address, False) for address in subset.get("notReadyAddresses") or ()]
        left_out += max(len(addresses) - _MOST, 0)
        for family in (IPV4, IPV6):
            wanted.setdefault((family, slice_ports), {})
        for address, ready in addresses[:_MOST]:
            family, text = parse_address(str(address.get("ip"))) or ("", "")
            if family:
                endpoint = _endpoint(address, text, ready)
                wanted[family, slice_ports][endpoint_identity(endpoint)] = endpoint
    return wanted, left_out


def _served_addresses(obj: Manifest) -> Iterator[subsets.ServedAddress]:
    for subset in mappings(obj.get("subsets")):
        subset_ports = ports.read_ports(subset.get("ports")) or None
        for field, ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in mappings(subset.get(field)):
                if isinstance(address.get("targetRef"), Mapping | None):
                    yield subsets.ServedAddress(address, subset_ports, ready)


def _endpoint(address: Mapping[str, Any], text: str, ready: bool) -> dict[str, Any]:
    parts = {field: address.get(field) for field in ("hostname", "targetRef", "nodeName")}
    fields = {field: part for field, part in parts.items() if part is not None and part != ""}
    return {"addresses": [text], "conditions": {"ready": ready}, **fields}


def _mirrored_annotations(obj: Manifest) -> dict[str, str]:
    return {key: value for key, value in annotations(obj).items() if key not in _NOT_MIRRORED}


def _is_up_to_date(live: Manifest, obj: Manifest, wanted: Wanted) -> bool:
    """Return whether a slice needs no change."""
    endpoints = list(mappings(live.get("endpoints")))
    mirrored_labels = {key: value for key, value in labels(live).items() if key not in (MANAGED_BY, SERVICE)}
    is_of_another = any(
        owner.get("kind") == KIND and owner.get("name") == name(obj) and owner.get("uid") != uid(obj)
        for owner in owners(live)
    )
    if (
        is_of_another
        or mirrored_labels != labels(obj)
        or annotations(live) != _mirrored_annotations(obj)
        or len(endpoints) != len(wanted)
    ):
        return False
    return all(
        (match := wanted.get(endpoint_identity(endpoint))) is not None and has_same_fields(match, endpoint)
        for endpoint in endpoints
    )


def _slice_object(obj: Manifest, slice_key: Key, wanted: Wanted) -> dict[str, Any]:
    family, slice_ports = slice_key
    mirrored = _mirrored_annotations(obj)
    metadata: dict[str, Any] = {
        "generateName": f"{name(obj)}-",
        "namespace": namespace(obj),
        "labels": {**labels(obj), SERVICE: name(obj), MANAGED_BY: CONTROLLER},
        **({"annotations": mirrored} if mirrored else {}),
        "ownerReferences": [{**controller_reference(obj), "apiVersion": "v1"}],
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": SLICE,
        "metadata": metadata,
        "addressType": family,
        "endpoints": list(wanted.values()),
        "ports": ports.slice_ports(slice_ports),
    }


def _write_slice(made: dict[str, Any], live: Manifest | None, obj: Manifest, api: Api) -> Sequence[Manifest]:
    """Create or update the slice. Deleted Endpoints get no new slices."""
    if live is None:
        return () if is_deleted(obj) else (api.create(made),)
    new = made["metadata"]
    fields = {field: new.get(field) for field in ("generateName", "labels", "annotations", "ownerReferences")}
    return (api.update({**with_meta(live, **fields), "endpoints": made["endpoints"], "ports": made["ports"]}),)
