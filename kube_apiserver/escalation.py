"""Privilege escalation checks for writes of roles and bindings.

A user can only grant rights that the user has, unless a rule allows the verb `escalate` or `bind`.

Source: pkg/registry/rbac/*/policybased, pkg/registry/rbac/validation/rule.go, component-helpers/auth/rbac/validation.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kube_apiserver import access, errors
from kube_apiserver.access import AuthorizationAttributes, Bound, UserInfo
from kube_apiserver.resources import Resource

Object = Mapping[str, Any]
Right = tuple[str, str, str, str, str]
"""One verb on one resource or path: group, resource, name, path, verb. An unused part is ""."""

_MAX_RIGHTS = 20_000
_EVERYTHING: Sequence[Object] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
_NEEDS_CLUSTER_ADMIN = "must have cluster-admin privileges to use the aggregationRule"
_COLLECTOR_FIELDS = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")


def check(resource: Resource, who: UserInfo, bound: Bound, live: Object | None, value: Object) -> None:
    """Raise ApiError if the write would grant rights that the user lacks.

    `bound` includes the Roles and RoleBindings of the namespace to which the write belongs.
    """
    if who.is_master or (live is not None and _drop_collector_fields(live) == _drop_collector_fields(value)):
        return
    if resource.name in ("roles", "clusterroles"):
        _check_role(resource, who, bound, live, value)
    else:
        _check_binding(resource, who, bound, value)


def _check_role(resource: Resource, who: UserInfo, bound: Bound, live: Object | None, value: Object) -> None:
    namespace, name = _get_namespace_and_name(value)
    wanted_name = "" if live is None else name
    if access.may(who, AuthorizationAttributes("escalate", access.RBAC, resource.name, namespace, wanted_name), bound):
        return
    _confirm_no_escalation(resource, who, bound, value, value.get("rules") or ())
    is_aggregated = any((each.get("aggregationRule") or {}).get("clusterRoleSelectors") for each in (live or {}, value))
    if is_aggregated and _find_missing(access.rules_for(who, namespace, bound), _EVERYTHING):
        raise errors.refused(resource, name, _NEEDS_CLUSTER_ADMIN)


def _check_binding(resource: Resource, who: UserInfo, bound: Bound, value: Object) -> None:
    (namespace, _), ref = _get_namespace_and_name(value), value.get("roleRef") or {}
    kind, name = str(ref.get("kind") or ""), str(ref.get("name") or "")
    if kind not in ("ClusterRole", "Role"):
        raise errors.ApiError(500, "", f"unsupported role reference kind: {access.quoted(kind)}")
    plural = f"{kind.lower()}s"
    if access.may(who, AuthorizationAttributes("bind", str(ref.get("apiGroup") or ""), plural, namespace, name), bound):
        return
    role = access.role(kind, name, namespace, bound)
    if role is None:
        raise errors.not_found(resource, name)
    _confirm_no_escalation(resource, who, bound, value, role.get("rules") or ())


def _confirm_no_escalation(
    resource: Resource, who: UserInfo, bound: Bound, value: Object, rules: Sequence[Object]
) -> None:
    """Raise ApiError if the user lacks a right of `rules`. Source: ConfirmNoEscalation."""
    namespace, name = _get_namespace_and_name(value)
    missing = _find_missing(access.rules_for(who, namespace, bound), rules)
    if missing:
        groups = " ".join(access.quoted(each) for each in who.groups)
        user = f"user {access.quoted(who.name)} (groups=[{groups}])"
        lines = "\n".join(_format_rights(missing))
        detail = f"{user} is attempting to grant RBAC permissions not currently held:\n{lines}"
        raise errors.refused(resource, name, detail)


def _find_missing(held: Sequence[Object], wanted: Sequence[Object]) -> list[Right]:
    rights = list(islice((right for rule in wanted for right in _break_down(rule)), _MAX_RIGHTS + 1))
    if len(rights) > _MAX_RIGHTS:
        raise errors.too_large(f"a role may be compared in at most {_MAX_RIGHTS} verbs on resources")
    return [right for right in rights if not any(_covers(rule, right) for rule in held)]


def _break_down(rule: Object) -> Iterator[Right]:
    """Yield each right that a rule grants. Source: BreakdownRule."""
    verbs = rule.get("verbs") or ()
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for verb in verbs:
                yield from ((group, resource, name, "", verb) for name in rule.get("resourceNames") or ("",))
    for path in rule.get("nonResourceURLs") or ():
        yield from (("", "", "", path, verb) for verb in verbs)


def _covers(rule: Object, right: Right) -> bool:
    group, resource, name, path, verb = right
    if not _has(rule, "verbs", verb):
        return False
    if path:
        return any(access.is_path(each, path) for each in rule.get("nonResourceURLs") or ())
    names = rule.get("resourceNames")
    wildcard = f"*/{resource.partition('/')[2]}" if "/" in resource else resource
    return (
        _has(rule, "apiGroups", group)
        and (_has(rule, "resources", resource) or _has(rule, "resources", wildcard))
        and (not names or name in names)
    )


def _has(rule: Object, key: str, value: str) -> bool:
    allowed = rule.get(key) or ()
    return "*" in allowed or value in allowed


def _format_rights(missing: Sequence[Right]) -> list[str]:
    """Return a line for each resource or path, with all its verbs. Source: CompactRules, CompactString."""
    lines = dict[tuple[str, str, str, str], list[str]]()
    for group, resource, name, path, verb in missing:
        # Upstream combines only rights on resources.
        key = (group, resource, name, path if not path else f"{path}\n{verb}")
        lines.setdefault(key, []).append(verb)
    return sorted({_format_line(key, verbs) for key, verbs in lines.items()})


def _format_line(key: tuple[str, str, str, str], verbs: Sequence[str]) -> str:
    group, resource, name, path = key
    parts = (
        [("NonResourceURLs", [path.partition("\n")[0]])]
        if path
        else [("APIGroups", [group]), ("Resources", [resource])]
    )
    parts += [("ResourceNames", [name])] if name else []
    parts.append(("Verbs", list(verbs)))
    texts = (f"{field}:[{' '.join(access.quoted(each) for each in values)}]" for field, values in parts)
    return f"{{{', '.join(texts)}}}"


def _drop_collector_fields(value: Object) -> Object:
    """Return a role or binding without the metadata that the garbage collector changes."""
    metadata = {name: item for name, item in value["metadata"].items() if name not in _COLLECTOR_FIELDS}
    return {name: item for name, item in {**value, "metadata": metadata}.items() if item is not None}


def _get_namespace_and_name(value: Object) -> tuple[str, str]:
    metadata = value["metadata"]
    return str(metadata.get("namespace") or ""), str(metadata.get("name") or "")
