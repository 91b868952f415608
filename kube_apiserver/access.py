"""RBAC authorization: users, attributes of requests, rules and decisions.

A playground token has one of three roles. Impersonated users and ServiceAccounts have the roles that are bound to them.

Source: plugin/pkg/auth/authorizer/rbac; the texts of endpoints/handlers/responsewriters.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from kube_apiserver import errors, roles

Object = Mapping[str, Any]

VIEW, EDIT, ADMIN = "view", "edit", "admin"
ROLES = (VIEW, EDIT, ADMIN)
MASTERS, AUTHENTICATED, UNAUTHENTICATED = "system:masters", "system:authenticated", "system:unauthenticated"
ANONYMOUS = "system:anonymous"
RBAC = "rbac.authorization.k8s.io"
SERVICE_ACCOUNT = "system:serviceaccount:"
"""The prefix of the user names of ServiceAccounts."""
IMPERSONATE = "impersonate"
AUTHENTICATION = "authentication.k8s.io"
_READS = ("get", "list", "watch")
# The rules of the token roles. A wildcard in a request asks for everything that it matches.
_NOT_VIEWED = ("secrets", "*")
_CONNECTIONS = ("attach", "exec", "portforward", "proxy")
_NOT_EDITED = (RBAC, "*")
_IMPERSONATED = ("users", "groups", "serviceaccounts", "userextras", "uids", "*")


@dataclass(frozen=True, slots=True)
class UserInfo:
    """A user of the API.

    `role` is the role of a playground token, or "" for a user who has only bound roles.

    `ceiling` is a role that bound rights can't exceed: the role of the user who minted a ServiceAccount's token.
    """

    name: str
    groups: tuple[str, ...]
    role: str = ""
    uid: str = ""
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ceiling: str = ADMIN

    @property
    def is_master(self) -> bool:
        return self.role == ADMIN or (MASTERS in self.groups and self.ceiling == ADMIN)

    @property
    def highest_role(self) -> str:
        """Return the role that this user can't exceed."""
        return self.role or self.ceiling


@dataclass(frozen=True, slots=True)
class AuthorizationAttributes:
    """The attributes of a request that the authorizer decides on. `resource` includes the subresource: `pods/log`."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class NonResourceAttributes:
    """A request for a non-resource path."""

    verb: str
    path: str


AnyAttributes = AuthorizationAttributes | NonResourceAttributes


@dataclass(frozen=True, slots=True)
class Bound:
    """The stored roles, and the bindings that grant them."""

    cluster_roles: Sequence[Object] = ()
    cluster_role_bindings: Sequence[Object] = ()
    roles: Sequence[Object] = ()
    role_bindings: Sequence[Object] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision: whether the request is allowed, and the rule that allows it or the bound roles that don't exist."""

    allowed: bool
    reason: str = ""


def deny_all(who: UserInfo, question: AnyAttributes) -> Verdict:
    """Deny every request."""
    return Verdict(False)


@dataclass(frozen=True, slots=True)
class _Grant:
    """One rule that a binding grants to a user, or the problem with the binding."""

    rule: Object | None
    source: str = ""
    problem: str = ""


@cache
def default_bindings() -> Bound:
    """Return the roles and bindings that every cluster has from the start."""
    kinds = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
    return Bound(*([_named(key, each) for key, each in roles.bootstrap_objects(kind).items()] for kind in kinds))


def _named(key: str, value: Object) -> Object:
    namespace, _, name = key.rpartition("/")
    return {**value, "metadata": {**value["metadata"], "name": name, "namespace": namespace}}


def check_impersonation(who: UserInfo, wanted: UserInfo, groups: Sequence[str], bound: Bound) -> None:
    """Raise ApiError if a user may not impersonate `wanted`. `groups` are the groups that the request names.

    Source: apiserver/pkg/endpoints/filters/impersonation.
    """
    if account := service_account(wanted.name):
        namespace, name = account
        check(who, AuthorizationAttributes(IMPERSONATE, "", "serviceaccounts", namespace, name), bound)
    else:
        check(who, AuthorizationAttributes(IMPERSONATE, "", "users", name=wanted.name), bound)
    for group in groups:
        check(who, AuthorizationAttributes(IMPERSONATE, "", "groups", name=group), bound)
    if wanted.uid:
        check(who, AuthorizationAttributes(IMPERSONATE, AUTHENTICATION, "uids", name=wanted.uid), bound)
    for key, values in wanted.extra.items():
        for value in values:
            check(who, AuthorizationAttributes(IMPERSONATE, AUTHENTICATION, f"userextras/{key}", name=value), bound)


def service_account(name: str) -> tuple[str, str] | None:
    """Return namespace and name of the ServiceAccount behind a user name, or None for other users."""
    parts = name.removeprefix(SERVICE_ACCOUNT).split(":")
    return (parts[0], parts[1]) if name.startswith(SERVICE_ACCOUNT) and len(parts) == 2 and all(parts) else None


def groups_of(name: str, groups: Sequence[str]) -> tuple[str, ...]:
    """Return the groups of an impersonated user. Source: apiserver/pkg/endpoints/filters/impersonation."""
    if not groups and (account := service_account(name)):
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{account[0]}")
    own = UNAUTHENTICATED if name == ANONYMOUS else AUTHENTICATED
    is_complete = own in groups or (UNAUTHENTICATED in groups and name != ANONYMOUS)
    return tuple(groups) if is_complete else (*groups, own)


def may(who: UserInfo, attributes: AuthorizationAttributes, bound: Bound) -> bool:
    return decide(who, attributes, bound).allowed


def decide(who: UserInfo, attributes: AuthorizationAttributes, bound: Bound) -> Verdict:
    if who.is_master:
        return Verdict(True)
    if who.role:
        return Verdict(_by_role(who, who.role, attributes))
    verdict = _verdict(_grants(who, attributes.namespace, bound), lambda rule: _covers(rule, attributes))
    if verdict.allowed and who.ceiling != ADMIN and not _by_role(who, who.ceiling, attributes):
        return Verdict(False, _above(who))
    return verdict


def _above(who: UserInfo) -> str:
    return f"a user with the role {quoted(who.ceiling)} minted the token"


def _by_role(who: UserInfo, role: str, attributes: AuthorizationAttributes) -> bool:
    resource, _, subresource = attributes.resource.partition("/")
    if role == VIEW:
        is_allowed = attributes.verb in _READS and resource not in _NOT_VIEWED and subresource not in _CONNECTIONS
    elif attributes.verb in _READS:
        is_allowed = True
    else:
        impersonates = attributes.verb == IMPERSONATE or (attributes.verb == "*" and resource in _IMPERSONATED)
        is_allowed = attributes.group not in _NOT_EDITED and not impersonates
    everyones = UserInfo(who.name, (AUTHENTICATED,))
    return is_allowed or decide(everyones, attributes, default_bindings()).allowed


def _verdict(grants: Iterable[_Grant], allows: Callable[[Object], bool]) -> Verdict:
    """Return the decision of the first grant that allows the request. Source: RBACAuthorizer.Authorize."""
    problems = list[str]()
    for grant in grants:
        if grant.rule is not None and allows(grant.rule):
            return Verdict(True, f"RBAC: allowed by {grant.source}")
        if grant.problem and grant.problem not in problems:
            problems.append(grant.problem)
    return Verdict(False, f"RBAC: {_joined(problems)}" if problems else "")


def _joined(problems: Sequence[str]) -> str:
    return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"


def may_visit(who: UserInfo, verb: str, path: str, bound: Bound) -> bool:
    return decide_visit(who, verb, path, bound).allowed


def decide_visit(who: UserInfo, verb: str, path: str, bound: Bound) -> Verdict:
    """Decide about a non-resource path. `*` at the end of a path in a rule matches any text."""
    if who.is_master:
        return Verdict(True)

    def decide_for(user: UserInfo, bound: Bound) -> Verdict:
        return _verdict(_grants(user, "", bound), lambda rule: _is_visit(rule, verb, path))

    everyones = decide_for(UserInfo(who.name, (AUTHENTICATED,)), default_bindings())
    if who.role:
        return everyones
    verdict = decide_for(who, bound)
    if verdict.allowed and who.ceiling != ADMIN and not everyones.allowed:
        return Verdict(False, _above(who))
    return verdict


def _is_visit(rule: Object, verb: str, path: str) -> bool:
    return _has(rule, "verbs", verb) and any(is_path(each, path) for each in rule.get("nonResourceURLs") or ())


def rules_for(who: UserInfo, namespace: str, bound: Bound) -> list[Object]:
    """Return the rules that are bound to a user."""
    return [each.rule for each in _grants(who, namespace, bound) if each.rule is not None]


def role(kind: str, name: str, namespace: str, bound: Bound) -> Object | None:
    return next((each for each in _roles(kind, namespace, bound) if each["metadata"].get("name") == name), None)


def is_path(pattern: Any, path: str) -> bool:
    written = str(pattern)
    return path == written or (written.endswith("*") and path.startswith(written.rstrip("*")))


def check_visit(who: UserInfo, verb: str, path: str, bound: Bound) -> None:
    """Raise ApiError if a user may not access a non-resource path."""
    found = decide_visit(who, verb, path, bound)
    if not found.allowed:
        text = f"User {quoted(who.name)} cannot {verb} path {quoted(path)}"
        raise errors.ApiError(403, "Forbidden", f"forbidden: {_with_reason(text, found)}", {})


def _with_reason(text: str, verdict: Verdict) -> str:
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, written)
    return f"{text}: {verdict.reason}" if verdict.reason else text


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def check(who: UserInfo, attributes: AuthorizationAttributes, bound: Bound) -> None:
    """Raise ApiError if a user may not make a request."""
    verdict = decide(who, attributes, bound)
    if verdict.allowed:
        return
    kind = attributes.resource.partition("/")[0]
    qualified = f"{kind}.{attributes.group}" if attributes.group else kind
    place = f"in the namespace {quoted(attributes.namespace)}" if attributes.namespace else "at the cluster scope"
    what = f"resource {quoted(attributes.resource)} in API group {quoted(attributes.group)}"
    text = f"User {quoted(who.name)} cannot {attributes.verb} {what} {place}"
    about = f"{qualified} {quoted(attributes.name)}" if attributes.name else qualified
    details = {"name": attributes.name, "group": attributes.group, "kind": kind}
    present = {key: value for key, value in details.items() if value}
    raise errors.ApiError(403, "Forbidden", f"{about} is forbidden: {_with_reason(text, verdict)}", present)


def rules(who: UserInfo, namespace: str, bound: Bound) -> dict[str, Any]:
    """Return the status of a SelfSubjectRulesReview. Source: RBACAuthorizer.RulesFor."""
    problems = list[str]()
    granted = list[Object]()
    if who.role and who.role != ADMIN:
        # Rules can't express the exceptions of a token's role.
        verbs = list(_READS) if who.role == VIEW else ["*"]
        granted.append({"verbs": verbs, "apiGroups": ["*"], "resources": ["*"]})
        problems.append("the role of a token leaves out what no rule can say")
    if who.ceiling != ADMIN:
        problems.append(_above(who))
    for grant in _grants(who, namespace, bound):
        if grant.rule is not None:
            granted.append(grant.rule)
        elif grant.problem not in problems:
            problems.append(grant.problem)
    parts = ("verbs", "apiGroups", "resources", "resourceNames")
    return {
        "resourceRules": [_only(rule, parts) for rule in granted if rule.get("resources")],
        "nonResourceRules": [
            _only(rule, ("verbs", "nonResourceURLs")) for rule in granted if rule.get("nonResourceURLs")
        ],
        "incomplete": who.highest_role != ADMIN,
        **({"evaluationError": _joined(problems)} if problems else {}),
    }


def _only(rule: Object, parts: Sequence[str]) -> Object:
    return {name: rule[name] for name in parts if rule.get(name)}


def _grants(who: UserInfo, namespace: str, bound: Bound) -> Iterator[_Grant]:
    """Yield the grants of all bindings of a user. Source: DefaultRuleResolver.VisitRulesFor."""
    for binding in bound.cluster_role_bindings:
        yield from _list_binding_grants(binding, who, "", bound)
    for binding in bound.role_bindings if namespace else ():
        if (binding.get("metadata") or {}).get("namespace") == namespace:
            yield from _list_binding_grants(binding, who, namespace, bound)


def _list_binding_grants(binding: Object, who: UserInfo, namespace: str, bound: Bound) -> Iterator[_Grant]:
    subject = next((each for each in binding.get("subjects") or () if _is(each, who, namespace)), None)
    if subject is None:
        return
    ref = binding.get("roleRef") or {}
    kind, name = str(ref.get("kind", "")), str(ref.get("name", ""))
    if kind not in ("ClusterRole", "Role"):
        yield _Grant(None, problem=f"unsupported role reference kind: {quoted(kind)}")
        return
    bound_role = role(kind, name, namespace, bound)
    if bound_role is None:
        yield _Grant(None, problem=f"{kind.lower()}.{RBAC} {quoted(name)} not found")
        return
    own = str(binding["metadata"].get("name", ""))
    bound_by = f"RoleBinding {quoted(f'{own}/{namespace}')}" if namespace else f"ClusterRoleBinding {quoted(own)}"
    source = f"{bound_by} of {kind} {quoted(name)} to {_described(subject, namespace)}"
    yield from (_Grant(rule, source) for rule in bound_role.get("rules") or () if isinstance(rule, Mapping))


def _roles(kind: str, namespace: str, bound: Bound) -> Iterable[Object]:
    if kind == "ClusterRole":
        return bound.cluster_roles
    return (each for each in bound.roles if each["metadata"].get("namespace") == namespace)


def _described(subject: Object, namespace: str) -> str:
    kind, name = str(subject.get("kind", "")), str(subject.get("name", ""))
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    return f"{kind} {quoted(name)}"


def _is(subject: Object, who: UserInfo, namespace: str) -> bool:
    match subject.get("kind"), subject.get("name"):
        case "User", name:
            return bool(name == who.name)
        case "Group", name:
            return name in who.groups
        case "ServiceAccount", name:
            place = subject.get("namespace") or namespace
            return bool(place) and who.name == f"{SERVICE_ACCOUNT}{place}:{name}"
    return False


def _covers(rule: Object, attributes: AuthorizationAttributes) -> bool:
    any_resource = f"*/{attributes.resource.partition('/')[2]}" if "/" in attributes.resource else attributes.resource
    names = rule.get("resourceNames")
    return (
        _has(rule, "verbs", attributes.verb)
        and _has(rule, "apiGroups", attributes.group)
        and (_has(rule, "resources", attributes.resource) or _has(rule, "resources", any_resource))
        and (not names or attributes.name in names)
    )


def _has(rule: Object, key: str, value: str) -> bool:
    found = rule.get(key) or ()
    return "*" in found or value in found
