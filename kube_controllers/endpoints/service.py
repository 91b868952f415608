"""Getters for the fields of a Service that endpoints follow from, with the API server's defaults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.endpoints.endpoint_addresses import IPV4, family_of
from kube_controllers.endpoints.selections import selector_of
from kube_objects.manifests import Manifest, name, namespace, number, spec

_FAMILIES = ("IPv4", "IPv6")
_NO_ADDRESS = "None"
HEADLESS = "service.kubernetes.io/headless"


@dataclass(slots=True, frozen=True)
class ServicePort:
    """A port of a Service. `target` is a number or the name of a container port."""

    name: str
    protocol: str
    target: int | str
    app_protocol: str | None


def is_published(service: Manifest) -> bool:
    """Return whether the endpoint controllers handle the Service: it has a selector and isn't an ExternalName."""
    return bool(selector_of(service)) and spec(service).get("type") != "ExternalName"


def is_headless(service: Manifest) -> bool:
    """Return whether the Service has no cluster IP."""
    return bool(spec(service).get("clusterIP") == _NO_ADDRESS)


def families(service: Manifest) -> Sequence[str]:
    """Return the Service's IP families, by default the one of its cluster IP. Source: getAddressTypesForService."""
    listed = spec(service).get("ipFamilies")
    known = [family for family in listed if family in _FAMILIES] if isinstance(listed, list) else []
    return known or (family_of(str(spec(service).get("clusterIP") or "")) or IPV4,)


def ports(service: Manifest) -> Sequence[ServicePort]:
    return [
        ServicePort(
            str(port.get("name") or ""),
            str(port.get("protocol") or "TCP"),
            _target(port),
            app_protocol_of(port),
        )
        for port in mappings(spec(service).get("ports"))
    ]


def app_protocol_of(port: Mapping[str, Any]) -> str | None:
    return None if port.get("appProtocol") is None else str(port["appProtocol"])


def _target(port: Mapping[str, Any]) -> int | str:
    target = port.get("targetPort") or port.get("port")
    return target if isinstance(target, str) else number(target if isinstance(target, int) else None, 0)


def publishes_not_ready(service: Manifest) -> bool:
    return bool(spec(service).get("publishNotReadyAddresses"))


def hostname(pod: Manifest, service: Manifest) -> str:
    """Return the Pod's host name in the Service's domain, or "". Source: ShouldSetHostname."""
    pod_spec = spec(pod)
    return str(pod_spec.get("hostname") or "") if pod_spec.get("subdomain") == name(service) else ""


def reference(pod: Manifest) -> dict[str, Any]:
    return {"kind": "Pod", "namespace": namespace(pod), "name": name(pod), "uid": str(pod["metadata"].get("uid", ""))}


def mappings(listed: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a list that was never validated."""
    if isinstance(listed, list):
        yield from (entry for entry in listed if isinstance(entry, Mapping))
