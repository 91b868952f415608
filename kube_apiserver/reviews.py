"""Reviews: SubjectAccessReview, SelfSubjectRulesReview, SelfSubjectReview, TokenReview and their variants.

Source: pkg/registry/authorization, pkg/registry/authentication, pkg/apis/authorization/validation.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kube_apiserver import access, causes, errors
from kube_apiserver.access import AuthorizationAttributes, Bound, UserInfo, Verdict
from kube_apiserver.account_tokens import AUDIENCES, InvalidTokenError
from kube_apiserver.causes import Cause
from kube_apiserver.resources import Resource
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

SELF, RULES, ME = "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SelfSubjectReview"
ANYBODY, LOCAL, TOKEN = "SubjectAccessReview", "LocalSubjectAccessReview", "TokenReview"
_INVALID = "invalid bearer token"
KINDS = frozenset([SELF, RULES, ME, ANYBODY, LOCAL, TOKEN])


def subject(kind: str, spec: Object, asking: UserInfo) -> UserInfo:
    """Return the user whose rights are reviewed."""
    if kind not in (ANYBODY, LOCAL):
        return asking
    return UserInfo(str(spec.get("user") or ""), tuple(spec.get("groups") or ()), uid=str(spec.get("uid") or ""))


def place(spec: Object) -> str:
    """Return the namespace of the reviewed request."""
    return str(spec.get("namespace") or (spec.get("resourceAttributes") or {}).get("namespace") or "")


def access_review(resource: Resource, value: Object, namespace: str, who: UserInfo, bound: Bound) -> Object:
    """Return a SubjectAccessReview of the kinds SELF, ANYBODY and LOCAL with its status, or raise ApiError."""
    kind, spec = resource.kind, value.get("spec") or {}
    problems = [*_problems(kind, value, spec)]
    if problems:
        # Upstream has cleared the kind by then, so the error message does not name it.
        joined = ", ".join(f"{each['field']}: {each['message']}" for each in problems)
        text = f'.{resource.group} "" is invalid: {joined if len(problems) == 1 else f"[{joined}]"}'
        raise errors.ApiError(422, "Invalid", text, {"group": resource.group, "causes": problems})
    if kind == LOCAL and namespace != (value["metadata"].get("namespace") or ""):
        raise errors.bad_request(f"spec.resourceAttributes.namespace must match namespace: {namespace}")
    verdict = _verdict(spec, who, bound)
    status = {"allowed": verdict.allowed, **({"reason": verdict.reason} if verdict.reason else {})}
    return {**value, "status": status}


def _verdict(spec: Object, who: UserInfo, bound: Bound) -> Verdict:
    about = spec.get("resourceAttributes")
    if about is None:
        wanted = spec.get("nonResourceAttributes") or {}
        verb, path = (str(wanted.get(key) or "") for key in ("verb", "path"))
        return access.decide_visit(who, verb, path, bound)
    text = {name: item for name, item in about.items() if isinstance(item, str)}
    resource = "/".join(filter(None, (text.get("resource"), text.get("subresource"))))
    attributes = AuthorizationAttributes(
        text.get("verb", ""), text.get("group", ""), resource, text.get("namespace", ""), text.get("name", "")
    )
    return access.decide(who, attributes, bound)


def _problems(kind: str, value: Object, spec: Object) -> Iterator[Cause]:
    about, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    shown = None if path is None else {"Path": path.get("path") or "", "Verb": path.get("verb") or ""}
    if about is not None and path is not None:
        yield causes.invalid(
            "spec.nonResourceAttributes", shown, "cannot be specified in combination with resourceAttributes"
        )
    if about is None and path is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        yield causes.invalid("spec.resourceAttributes", None, detail)
    if kind != SELF and not spec.get("user") and not spec.get("groups"):
        yield causes.invalid("spec.user", "", "at least one of user or group must be specified")
    for name in ("fieldSelector", "labelSelector"):
        if about is not None and about.get(name) is not None:
            yield from _selector(name, about[name], f"spec.resourceAttributes.{name}")
    left = {name: item for name, item in value["metadata"].items() if item and name != "managedFields"}
    if kind == LOCAL:
        left.pop("namespace", None)
    if left:
        detail = "must be empty except for namespace" if kind == LOCAL else "must be empty"
        yield causes.invalid("metadata", value["metadata"], detail)
    own = value["metadata"].get("namespace") or ""
    if kind == LOCAL and about is not None and (about.get("namespace") or "") != own:
        detail = "must match metadata.namespace"
        yield causes.invalid("spec.resourceAttributes.namespace", about.get("namespace") or "", detail)
    if kind == LOCAL and path is not None:
        yield causes.invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request")


def _selector(name: str, selector: Object, path: str) -> Iterator[Cause]:
    raw, requirements = selector.get("rawSelector"), selector.get("requirements") or ()
    if raw and requirements:
        yield causes.invalid(f"{path}.rawSelector", raw, "may not specified at the same time as requirements")
    if not raw and not requirements:
        detail = f"when {path} is specified, requirements or rawSelector is required"
        yield causes.required(f"{path}.requirements", detail)
    for number, requirement in enumerate(requirements):
        field, key, values = (
            f"{path}.requirements[{number}]",
            str(requirement.get("key") or ""),
            requirement.get("values") or (),
        )
        if requirement.get("operator") in ("In", "NotIn") and not values:
            yield causes.required(f"{field}.values", "must be specified when `operator` is 'In' or 'NotIn'")
        elif requirement.get("operator") in ("Exists", "DoesNotExist") and values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield causes.forbidden(f"{field}.values", detail)
        if name == "labelSelector":
            yield from report_broken_rules(f"{field}.key", key, names.qualified_name(key))
        elif not key:
            yield causes.required(f"{field}.key", "must be specified")


def rules_review(spec: Object, who: UserInfo, bound: Bound) -> Object:
    namespace = str(spec.get("namespace") or "")
    if not namespace:
        raise errors.bad_request("no namespace on request")
    return {"metadata": {}, "spec": {}, "status": access.rules(who, namespace, bound)}


def self_review(who: UserInfo, time: str) -> Object:
    return {"metadata": {"creationTimestamp": time}, "status": {"userInfo": _user_info(who)}}


def token_review(value: Object, authenticate: Callable[[str, tuple[str, ...]], tuple[UserInfo, list[str]]]) -> Object:
    """Return the answer to a TokenReview. Source: pkg/registry/authentication/tokenreview.

    `authenticate` returns the user of a token and its audiences, or raises InvalidTokenError.
    """
    spec = value.get("spec") or {}
    if not spec.get("token"):
        raise errors.bad_request("token is required for TokenReview in authentication")
    try:
        who, audiences = authenticate(str(spec["token"]), tuple(spec.get("audiences") or AUDIENCES))
    except InvalidTokenError as error:
        text = f"[{_INVALID}, {error}]" if str(error) else _INVALID
        return {**value, "status": {"user": {}, "error": text}}
    return {**value, "status": {"authenticated": True, "user": _user_info(who), "audiences": audiences}}


def _user_info(who: UserInfo) -> Object:
    info: dict[str, Any] = {"username": who.name, "uid": who.uid, "groups": list(who.groups)}
    info["extra"] = {name: list(texts) for name, texts in who.extra.items()}
    return {name: item for name, item in info.items() if item}
