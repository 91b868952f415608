"""What admission policies of a cluster say of a write."""

from collections.abc import Callable, Mapping
from typing import Any

from kube_apiserver import access, conversion
from kube_apiserver.access import Verdict, Who
from kube_apiserver.admission import mutating_policies, policies
from kube_apiserver.admission.authorizer import Question, Visit
from kube_apiserver.admission.policy_matching import AdmissionRequest
from kube_apiserver.resources import Resource, table
from kube_apiserver.writes import scales
from kube_apiserver.writes.options import Mutations, Policies
from playground.kubernetes import callers, custom, reading
from playground.kubernetes.requests import Request

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"


def policed(request: Request, resource: Resource, namespace: str, door: str = "") -> Policies:
    """What a write is shown to: a create where nothing was there before. Of a workload that is scaled, its Scale."""

    def shown(live: Mapping[str, Any] | None, value: Mapping[str, Any]) -> list[str]:
        operation = CREATE if live is None else UPDATE
        if door == "scale" and live is not None:
            live, value = scales.scale(resource, live), scales.scale(resource, value)
        return _checked(request, resource, namespace, operation, live, value, door)

    return shown


def mutating(request: Request, resource: Resource, namespace: str) -> Mutations:
    """What policies make of a write, before it is checked."""

    def made(
        live: Mapping[str, Any] | None, value: dict[str, Any], admit: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        operation = CREATE if live is None else UPDATE
        shown = _shown(request, resource, namespace, operation, _name(live, value))
        return mutating_policies.mutated(shown, live, value, reading.World(request.cluster), admit)

    return made


def deleted(request: Request, resource: Resource, live: Mapping[str, Any], *, is_dry_run: bool) -> list[str]:
    namespace = str(live["metadata"].get("namespace") or "")
    return _checked(request, resource, namespace, DELETE, live, None, is_dry_run=is_dry_run)


def _checked(
    request: Request,
    resource: Resource,
    namespace: str,
    operation: str,
    live: Mapping[str, Any] | None,
    value: Mapping[str, Any] | None,
    door: str = "",
    *,
    is_dry_run: bool = False,
) -> list[str]:
    shown = _shown(request, resource, namespace, operation, _name(live, value), door, is_dry_run=is_dry_run)
    return policies.check(shown, live, value, reading.World(request.cluster))


def _name(live: Mapping[str, Any] | None, value: Mapping[str, Any] | None) -> str:
    return str((value or live or {})["metadata"].get("name") or "")


def _shown(
    request: Request,
    resource: Resource,
    namespace: str,
    operation: str,
    name: str,
    door: str = "",
    *,
    is_dry_run: bool = False,
) -> AdmissionRequest:
    def decide(who: Who, question: Question) -> Verdict:
        if isinstance(question, Visit):
            bound = callers.bound_to(request.cluster, who, "")
            return access.decide_visit(who, question.verb, question.path, bound)
        return access.decide(who, question, callers.bound_to(request.cluster, who, question.namespace))

    known = table().values() if resource.custom is None else custom.served(request.cluster)
    return AdmissionRequest(
        operation,
        resource,
        namespace,
        name,
        door,
        request.caller.who,
        is_dry_run or request.is_dry_run,
        request.served,
        conversion.versions(resource, known),
        decide,
    )
