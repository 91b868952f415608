"""Privilege escalation checks for writes of roles and bindings.

A user can only grant rights that the user has, unless a rule allows the verb `escalate` or `bind`.

Source: pkg/registry/rbac/*/policybased, pkg/registry/rbac/validation/rule.go, component-helpers/auth/rbac/validation.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from kube_apiserver import access, errors
from kube_apiserver.access import AuthorizationAttributes, Bound, Who
from kube_apiserver.resources import Resource

Object = Mapping[str, Any]
Right = tuple[str, str, str, str, str]
"""One verb on one thing: group, resource, name, path, verb. An unused part is ""."""

_MOST_RIGHTS = 20_000
_EVERYTHING: Sequence[Object] = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
_ALL_NEEDED = "must have cluster-admin privileges to use the aggregationRule"
_OF_COLLECTOR = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")


def check(resource: Resource, who: Who, bound: Bound, live: Object | None, value: Object) -> None:
    """Raise ApiError if the write would grant rights that the user lacks.

    `bound` also has the roles that are bound in the namespace of the role or binding.
    """
    if who.is_master or (live is not None and _granted(live) == _granted(value)):
        return
    if resource.name in ("roles", "clusterroles"):
        _of_role(resource, who, bound, live, value)
    else:
        _of_binding(resource, who, bound, value)


def _of_role(resource: Resource, who: Who, bound: Bound, live: Object | None, value: Object) -> None:
    namespace, name = _place(value)
    wanted_name = "" if live is None else name
    if access.may(who, AuthorizationAttributes("escalate", access.RBAC, resource.name, namespace, wanted_name), bound):
        return
    _confirm(resource, who, bound, value, value.get("rules") or ())
    takes_from_others = any(
        (each.get("aggregationRule") or {}).get("clusterRoleSelectors") for each in (live or {}, value)
    )
    if takes_from_others and _missing(access.held(who, namespace, bound), _EVERYTHING):
        raise errors.refused(resource, name, _ALL_NEEDED)


def _of_binding(resource: Resource, who: Who, bound: Bound, value: Object) -> None:
    (namespace, _), ref = _place(value), value.get("roleRef") or {}
    kind, name = str(ref.get("kind") or ""), str(ref.get("name") or "")
    if kind not in ("ClusterRole", "Role"):
        raise errors.ApiError(500, "", f"unsupported role reference kind: {access.quoted(kind)}")
    plural = f"{kind.lower()}s"
    if access.may(who, AuthorizationAttributes("bind", str(ref.get("apiGroup") or ""), plural, namespace, name), bound):
        return
    role = access.role(kind, name, namespace, bound)
    if role is None:
        raise errors.not_found(resource, name)
    _confirm(resource, who, bound, value, role.get("rules") or ())


def _confirm(resource: Resource, who: Who, bound: Bound, value: Object, rules: Sequence[Object]) -> None:
    """Raise ApiError if the user lacks a right of `rules`. Source: ConfirmNoEscalation."""
    namespace, name = _place(value)
    missing = _missing(access.held(who, namespace, bound), rules)
    if missing:
        groups = " ".join(access.quoted(each) for each in who.groups)
        asking = f"user {access.quoted(who.name)} (groups=[{groups}])"
        lacking = "\n".join(_described(missing))
        why = f"{asking} is attempting to grant RBAC permissions not currently held:\n{lacking}"
        raise errors.refused(resource, name, why)


def _missing(held: Sequence[Object], wanted: Sequence[Object]) -> list[Right]:
    rights = list(islice((right for rule in wanted for right in _rights(rule)), _MOST_RIGHTS + 1))
    if len(rights) > _MOST_RIGHTS:
        raise errors.too_large(f"a role may be compared in at most {_MOST_RIGHTS} verbs on resources")
    return [right for right in rights if not any(_covers(rule, right) for rule in held)]


def _rights(rule: Object) -> Iterator[Right]:
    """Yield the single rights of a rule. Source: BreakdownRule."""
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
    any_resource = f"*/{resource.partition('/')[2]}" if "/" in resource else resource
    return (
        _has(rule, "apiGroups", group)
        and (_has(rule, "resources", resource) or _has(rule, "resources", any_resource))
        and (not names or name in names)
    )


def _has(rule: Object, key: str, value: str) -> bool:
    found = rule.get(key) or ()
    return "*" in found or value in found


def _described(missing: Sequence[Right]) -> list[str]:
    """Return one line for all verbs on the same thing. Source: CompactRules, CompactString."""
    lines = dict[tuple[str, str, str, str], list[str]]()
    for *thing, verb in missing:
        group, resource, name, path = thing
        # Upstream combines only rights on resources.
        key = (group, resource, name, path if not path else f"{path}\n{verb}")
        lines.setdefault(key, []).append(verb)
    return sorted({_line(thing, verbs) for thing, verbs in lines.items()})


def _line(thing: tuple[str, str, str, str], verbs: Sequence[str]) -> str:
    group, resource, name, path = thing
    parts = (
        [("NonResourceURLs", [path.partition("\n")[0]])]
        if path
        else [("APIGroups", [group]), ("Resources", [resource])]
    )
    parts += [("ResourceNames", [name])] if name else []
    parts.append(("Verbs", list(verbs)))
    shown = (f"{key}:[{' '.join(access.quoted(each) for each in values)}]" for key, values in parts)
    return f"{{{', '.join(shown)}}}"


def _granted(value: Object) -> Object:
    """Return a role or binding without the metadata that the garbage collector changes."""
    metadata = {name: item for name, item in value["metadata"].items() if name not in _OF_COLLECTOR}
    return {name: item for name, item in {**value, "metadata": metadata}.items() if item is not None}


def _place(value: Object) -> tuple[str, str]:
    metadata = value["metadata"]
    return str(metadata.get("namespace") or ""), str(metadata.get("name") or "")
