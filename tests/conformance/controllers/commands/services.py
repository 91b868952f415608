"""The objects of `kubectl create service`, `ingress` and `secret`. Source: kubectl/pkg/cmd/create."""

from typing import Any

from tests.conformance.controllers.arguments import Arguments, Fault

_TYPES = {"clusterip": "ClusterIP", "nodeport": "NodePort", "loadbalancer": "LoadBalancer"}


def secret(_: str, arguments: Arguments) -> dict[str, Any]:
    """Return a Secret without data, because no controller reads it."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": _second_name(arguments)}}


def service(of: str, arguments: Arguments) -> dict[str, Any]:
    named = _second_name(arguments)
    made: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": named, "labels": {"app": named}},
    }
    pairs = [one.partition(":") for given in arguments.all("tcp") for one in given.split(",")]
    ports = [{"name": f"{port}-{to or port}", "port": int(port), "protocol": "TCP"} for port, _, to in pairs]
    if of == "externalname":
        wanted: dict[str, Any] = {"type": "ExternalName", "externalName": arguments.one("external-name")}
    else:
        wanted = {"type": _TYPES.get(of, of)}
    if arguments.one("clusterip"):
        wanted["clusterIP"] = arguments.one("clusterip")
    return {**made, "spec": {**wanted, "selector": {"app": named}, **({"ports": ports} if ports else {})}}


def _second_name(arguments: Arguments) -> str:
    """Return the name of `create secret generic NAME` or `create service clusterip NAME`."""
    if len(arguments.words) < 3:
        raise Fault("error: exactly one NAME is required")
    return arguments.words[2]


def ingress(named: str, arguments: Arguments) -> dict[str, Any]:
    rules = [_rule(one) for one in arguments.all("rule")]
    wanted: dict[str, Any] = {"rules": rules} if rules else {}
    if arguments.one("default-backend"):
        wanted["defaultBackend"] = _backend(arguments.one("default-backend"))
    if not wanted:
        raise Fault(
            "error: not enough information provided: every ingress has to either specify a default-backend or a rule"
        )
    made = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": named}}
    return {**made, "spec": wanted}


def _rule(written: str) -> dict[str, Any]:
    """Return the rule of `host/path=service:port`, in which `*` follows a path that is a prefix."""
    place, _, to = written.partition(",")[0].partition("=")
    host, _, path = place.partition("/")
    kind = "Prefix" if path.endswith("*") else "Exact"
    one = {"path": f"/{path.removesuffix('*')}", "pathType": kind, "backend": _backend(to)}
    return {**({"host": host} if host else {}), "http": {"paths": [one]}}


def _backend(written: str) -> dict[str, Any]:
    to, _, port = written.partition(":")
    return {"service": {"name": to, "port": {"number": int(port)} if port.isdigit() else {"name": port}}}
