"""Checks of rights besides a request's own verb: escalation by roles, and additional verbs."""

from dataclasses import replace

from kube_apiserver import access, errors, escalation
from kube_apiserver.resources import Resource
from kube_apiserver.writes.options import Guard
from playground.kubernetes import callers
from playground.kubernetes.requests import Request


def guard(request: Request, resource: Resource, namespace: str) -> Guard | None:
    """Return the check against privilege escalation, or None for other kinds and for callers with a token's role."""
    who = request.caller.who
    if resource.group != access.RBAC or who.role or who.is_master:
        return None
    bound = callers.bound(request.cluster, namespace)
    return lambda live, value: escalation.check(resource, who, bound, live, value)


def check_other_verb(request: Request, resource: Resource, name: str, verb: str) -> None:
    """Raise ApiError if the caller lacks the right to use `verb` on the request's object.

    Sources: withAuthorization of apiserver/pkg/endpoints/handlers/create.go, pkg/registry/core/pod/rest/authorize.go.
    """
    who, info = request.caller.who, request.info
    if info.verb == verb:
        return
    verdict = access.decide(
        who, replace(info.attributes, verb=verb), callers.bound_to(request.cluster, who, info.namespace)
    )
    if not verdict.allowed:
        raise errors.refused(request.served or resource, name, verdict.reason)
