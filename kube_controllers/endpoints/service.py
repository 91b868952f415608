"""A Service as those who publish its endpoints read it: with what an API server fills in, whoever wrote it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.endpoints.addresses import IPV4, family_of
from kube_controllers.endpoints.selections import selector_of
from kube_objects.manifests import Manifest, name, namespace, number, spec

_FAMILIES = ("IPv4", "IPv6")
_NO_ADDRESS = "None"
HEADLESS = "service.kubernetes.io/headless"


@dataclass(slots=True, frozen=True)
class ServicePort:
    """`target` is a number, or the name that containers give a port."""

    name: str
    protocol: str
    target: int | str
    app_protocol: str | None


def is_published(service: Manifest) -> bool:
    """Others have endpoints that somebody else makes, or none."""
    return bool(selector_of(service)) and spec(service).get("type") != "ExternalName"


def is_headless(service: Manifest) -> bool:
    """All others get an address when they are created."""
    return bool(spec(service).get("clusterIP") == _NO_ADDRESS)


def families(service: Manifest) -> Sequence[str]:
    """Source: getAddressTypesForService. Of services that no API server has seen: what one of a single stack says."""
    given = spec(service).get("ipFamilies")
    found = [one for one in given if one in _FAMILIES] if isinstance(given, list) else []
    return found or (family_of(str(spec(service).get("clusterIP") or "")) or IPV4,)


def ports(service: Manifest) -> Sequence[ServicePort]:
    return [
        ServicePort(
            str(one.get("name") or ""),
            str(one.get("protocol") or "TCP"),
            _target(one),
            app_protocol_of(one),
        )
        for one in mappings(spec(service).get("ports"))
    ]


def app_protocol_of(port: Mapping[str, Any]) -> str | None:
    return None if port.get("appProtocol") is None else str(port["appProtocol"])


def _target(port: Mapping[str, Any]) -> int | str:
    found = port.get("targetPort") or port.get("port")
    return found if isinstance(found, str) else number(found if isinstance(found, int) else None, 0)


def publishes_not_ready(service: Manifest) -> bool:
    return bool(spec(service).get("publishNotReadyAddresses"))


def hostname(pod: Manifest, service: Manifest) -> str:
    """The pod's name in the service's domain. Source: ShouldSetHostname."""
    given = spec(pod)
    return str(given.get("hostname") or "") if given.get("subdomain") == name(service) else ""


def reference(pod: Manifest) -> dict[str, Any]:
    return {"kind": "Pod", "namespace": namespace(pod), "name": name(pod), "uid": str(pod["metadata"].get("uid", ""))}


def mappings(given: Any) -> Iterator[Mapping[str, Any]]:
    """Of parts that nobody has looked at yet: scheduling does not read them."""
    if isinstance(given, list):
        yield from (one for one in given if isinstance(one, Mapping))
