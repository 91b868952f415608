"""The objects of `kubectl create role`, `rolebinding` and their cluster-wide forms. Source: kubectl/pkg/cmd/create."""

from collections.abc import Callable
from typing import Any

from tests.conformance.controllers.arguments import Arguments, Fault

_GROUP = "rbac.authorization.k8s.io"
_VERSION = f"{_GROUP}/v1"
Maker = Callable[[str, Arguments], dict[str, Any]]


def role(kind: str) -> Maker:
    """Return a function that creates the object, without rules, because no controller reads them."""

    def make(named: str, arguments: Arguments) -> dict[str, Any]:
        if not arguments.all("verb") and not arguments.one("aggregation-rule"):
            raise Fault("error: at least one verb must be specified")
        return {"apiVersion": _VERSION, "kind": kind, "metadata": {"name": named}, "rules": []}

    return make


def binding(kind: str) -> Maker:
    def make(named: str, arguments: Arguments) -> dict[str, Any]:
        found = [(of, arguments.one(of.lower())) for of in ("ClusterRole", "Role") if arguments.one(of.lower())]
        if len(found) != 1:
            raise Fault("error: exactly one of clusterrole or role must be specified")
        ((of, to),) = found
        return {
            "apiVersion": _VERSION,
            "kind": kind,
            "metadata": {"name": named},
            "subjects": _subjects(arguments),
            "roleRef": {"apiGroup": _GROUP, "kind": of, "name": to},
        }

    return make


def _subjects(arguments: Arguments) -> list[dict[str, str]]:
    found = [
        {"kind": kind, "apiGroup": _GROUP, "name": each}
        for kind in ("User", "Group")
        for given in arguments.all(kind.lower())
        for each in given.split(",")
    ]
    for given in arguments.all("serviceaccount"):
        inside, _, named = given.partition(":")
        if not named:
            raise Fault("error: serviceaccount must be <namespace>:<name>")
        found.append({"kind": "ServiceAccount", "namespace": inside, "name": named})
    return found
