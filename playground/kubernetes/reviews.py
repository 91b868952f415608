"""Questions of clients about themselves: who am I, may I, what may I."""

from collections.abc import Mapping
from typing import Any

from kubernetes_api import access, errors
from kubernetes_api.access import Wish
from kubernetes_api.resources import Resource
from playground.kubernetes import callers
from playground.kubernetes.requests import Request

KINDS = ("SelfSubjectReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview")


def answer(request: Request, resource: Resource) -> Mapping[str, Any]:
    if request.method != "POST":
        raise errors.not_allowed()
    sent = request.body()
    if not isinstance(sent, dict) or not isinstance(sent.get("spec", {}), dict):
        raise errors.bad_request(f"the object provided is no {resource.kind}")
    spec = sent.get("spec") or {}
    who = request.caller.who
    if resource.kind == "SelfSubjectReview":
        found: dict[str, Any] = {"status": {"userInfo": _user(request)}}
    elif resource.kind == "SelfSubjectRulesReview":
        namespace = str(spec.get("namespace") or "")
        found = {"spec": spec, "status": access.rules(who, namespace, callers.bound(request.cluster, who, namespace))}
    else:
        found = {"spec": spec, "status": {"allowed": _may(request, spec)}}
    return {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": {}, **found}


def _user(request: Request) -> dict[str, Any]:
    who = request.caller.who
    return {"username": who.name, **({"uid": "admin-uid"} if who.is_master else {}), "groups": list(who.groups)}


def _may(request: Request, spec: Mapping[str, Any]) -> bool:
    who, about = request.caller.who, spec.get("resourceAttributes")
    if not isinstance(about, dict):
        wanted = spec.get("nonResourceAttributes") or {}
        verb, path = (str(wanted.get(key) or "") for key in ("verb", "path"))
        return access.may_visit(who, verb, path, callers.bound(request.cluster, who, ""))
    text = {name: str(value) for name, value in about.items()}
    resource = "/".join(filter(None, (text.get("resource"), text.get("subresource"))))
    wish = Wish(text.get("verb", ""), text.get("group", ""), resource, text.get("namespace", ""), text.get("name", ""))
    return access.may(who, wish, callers.bound(request.cluster, who, wish.namespace))
