"""The ports at which a Service's Pods serve. Named ports are resolved in each Pod.

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
_MOST_HASHED = 256  # a bound for hostile input


class PortFinder:
    """A resolver of a Service's ports, with a cache by template."""

    def __init__(self, service: Manifest) -> None:
        self._wanted: Sequence[ServicePort] = ports(service)
        self._named = any(isinstance(one.target, str) for one in self._wanted)
        self._known: dict[tuple[int, int], Ports] = {}
        self._needs_none = not self._wanted and is_headless(service)

    def ports_of(self, pod: Manifest) -> Ports | None:
        """Return the Pod's ports in the order of the Service; None for a headless Service without ports."""
        if self._needs_none:
            return None
        # Pods of one template share the container instances.
        pod_spec = spec(pod)
        cache_key = (id(pod_spec.get("containers")), id(pod_spec.get("initContainers"))) if self._named else (0, 0)
        known = self._known.get(cache_key)
        if known is None:
            known = self._known[cache_key] = tuple(self._resolve(pod))
        return known

    def _resolve(self, pod: Manifest) -> Iterator[Port]:
        for port in self._wanted:
            number = port.target if isinstance(port.target, int) else _named_port(pod, port.target, port.protocol)
            if number is not None:
                yield Port(port.name, port.protocol, number, port.app_protocol)


def _named_port(pod: Manifest, named: str, protocol: str) -> int | None:
    """Return the number of a container port, searched in containers, then in sidecars."""
    pod_spec = spec(pod)
    sidecars = (
        container
        for container in mappings(pod_spec.get("initContainers"))
        if container.get("restartPolicy") == "Always"
    )
    for container in (*mappings(pod_spec.get("containers")), *sidecars):
        for port in mappings(container.get("ports")):
            if port.get("name") == named and (port.get("protocol") or "TCP") == protocol:
                number = port.get("containerPort")
                return number if isinstance(number, int) else None
    return None


def sort_for_slices(listed: Ports) -> Ports:
    """Return the ports in the order of a slice: by the hash of their Go text. Source: portsInOrder."""
    return _sorted(listed, _slice_hash)


def sort_for_subsets(listed: Ports) -> Ports:
    """Return the ports in the order of an Endpoints subset. Source: pkg/api/v1/endpoints/util.go portsByHash."""
    return _sorted(listed, _subset_hash)


def _sorted(listed: Ports, hash_of: Callable[[Port], int]) -> Ports:
    return tuple(sorted(listed, key=hash_of)) if 1 < len(listed) <= _MOST_HASHED else listed


@lru_cache(maxsize=4096)
def _slice_hash(port: Port) -> int:
    more = "<nil>" if port.app_protocol is None else port.app_protocol
    text = (
        f"(v1.EndpointPort){{Name:(*string){port.name} Protocol:(*v1.Protocol){port.protocol} "
        f"Port:(*int32){port.number} AppProtocol:(*string){more}}}"
    )
    return fnv128a(text.encode())


@lru_cache(maxsize=4096)
def _subset_hash(port: Port) -> int:
    more = "<nil>" if port.app_protocol is None else port.app_protocol
    text = (
        f"(v1.EndpointPort){{Name:(string){port.name} Port:(int32){port.number} "
        f"Protocol:(v1.Protocol){port.protocol} AppProtocol:(*string){more}}}"
    )
    return fnv128a(text.encode())


def read_ports(listed: Any) -> Ports:
    """Return the ports of a stored slice or subset."""
    return tuple(
        Port(str(port.get("name") or ""), str(port.get("protocol") or "TCP"), _port_number(port), app_protocol_of(port))
        for port in mappings(listed)
    )


def _port_number(port: Mapping[str, Any]) -> int:
    number = port.get("port")
    return number if isinstance(number, int) else 0


def slice_ports(listed: Ports) -> list[dict[str, Any]] | None:
    """Return the ports as a slice stores them. The API server stores no empty list."""
    return [
        {"name": port.name, "protocol": port.protocol, "port": port.number, **_app_protocol(port)} for port in listed
    ] or None


def subset_ports(listed: Ports) -> list[dict[str, Any]]:
    return [
        {
            **({"name": port.name} if port.name else {}),
            "port": port.number,
            "protocol": port.protocol,
            **_app_protocol(port),
        }
        for port in listed
    ]


def _app_protocol(port: Port) -> dict[str, Any]:
    return {} if port.app_protocol is None else {"appProtocol": port.app_protocol}
