"""What is asked before roles and bindings are written: whether their writer has what they give."""

from kubernetes_api import access, escalation
from kubernetes_api.resources import Resource
from kubernetes_api.writes.options import Guard
from playground.kubernetes import callers
from playground.kubernetes.requests import Request


def guard(request: Request, resource: Resource, namespace: str) -> Guard | None:
    """None where there is nothing to ask: of other kinds, and of who has a token's role."""
    who = request.caller.who
    if resource.group != access.RBAC or who.role or who.is_master:
        return None
    bound = callers.bound(request.cluster, namespace)
    return lambda live, value: escalation.check(resource, who, bound, live, value)
