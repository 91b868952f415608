"""Questions of clients about rights, answered from what is stored: who am I, may somebody, may I, what may I."""

from collections.abc import Mapping
from typing import Any

from kubernetes_api import errors, reviews
from kubernetes_api.access import Who
from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.resources import Resource
from kubernetes_api.writes import encoding, writing
from playground.kubernetes import callers, tokens
from playground.kubernetes.answers import Answer
from playground.kubernetes.requests import Request


def answer(request: Request, resource: Resource, namespace: str) -> Answer:
    if request.method != "POST":
        raise errors.not_allowed()
    request.check_options()
    value, warnings = writing.read(resource, request.body(resource.kind), request.write_options)
    head = {"kind": resource.kind, "apiVersion": resource.api_version}
    found = {**head, **_answered(request, resource, namespace, value)}
    return Answer(encoding.of_kind(resource, found), 201, warnings)


def _answered(request: Request, resource: Resource, namespace: str, value: dict[str, Any]) -> Mapping[str, Any]:
    spec, who = value.get("spec") or {}, request.caller.who
    match resource.kind:
        case reviews.ME:
            return reviews.self_review(who, request.now.strftime(TIME_FORMAT))
        case reviews.TOKEN:
            return reviews.token_review(value, _whose(request, str(spec.get("token") or "")))
        case reviews.RULES:
            bound = callers.bound(request.cluster, reviews.place(spec))
            return reviews.rules_review(spec, who, bound)
    if resource.namespaced and not value["metadata"].get("namespace"):
        value["metadata"]["namespace"] = namespace
    about = reviews.subject(resource.kind, spec, who)
    bound = callers.bound_to(request.cluster, about, reviews.place(spec))
    return reviews.access_review(resource, value, namespace, about, bound)


def _whose(request: Request, token: str) -> Who | None:
    found = tokens.find(token, request.cluster.pk) if token else None
    return None if found is None else callers.who_of(found)
