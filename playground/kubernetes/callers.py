"""Who asks: by token, or whoever sits at the machine of a local playground."""

import time
from dataclasses import dataclass, replace
from urllib.parse import unquote

from cachetools import TTLCache
from django.conf import settings
from django.http import HttpRequest

from kubernetes_api import access, errors
from kubernetes_api.access import Bound, Who
from kubernetes_api.resources import Resource, table
from playground import limits
from playground.access import readers
from playground.kubernetes import reading, tokens
from playground.models import Cluster, KubernetesToken

_BEARER = "bearer "
_LOCAL = Who("kubernetes-admin", (access.MASTERS, access.AUTHENTICATED), access.ADMIN, uid="admin-uid")
_EXTRA = "Impersonate-Extra-"
_MOST_EXTRA = 20
# Of each client: how many requests it has left, and since when.
_left: TTLCache[str, tuple[float, float]] = TTLCache(10_000, 60)


@dataclass(frozen=True, slots=True)
class Caller:
    """`user` is whose changes these are; `key` whose limits count."""

    cluster: Cluster
    who: Who
    user: str
    key: str
    token_id: int | None = None


def caller_of(request: HttpRequest, cluster_id: int, client: str) -> Caller:
    """ApiError for who has no business here."""
    if request.headers.get("Origin") or request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        raise errors.forbidden("pages in a browser may not use this API")
    given = request.headers.get("Authorization", "")
    if given:
        found = _by_token(given, cluster_id, client)
    elif settings.LOCAL:
        cluster = readers.find_owned(request.user, cluster_id)
        if cluster is None:
            raise errors.ApiError(404, "NotFound", f"there is no cluster {cluster_id}", {})
        found = Caller(cluster, _LOCAL, request.user.get_username(), f"user {request.user.pk}")
    else:
        raise errors.unauthorized()
    _take(found.key)
    return _impersonating(found, request)


def _by_token(given: str, cluster_id: int, client: str) -> Caller:
    token = tokens.find(given[len(_BEARER) :].strip(), cluster_id) if given.lower().startswith(_BEARER) else None
    if token is None:
        raise errors.unauthorized()
    tokens.note_use(token, client)
    return Caller(token.cluster, who_of(token), token.cluster.owner.get_username(), f"token {token.pk}", token.pk)


def who_of(token: KubernetesToken) -> Who:
    is_admin = token.role == access.ADMIN
    groups = (access.MASTERS, access.AUTHENTICATED) if is_admin else (access.AUTHENTICATED,)
    return Who(f"playground:{token.role}", groups, token.role, uid="admin-uid" if is_admin else "")


def _impersonating(caller: Caller, request: HttpRequest) -> Caller:
    name = request.headers.get("Impersonate-User", "")
    if not name:
        return caller
    if not caller.who.is_master:
        raise errors.forbidden(
            f'users "{name[:100]}" is forbidden: User "{caller.who.name}" cannot impersonate resource "users" '
            'in API group "" at the cluster scope'
        )
    # Several headers of one name come as one, with commas.
    groups = [each.strip() for each in request.headers.get("Impersonate-Group", "").split(",") if each.strip()]
    extra = {
        unquote(header.removeprefix(_EXTRA)).lower(): [each.strip() for each in value.split(",")]
        for header, value in request.headers.items()
        if header.startswith(_EXTRA)
    }
    uid = request.headers.get("Impersonate-Uid", "")[:200]
    groups_of = access.groups_of(name[:200], groups)
    return replace(caller, who=Who(name[:200], groups_of, uid=uid, extra=dict(list(extra.items())[:_MOST_EXTRA])))


def _take(key: str) -> None:
    """A request of those that a client has: so many a second, and as many more at once as it saved."""
    now = time.monotonic()
    left, since = _left.get(key, (limits.REQUESTS_AT_ONCE, now))
    left = min(limits.REQUESTS_AT_ONCE, left + (now - since) * limits.REQUESTS_PER_SECOND)
    _left[key] = (max(left - 1, 0.0), now)
    if left < 1:
        raise errors.too_many("too many requests, please try again later", retry_after=1)


def bound_to(cluster: Cluster, who: Who, namespace: str) -> Bound:
    """What is bound; nothing is read for who has a role anyway."""
    return Bound() if who.role or who.is_master else bound(cluster, namespace)


def bound(cluster: Cluster, namespace: str) -> Bound:
    """The stored roles and bindings of the whole cluster, and those of a namespace if there is one."""
    everywhere = [list(reading.all_of(cluster, _rbac(name), "")) for name in ("clusterroles", "clusterrolebindings")]
    if not namespace:
        return Bound(*everywhere)
    return Bound(
        *everywhere, *(list(reading.all_of(cluster, _rbac(name), namespace)) for name in ("roles", "rolebindings"))
    )


def _rbac(name: str) -> Resource:
    return table()[access.RBAC, "v1", name]
