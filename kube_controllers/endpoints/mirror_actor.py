"""Slices of Endpoints that somebody made by hand, for services that select no pods.

Source: pkg/controller/endpointslicemirroring.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_controllers.contract import Backoff, Outcome, Wake, subject
from kube_controllers.endpoints import ports, subsets, trigger
from kube_controllers.endpoints.addresses import IPV4, IPV6, canonical
from kube_controllers.endpoints.ports import Ports
from kube_controllers.endpoints.selections import selector_of
from kube_controllers.endpoints.service import mappings
from kube_controllers.endpoints.slices import MANAGED_BY, SERVICE, Wanted, identity, is_same
from kube_controllers.endpoints.waking import changed_by_others
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
_NOT_MIRRORED = (trigger.ANNOTATION, "kubectl.kubernetes.io/last-applied-configuration")

Key = tuple[str, Ports]  # a family of addresses, and ports


class MirrorActor:
    name = "endpointslice-mirroring"
    kind = KIND
    watches = frozenset({KIND, "Service", SLICE})
    backoff = Backoff(1.0, 100.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == SLICE:
            return [Wake(at) for at in changed_by_others(old, new, self.name, CONTROLLER, view)]
        if kind(obj) == "Service":
            selects = [bool(selector_of(one)) for one in (old, new) if one is not None]
            return (Wake(key(obj)),) if not selects[0] or not selects[-1] else ()
        service = view.get("Service", key(obj))
        # Those of a service that selects pods are another controller's, which writes slices, too.
        return () if service is not None and selector_of(service) else (Wake(key(obj)),)

    def lost(self, at: str, view: View) -> Outcome:
        return _cleaned(at, view)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncEndpoints."""
        service = view.get("Service", key(obj))
        is_skipped = labels(obj).get(_SKIP) == "true" or _LEADER in annotations(obj)
        if is_skipped or service is None or selector_of(service):
            return _cleaned(key(obj), view)
        return _mirrored(obj, view)


def _cleaned(at: str, view: View) -> Outcome:
    """Nothing of it is left."""
    api = Api(view)
    for one in _slices_of(at, view):
        api.delete(one)
    reason = say("Endpoints {name} are mirrored no longer", name=split(at)[1]) if api.changes else ""
    return Outcome(api.changes, reason, memory=None)


def _slices_of(at: str, view: View) -> list[Manifest]:
    inside, named = split(at)
    found = view.of_kind(SLICE, inside)
    return [one for one in found if labels(one).get(MANAGED_BY) == CONTROLLER and labels(one).get(SERVICE) == named]


def _mirrored(obj: Manifest, view: View) -> Outcome:
    """Source: reconcile."""
    api, existing = Api(view), _by_key(_slices_of(key(obj), view))
    wanted, left_out = _wanted(obj)
    if left_out:
        limit = f"A max of {_MOST} addresses can be mirrored to EndpointSlices per Endpoints subset"
        message = f"{limit}. {left_out} addresses were skipped"
        api.tell(obj, "Warning", "TooManyAddressesToMirror", message, COMPONENT)
    gone = [one for at, found in existing.items() for one in (found[1:] if wanted.get(at) else found)]
    known: dict[str, int] = {}  # generations of slices, as they were written
    failed = False
    for at, found in wanted.items():
        first = existing.get(at, (None,))[0]
        if not found:
            continue
        if first is None:
            first = next((one for one in gone if one.get("addressType") == at[0]), None)
            gone = [one for one in gone if one is not first]
            made = _made(obj, at, found)
        elif _says(first, obj, found):
            known[name(first)] = generation(first)
            continue
        else:
            # One that stays where it was no longer says what its name was drawn from.
            made = with_meta(_made(obj, at, found), generateName=None)
        try:
            written = _write(made, first, obj, api)
        except Refused as refused:
            failed = not is_of_ending_namespace(refused.message)
            break
        known |= {name(one): generation(one) for one in written}
    else:
        for one in gone:
            api.delete(one)
    reason = say("Endpoints {name} are mirrored", name=name(obj)) if api.changes else ""
    return Outcome(api.changes, reason, failed=failed, memory={"slices": known})


def _by_key(slices: Iterable[Manifest]) -> dict[Key, list[Manifest]]:
    found: dict[Key, list[Manifest]] = {}
    for one in slices:
        at = str(one.get("addressType")), ports.in_slices(ports.read(one.get("ports")))
        found.setdefault(at, []).append(one)
    return found


def _wanted(obj: Manifest) -> tuple[dict[Key, Wanted], int]:
    """By family and ports; and how many addresses are too many. Source: desiredCalc."""
    found: dict[Key, Wanted] = {}
    left_out = 0
    for subset in subsets.packed(_addresses(obj)):
        of = ports.in_slices(ports.read(subset.get("ports")))
        here = [*((one, True) for one in subset.get("addresses") or ())]
        here += [(one, False) for one in subset.get("notReadyAddresses") or ()]
        left_out += max(len(here) - _MOST, 0)
        for family in (IPV4, IPV6):
            found.setdefault((family, of), {})
        for address, ready in here[:_MOST]:
            family, text = canonical(str(address.get("ip"))) or ("", "")
            if family:
                endpoint = _endpoint(address, text, ready)
                found[family, of][identity(endpoint)] = endpoint
    return found, left_out


def _addresses(obj: Manifest) -> Iterator[subsets.At]:
    for subset in mappings(obj.get("subsets")):
        of = ports.read(subset.get("ports")) or None
        for field, ready in (("addresses", True), ("notReadyAddresses", False)):
            for address in mappings(subset.get(field)):
                if isinstance(address.get("targetRef"), Mapping | None):
                    yield subsets.At(address, of, ready)


def _endpoint(address: Mapping[str, Any], text: str, ready: bool) -> dict[str, Any]:
    parts = {field: address.get(field) for field in ("hostname", "targetRef", "nodeName")}
    given = {field: part for field, part in parts.items() if part is not None and part != ""}
    return {"addresses": [text], "conditions": {"ready": ready}, **given}


def _notes(obj: Manifest) -> dict[str, str]:
    return {key: value for key, value in annotations(obj).items() if key not in _NOT_MIRRORED}


def _says(live: Manifest, obj: Manifest, wanted: Wanted) -> bool:
    """Whether a slice says all of it already."""
    endpoints = list(mappings(live.get("endpoints")))
    given = {key: value for key, value in labels(live).items() if key not in (MANAGED_BY, SERVICE)}
    is_of_another = any(
        owner.get("kind") == KIND and owner.get("name") == name(obj) and owner.get("uid") != uid(obj)
        for owner in owners(live)
    )
    if is_of_another or given != labels(obj) or annotations(live) != _notes(obj) or len(endpoints) != len(wanted):
        return False
    return all((found := wanted.get(identity(one))) is not None and is_same(found, one) for one in endpoints)


def _made(obj: Manifest, at: Key, wanted: Wanted) -> dict[str, Any]:
    family, of = at
    notes = _notes(obj)
    metadata: dict[str, Any] = {
        "generateName": f"{name(obj)}-",
        "namespace": namespace(obj),
        "labels": {**labels(obj), SERVICE: name(obj), MANAGED_BY: CONTROLLER},
        **({"annotations": notes} if notes else {}),
        "ownerReferences": [{**controller_reference(obj), "apiVersion": "v1"}],
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": SLICE,
        "metadata": metadata,
        "addressType": family,
        "endpoints": list(wanted.values()),
        "ports": ports.of_slice(of),
    }


def _write(made: dict[str, Any], live: Manifest | None, obj: Manifest, api: Api) -> Sequence[Manifest]:
    """The slice as it is stored; nothing more is made of Endpoints that go."""
    if live is None:
        return () if is_deleted(obj) else (api.create(made),)
    new = made["metadata"]
    fields = {field: new.get(field) for field in ("generateName", "labels", "annotations", "ownerReferences")}
    return (api.update({**with_meta(live, **fields), "endpoints": made["endpoints"], "ports": made["ports"]}),)
