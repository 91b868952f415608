"""What is taken of ingresses, endpoints and network policies, and warned of. Source: the strategies of pkg/registry."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver.validation.groups.ingresses import CLASS_ANNOTATION
from kube_apiserver.warnings import addresses

Object = Mapping[str, Any]

_OF_ENDPOINTS, _OF_SLICE = "endpoints.kubernetes.io/managed-by", "endpointslice.kubernetes.io/managed-by"
# What these write is right already.
_CONTROLLERS = {
    _OF_ENDPOINTS: ("endpoint-controller",),
    _OF_SLICE: ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"),
}


def ingress(value: Object, live: Object | None) -> Iterator[str]:
    annotations = value["metadata"].get("annotations") or {}
    has_class = (value.get("spec") or {}).get("ingressClassName") is not None
    if live is None and CLASS_ANNOTATION in annotations and not has_class:
        yield f"annotation \"{CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"


def endpoint_slice(value: Object, live: Object | None) -> Iterator[str]:
    if live is None and value.get("addressType") == "FQDN":
        yield "spec.addressType: FQDN endpoints are deprecated"
    if _is_by_controller(value, _OF_SLICE):
        return
    for number, each in enumerate(value.get("endpoints") or ()):
        yield from addresses.each(each.get("addresses"), f"endpoints[{number}].addresses")


def endpoints(value: Object, live: Object | None) -> Iterator[str]:
    if _is_by_controller(value, _OF_ENDPOINTS):
        return
    for number, subset in enumerate(value.get("subsets") or ()):
        for name in ("addresses", "notReadyAddresses"):
            for place, each in enumerate(subset.get(name) or ()):
                yield from addresses.of(str(each.get("ip") or ""), f"subsets[{number}].{name}[{place}].ip")


def _is_by_controller(value: Object, label: str) -> bool:
    return (value["metadata"].get("labels") or {}).get(label) in _CONTROLLERS[label]


def network_policy(value: Object, live: Object | None) -> Iterator[str]:
    for way, who in (("ingress", "from"), ("egress", "to")):
        for number, rule in enumerate((value.get("spec") or {}).get(way) or ()):
            for place, peer in enumerate(rule.get(who) or ()):
                block, at = peer.get("ipBlock") or {}, f"spec.{way}[{number}].{who}[{place}].ipBlock"
                yield from addresses.of_range(str(block.get("cidr") or ""), f"{at}.cidr")
                for index, text in enumerate(block.get("except") or ()):
                    yield from addresses.of_range(str(text), f"{at}.except[{index}]")
