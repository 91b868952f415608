"""Who may do what: the role of a token, and for impersonated users the roles that are bound to them.

Source: plugin/pkg/auth/authorizer/rbac; the texts of endpoints/handlers/responsewriters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kubernetes_api import errors

Object = Mapping[str, Any]

VIEW, EDIT, ADMIN = "view", "edit", "admin"
ROLES = (VIEW, EDIT, ADMIN)
MASTERS, AUTHENTICATED = "system:masters", "system:authenticated"
RBAC = "rbac.authorization.k8s.io"
_READS = ("get", "list", "watch")
_SELF: Sequence[Object] = (
    {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"]},
    {
        "verbs": ["create"],
        "apiGroups": ["authorization.k8s.io"],
        "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
    },
)
# What everybody may read, the issuer's document of service accounts among it.
_PATHS = ["/.well-known", "/.well-known/*", "/api", "/api/*", "/apis", "/apis/*"]
_PATHS += ["/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version"]
_EVERYTHING: Object = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}


@dataclass(frozen=True, slots=True)
class Who:
    """`role` is a token's; "" for a user whose rights are those that are bound to it."""

    name: str
    groups: tuple[str, ...]
    role: str = ""

    @property
    def is_master(self) -> bool:
        return self.role == ADMIN or MASTERS in self.groups


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to do. `resource` has its subresource: pods/log."""

    verb: str
    group: str
    resource: str
    namespace: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """The stored roles and what binds them."""

    cluster_roles: Sequence[Object] = ()
    cluster_role_bindings: Sequence[Object] = ()
    roles: Sequence[Object] = ()
    role_bindings: Sequence[Object] = ()


def may(who: Who, wish: Wish, bound: Bound) -> bool:
    if who.is_master or any(_covers(rule, wish) for rule in _SELF):
        return True
    if who.role == VIEW:
        return wish.verb in _READS and wish.resource.partition("/")[0] != "secrets"
    if who.role == EDIT:
        return wish.group != RBAC or wish.verb in _READS
    return any(_covers(rule, wish) for rule in _rules(who, wish.namespace, bound))


def may_visit(who: Who, verb: str, path: str, bound: Bound) -> bool:
    """A path that is no resource: `*` at the end of what a rule names stands for the rest."""
    if who.is_master:
        return True
    own: Object = {"verbs": ["get"], "nonResourceURLs": _PATHS}
    for rule in (own, *_rules(who, "", bound)):
        is_verb = bool({"*", verb} & set(rule.get("verbs") or ()))
        if is_verb and any(_is_path(each, path) for each in rule.get("nonResourceURLs") or ()):
            return True
    return False


def _is_path(pattern: Any, path: str) -> bool:
    written = str(pattern)
    return path == written or (written.endswith("*") and path.startswith(written.removesuffix("*")))


def check(who: Who, wish: Wish, bound: Bound) -> None:
    """ApiError if it is not allowed."""
    if may(who, wish, bound):
        return
    kind = wish.resource.partition("/")[0]
    qualified = f"{kind}.{wish.group}" if wish.group else kind
    place = f'in the namespace "{wish.namespace}"' if wish.namespace else "at the cluster scope"
    message = f'User "{who.name}" cannot {wish.verb} resource "{wish.resource}" in API group "{wish.group}" {place}'
    about = f'{qualified} "{wish.name}"' if wish.name else qualified
    details = {"name": wish.name, "group": wish.group, "kind": kind}
    found = {key: value for key, value in details.items() if value}
    raise errors.ApiError(403, "Forbidden", f"{about} is forbidden: {message}", found)


def rules(who: Who, namespace: str, bound: Bound) -> dict[str, Any]:
    """The status of a SelfSubjectRulesReview."""
    if who.is_master:
        of_role: list[Object] = [_EVERYTHING]
    elif who.role:
        of_role = [{"verbs": list(_READS) if who.role == VIEW else ["*"], "apiGroups": ["*"], "resources": ["*"]}]
    else:
        of_role = list(_rules(who, namespace, bound))
    urls = ["*"] if who.is_master else _PATHS
    return {
        "resourceRules": [*_SELF, *of_role],
        "nonResourceRules": [{"verbs": ["*"] if who.is_master else ["get"], "nonResourceURLs": urls}],
        # What a token's role leaves out cannot be said as rules.
        "incomplete": who.role in (VIEW, EDIT),
    }


def _rules(who: Who, namespace: str, bound: Bound) -> Iterator[Object]:
    for binding in bound.cluster_role_bindings:
        if _binds(binding, who):
            yield from _of_role(binding, bound)
    for binding in bound.role_bindings:
        if (binding.get("metadata") or {}).get("namespace") == namespace != "" and _binds(binding, who):
            yield from _of_role(binding, bound)


def _of_role(binding: Object, bound: Bound) -> Iterable[Object]:
    ref, namespace = binding.get("roleRef") or {}, (binding.get("metadata") or {}).get("namespace")
    is_whole = ref.get("kind") == "ClusterRole"
    for role in bound.cluster_roles if is_whole else bound.roles:
        metadata = role.get("metadata") or {}
        if metadata.get("name") == ref.get("name") and (is_whole or metadata.get("namespace") == namespace):
            return [rule for rule in role.get("rules") or () if isinstance(rule, Mapping)]
    return ()


def _binds(binding: Object, who: Who) -> bool:
    for each in binding.get("subjects") or ():
        kind, name = each.get("kind"), each.get("name")
        if (kind == "User" and name == who.name) or (kind == "Group" and name in who.groups):
            return True
        if kind == "ServiceAccount" and who.name == f"system:serviceaccount:{each.get('namespace')}:{name}":
            return True
    return False


def _covers(rule: Object, wish: Wish) -> bool:
    door = f"*/{wish.resource.partition('/')[2]}" if "/" in wish.resource else wish.resource
    names = rule.get("resourceNames")
    return (
        _has(rule, "verbs", wish.verb)
        and _has(rule, "apiGroups", wish.group)
        and (_has(rule, "resources", wish.resource) or _has(rule, "resources", door))
        and (not names or wish.name in names)
    )


def _has(rule: Object, key: str, value: str) -> bool:
    found = rule.get(key) or ()
    return "*" in found or value in found
