"""Admission policies for writes of clients."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import access, conversion
from kube_apiserver.access import Question, Verdict, Visit, Who
from kube_apiserver.admission import policies
from kube_apiserver.admission.attributes import AdmissionRequest
from kube_apiserver.resources import Resource, table
from playground.kubernetes import callers, custom, reading
from playground.kubernetes.requests import Request


def deleted(request: Request, resource: Resource, live: Mapping[str, Any], *, is_dry_run: bool) -> list[str]:
    """Return the policies' warnings about a delete. Raise ApiError if they deny it."""
    namespace = str(live["metadata"].get("namespace") or "")
    about = admission_request(request, resource, namespace, is_dry_run=is_dry_run).about(live, None)
    return policies.check(about, live, None, reading.World(request.cluster))


def admission_request(
    request: Request, resource: Resource, namespace: str, subresource: str = "", *, is_dry_run: bool = False
) -> AdmissionRequest:
    """Return the request as admission policies see it. Operation and name follow from the object."""

    def decide(who: Who, question: Question) -> Verdict:
        if isinstance(question, Visit):
            bound = callers.bound_to(request.cluster, who, "")
            return access.decide_visit(who, question.verb, question.path, bound)
        return access.decide(who, question, callers.bound_to(request.cluster, who, question.namespace))

    known = table().values() if resource.custom is None else custom.served(request.cluster)
    return AdmissionRequest(
        "",
        resource,
        namespace,
        "",
        subresource,
        request.caller.who,
        is_dry_run or request.is_dry_run,
        request.served,
        conversion.versions(resource, known),
        decide,
    )
