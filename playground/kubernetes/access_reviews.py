"""Reviews of access, tokens and rules, answered from stored roles and bindings."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from kube_apiserver import errors, reviews
from kube_apiserver.access import UserInfo
from kube_apiserver.account_tokens import AUDIENCES
from kube_apiserver.resources import Resource
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import codec, handlers
from playground.kubernetes import callers, tokens
from playground.kubernetes.api_answer import ApiAnswer
from playground.kubernetes.credentials import account_tokens
from playground.kubernetes.requests import Request


def answer_review(request: Request, resource: Resource, namespace: str) -> ApiAnswer:
    if request.method != "POST":
        raise errors.not_allowed()
    request.check_options()
    value, warnings = handlers.read(resource, request.body(resource.kind), request.write_options)
    head = {"kind": resource.kind, "apiVersion": resource.api_version}
    review = {**head, **_fill_status(request, resource, namespace, value)}
    return ApiAnswer(codec.encode_object(resource, review), 201, warnings)


def _fill_status(request: Request, resource: Resource, namespace: str, value: dict[str, Any]) -> Mapping[str, Any]:
    spec, who = value.get("spec") or {}, request.caller.who
    match resource.kind:
        case reviews.ME:
            return reviews.self_review(who, request.now.strftime(TIME_FORMAT))
        case reviews.TOKEN:
            return reviews.token_review(value, partial(_whose, request.cluster.pk))
        case reviews.RULES:
            bound = callers.bound(request.cluster, reviews.place(spec))
            return reviews.rules_review(spec, who, bound)
    if resource.namespaced and not value["metadata"].get("namespace"):
        value["metadata"]["namespace"] = namespace
    subject = reviews.subject(resource.kind, spec, who)
    bound = callers.bound_to(request.cluster, subject, reviews.place(spec))
    return reviews.access_review(resource, value, namespace, subject, bound)


def _whose(cluster_id: int, token: str, audiences: tuple[str, ...]) -> tuple[UserInfo, list[str]]:
    """Return the user of a token, and those of the audiences that it is for. Raise InvalidTokenError."""
    common = [each for each in AUDIENCES if each in audiences]
    row = tokens.find_token(token, cluster_id)
    if row is not None and common:
        return callers.who_of(row), common
    authenticated = account_tokens.authenticate(token, cluster_id, audiences)
    return authenticated.who, list(authenticated.audiences)
