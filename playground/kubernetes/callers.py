"""Authentication of clients: by token, or as the local user of a playground on their own machine."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import unquote

from cachetools import TTLCache
from django.conf import settings
from django.http import HttpRequest

from kube_apiserver import access, errors
from kube_apiserver.access import Bound, UserInfo
from kube_apiserver.account_tokens import InvalidTokenError
from kube_apiserver.resources import Resource, table
from playground import limits
from playground.access import readers
from playground.kubernetes import object_reads, tokens
from playground.kubernetes.credentials import account_tokens
from playground.models import Cluster, KubernetesToken

_BEARER = "bearer "
_LOCAL = UserInfo("kubernetes-admin", (access.MASTERS, access.AUTHENTICATED), access.ADMIN, uid="admin-uid")
_IMPERSONATE = "impersonate-"
_USER, _GROUP, _UID, _EXTRA = (f"{_IMPERSONATE}{what}" for what in ("user", "group", "uid", "extra-"))
_MOST_EXTRA = 20
# The number of requests that each client has left, and the time of that number.
_left: TTLCache[str, tuple[float, float]] = TTLCache(10_000, 60)


@dataclass(frozen=True, slots=True)
class Caller:
    """A client that may use the API of a cluster.

    `user` is the author of its changes, and `key` identifies the client whose limits count. `token_id` is the token of
    the client; for a ServiceAccount's token (`account_token`) it is the token of the user who minted it. None stands
    for no token.
    """

    cluster: Cluster
    who: UserInfo
    user: str
    key: str
    token_id: int | None = None
    account_token: str = ""

    def may_stay(self) -> bool:
        """Return whether the token is still valid."""
        if self.account_token:
            return account_tokens.is_valid(self.account_token, self.cluster.pk)
        return self.token_id is None or tokens.find_by_id(self.token_id, self.cluster.pk) is not None


def caller_of(request: HttpRequest, cluster_id: int, client: str) -> Caller:
    """Authenticate a request and return its caller.

    Raise ApiError if the client may not use the API of this cluster.
    """
    # An Origin header without a value comes from a browser, too.
    if "Origin" in request.headers or request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        raise errors.forbidden("pages in a browser may not use this API")
    authorization = request.headers.get("Authorization", "")
    if authorization:
        caller = _by_token(authorization, cluster_id, client)
    elif settings.LOCAL:
        cluster = readers.find_owned(request.user, cluster_id)
        if cluster is None:
            raise errors.ApiError(404, "NotFound", f"there is no cluster {cluster_id}", {})
        caller = Caller(cluster, _LOCAL, request.user.get_username(), f"user {request.user.pk}")
    else:
        raise errors.unauthorized()
    _take_request(caller.key)
    return _impersonating(caller, request)


def _by_token(authorization: str, cluster_id: int, client: str) -> Caller:
    text = authorization[len(_BEARER) :].strip() if authorization.lower().startswith(_BEARER) else ""
    token = tokens.find_token(text, cluster_id)
    if token is None:
        return _by_account_token(text, cluster_id)
    tokens.note_token_use(token, client)
    return Caller(token.cluster, who_of(token), token.cluster.owner.get_username(), f"token {token.pk}", token.pk)


def _by_account_token(text: str, cluster_id: int) -> Caller:
    """Return the ServiceAccount that the token authenticates. Its requests count for the token's minter."""
    try:
        authenticated = account_tokens.authenticate(text, cluster_id)
    except InvalidTokenError as error:
        raise errors.unauthorized() from error
    owner, minter = authenticated.cluster.owner, authenticated.minter
    key = f"user {owner.pk}" if minter is None else f"token {minter.pk}"
    token_id = None if minter is None else minter.pk
    return Caller(authenticated.cluster, authenticated.who, owner.get_username(), key, token_id, text)


def who_of(token: KubernetesToken) -> UserInfo:
    is_admin = token.role == access.ADMIN
    groups = (access.MASTERS, access.AUTHENTICATED) if is_admin else (access.AUTHENTICATED,)
    return UserInfo(f"playground:{token.role}", groups, token.role, uid="admin-uid" if is_admin else "")


def _impersonating(caller: Caller, request: HttpRequest) -> Caller:
    """Return the caller as whom the request acts. Source: apiserver/pkg/endpoints/filters/impersonation."""
    headers = _impersonation_headers(request)
    if not headers:
        return caller
    names, groups = headers.pop(_USER, []), headers.pop(_GROUP, [])
    name, uid = (names or [""])[0][:200], (headers.pop(_UID, None) or [""])[0][:200]
    extra = {
        unquote(header.removeprefix(_EXTRA)).lower(): values
        for header, values in list(headers.items())[:_MOST_EXTRA]
        if header.startswith(_EXTRA)
    }
    if not name and not (groups or uid or extra):
        return caller
    if not name:
        # Upstream refuses this, too: the request would have more rights than its client asks for.
        path = f"{request.path}?{request.META['QUERY_STRING']}" if request.META.get("QUERY_STRING") else request.path
        text = f"Internal Server Error: {access.quoted(path)}: requested groups, uid or extra"
        raise errors.ApiError(500, "", f"{text} without impersonating a user")
    ceiling = caller.who.highest_role
    wanted = UserInfo(name, access.groups_of(name, groups), uid=uid, extra=extra, ceiling=ceiling)
    access.check_impersonation(caller.who, wanted, groups, bound_to(caller.cluster, caller.who, ""))
    return replace(caller, who=wanted)


def _impersonation_headers(request: HttpRequest) -> dict[str, list[str]]:
    """Return the values of each header of impersonation, by its name in lower case.

    Django joins headers of one name with commas, which are a part of names such as `CN=dev,OU=eng`.
    """
    scope = getattr(request, "scope", None)
    pairs: Iterable[tuple[str, str]] = (
        ((name.decode("latin1").lower(), value.decode("utf-8", "replace")) for name, value in scope["headers"])
        if scope is not None
        else ((name.lower(), value) for name, value in request.headers.items())
    )
    headers: dict[str, list[str]] = {}
    for name, value in pairs:
        if name.startswith(_IMPERSONATE):
            headers.setdefault(name, []).append(value)
    return headers


def _take_request(key: str) -> None:
    """Take one request from the client's token bucket. Raise ApiError 429 if it is empty."""
    now = time.monotonic()
    left, since = _left.get(key, (limits.REQUESTS_AT_ONCE, now))
    left = min(limits.REQUESTS_AT_ONCE, left + (now - since) * limits.REQUESTS_PER_SECOND)
    _left[key] = (max(left - 1, 0.0), now)
    if left < 1:
        raise errors.too_many("too many requests, please try again later", retry_after=1)


def bound_to(cluster: Cluster, who: UserInfo, namespace: str) -> Bound:
    """Return the roles and bindings for an authorization.

    A caller with a token's role needs none, so nothing is read.
    """
    return Bound() if who.role or who.is_master else bound(cluster, namespace)


def bound(cluster: Cluster, namespace: str) -> Bound:
    """Return the stored roles and bindings of the cluster, and those of a namespace if it is not ""."""
    everywhere = [
        list(object_reads.all_of(cluster, _rbac(name), "")) for name in ("clusterroles", "clusterrolebindings")
    ]
    if not namespace:
        return Bound(*everywhere)
    return Bound(
        *everywhere, *(list(object_reads.all_of(cluster, _rbac(name), namespace)) for name in ("roles", "rolebindings"))
    )


def _rbac(name: str) -> Resource:
    return table()[access.RBAC, "v1", name]
