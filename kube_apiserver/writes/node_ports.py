"""The numbers that a Service's ports have on every node.

Source: pkg/registry/core/service/storage/alloc.go initNodePorts, updateNodePorts; portallocator/operation.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.resources import by_kind

Object = dict[str, Any]

FIRST, LAST = 30_000, 32_767
_TAKEN = "provided port is already allocated"
_OUTSIDE = f"provided port is not in the valid range. The range of valid ports is {FIRST}-{LAST}"
_WITH_PORTS = ("NodePort", "LoadBalancer")


class Numbers:
    """Those of a cluster while one Service gets its own; nothing is had in a dry run, so any will do there."""

    def __init__(self, others: Sequence[Mapping[str, Any]], *, is_dry_run: bool) -> None:
        specs = [each.get("spec") or {} for each in others]
        self._taken = {port.get("nodePort") for spec in specs for port in spec.get("ports") or ()}
        self._taken |= {spec.get("healthCheckNodePort") for spec in specs}
        self._own: list[int] = []
        self._is_dry_run = is_dry_run

    def take(self, wanted: int) -> str:
        """Why it cannot be had; "" once it is."""
        if not self._is_dry_run and not FIRST <= wanted <= LAST:
            return _OUTSIDE
        if wanted in self._taken or wanted in self._own:
            return _TAKEN
        self._own.append(wanted)
        return ""

    def any(self, spec: Mapping[str, Any]) -> int:
        """One that is free, and that no port of the Service asks for."""
        found: int | None
        if self._is_dry_run:
            found = max(self._own, default=LAST + 1) + 1
        else:
            used = {*self._taken, *self._own, *of_ports(spec)}
            found = next((number for number in range(FIRST, LAST + 1) if number not in used), None)
        if found is None:
            raise errors.internal("failed to allocate a nodePort: range is full")
        self._own.append(found)
        return found


def ports_of(spec: Mapping[str, Any]) -> list[Object]:
    ports = spec.get("ports")
    return [each for each in ports if isinstance(each, dict)] if isinstance(ports, list) else []


def of_ports(spec: Mapping[str, Any]) -> set[Any]:
    return {port["nodePort"] for port in ports_of(spec) if port.get("nodePort")}


def is_checked(spec: Mapping[str, Any]) -> bool:
    """Whether its balancer asks how the nodes are."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def of_new(spec: Object, name: str, numbers: Numbers) -> None:
    """ApiError for what cannot be had."""
    if spec.get("type") in _WITH_PORTS:
        for number, port, wanted in _wanted(spec):
            port["nodePort"] = _had(spec, name, numbers, number, wanted)
    _check_port(spec, numbers)


def of_changed(spec: Object, was: Mapping[str, Any], name: str, numbers: Numbers) -> None:
    """Those that it had stay; ApiError for what cannot be had."""
    known, seen = of_ports(was), set[tuple[Any, int]]()
    for number, port in enumerate(ports_of(spec) if spec.get("type") in _WITH_PORTS else ()):
        wanted = int(port.get("nodePort") or 0)
        if not wanted and not _is_free(spec):
            continue
        if wanted not in known:
            port["nodePort"] = wanted = _had(spec, name, numbers, number, wanted)
            known = {*known, wanted}
        if (pair := (port.get("protocol"), wanted)) in seen:
            raise errors.ApiError(500, "", f"duplicate nodePort: {{{pair[0]} {pair[1]}}}")
        seen.add(pair)
    if not is_checked(was):
        _check_port(spec, numbers)


def _had(spec: Object, name: str, numbers: Numbers, number: int, wanted: int) -> int:
    if not wanted:
        return numbers.any(spec)
    if refusal := numbers.take(wanted):
        cause = causes.invalid(f"spec.ports[{number}].nodePort", wanted, refusal)
        raise errors.invalid(by_kind("Service"), name, [cause])
    return wanted


def _is_free(spec: Mapping[str, Any]) -> bool:
    """Whether the server chooses where the client does not."""
    return spec.get("type") != "LoadBalancer" or spec.get("allocateLoadBalancerNodePorts") is not False


def _check_port(spec: Object, numbers: Numbers) -> None:
    if not is_checked(spec):
        return
    wanted = int(spec.get("healthCheckNodePort") or 0)
    if wanted and (refusal := numbers.take(wanted)):
        raise errors.internal(f"failed to allocate requested HealthCheck NodePort {wanted}: {refusal}")
    spec["healthCheckNodePort"] = wanted or numbers.any(spec)


def _wanted(spec: Object) -> Iterator[tuple[int, Object, int]]:
    """Number, port and the number that it shall have, 0 for any, of a new Service.

    Ports that differ in their protocols alone have the same, which any of them may say.
    """
    known, ports = dict[Any, int](), ports_of(spec)
    for number, port in enumerate(ports):
        own, same = int(port.get("nodePort") or 0), port.get("port")
        if not own and not _is_free(spec):
            continue
        if same not in known:
            wanted = (each["nodePort"] for each in ports if each.get("port") == same and each.get("nodePort"))
            yield number, port, next(wanted, 0)
            known[same] = port["nodePort"]
        elif not own:
            port["nodePort"] = known[same]
        elif own != known[same]:
            yield number, port, own
