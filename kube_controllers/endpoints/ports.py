"""The ports at which the pods of a service answer: named ones are looked up in each pod.

Source: staging/src/k8s.io/endpointslice/utils.go getEndpointPorts, FindPort.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from kube_controllers.endpoints.service import ServicePort, app_protocol_of, is_headless, mappings, ports
from kube_controllers.hashing import fnv128a
from kube_objects.manifests import Manifest, spec


class Port(NamedTuple):
    name: str
    protocol: str
    number: int
    app_protocol: str | None = None


Ports = tuple[Port, ...]
_MOST_HASHED = 256  # no service has more but to see what happens


class Finder:
    """The ports of a service's pods, in the order of the service; None where it has none and needs none."""

    def __init__(self, service: Manifest) -> None:
        self._wanted: Sequence[ServicePort] = ports(service)
        self._named = any(isinstance(one.target, str) for one in self._wanted)
        self._known: dict[tuple[int, int], Ports] = {}
        self._needs_none = not self._wanted and is_headless(service)

    def of(self, pod: Manifest) -> Ports | None:
        if self._needs_none:
            return None
        # Pods of one template have the very same containers.
        given = spec(pod)
        at = (id(given.get("containers")), id(given.get("initContainers"))) if self._named else (0, 0)
        found = self._known.get(at)
        if found is None:
            found = self._known[at] = tuple(self._found(pod))
        return found

    def _found(self, pod: Manifest) -> Iterator[Port]:
        for one in self._wanted:
            number = one.target if isinstance(one.target, int) else _number(pod, one.target, one.protocol)
            if number is not None:
                yield Port(one.name, one.protocol, number, one.app_protocol)


def _number(pod: Manifest, named: str, protocol: str) -> int | None:
    """In containers, then in sidecars."""
    given = spec(pod)
    sidecars = (one for one in mappings(given.get("initContainers")) if one.get("restartPolicy") == "Always")
    for container in (*mappings(given.get("containers")), *sidecars):
        for port in mappings(container.get("ports")):
            if port.get("name") == named and (port.get("protocol") or "TCP") == protocol:
                found = port.get("containerPort")
                return found if isinstance(found, int) else None
    return None


def in_slices(found: Ports) -> Ports:
    """As a slice has them: by the hash of what Go prints of them. Source: portsInOrder."""
    return _sorted(found, _in_slice)


def in_subsets(found: Ports) -> Ports:
    """As a subset of Endpoints has them. Source: pkg/api/v1/endpoints/util.go portsByHash."""
    return _sorted(found, _in_subset)


def _sorted(found: Ports, by: Callable[[Port], int]) -> Ports:
    return tuple(sorted(found, key=by)) if 1 < len(found) <= _MOST_HASHED else found


@lru_cache(maxsize=4096)
def _in_slice(port: Port) -> int:
    more = "<nil>" if port.app_protocol is None else port.app_protocol
    text = (
        f"(v1.EndpointPort){{Name:(*string){port.name} Protocol:(*v1.Protocol){port.protocol} "
        f"Port:(*int32){port.number} AppProtocol:(*string){more}}}"
    )
    return fnv128a(text.encode())


@lru_cache(maxsize=4096)
def _in_subset(port: Port) -> int:
    more = "<nil>" if port.app_protocol is None else port.app_protocol
    text = (
        f"(v1.EndpointPort){{Name:(string){port.name} Port:(int32){port.number} "
        f"Protocol:(v1.Protocol){port.protocol} AppProtocol:(*string){more}}}"
    )
    return fnv128a(text.encode())


def read(given: Any) -> Ports:
    """Those of a slice that is there."""
    return tuple(
        Port(str(one.get("name") or ""), str(one.get("protocol") or "TCP"), _int(one), app_protocol_of(one))
        for one in mappings(given)
    )


def _int(port: Mapping[str, Any]) -> int:
    found = port.get("port")
    return found if isinstance(found, int) else 0


def of_slice(found: Ports) -> list[dict[str, Any]] | None:
    """As they are written; where there are none, an API server keeps no list."""
    return [
        {"name": one.name, "protocol": one.protocol, "port": one.number, **_app_protocol(one)} for one in found
    ] or None


def of_subset(found: Ports) -> list[dict[str, Any]]:
    return [
        {**({"name": one.name} if one.name else {}), "port": one.number, "protocol": one.protocol, **_app_protocol(one)}
        for one in found
    ]


def _app_protocol(port: Port) -> dict[str, Any]:
    return {} if port.app_protocol is None else {"appProtocol": port.app_protocol}
