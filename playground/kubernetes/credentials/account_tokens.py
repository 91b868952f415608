"""Tokens of ServiceAccounts, signed with a key of their cluster and valid as long as their minter may use it."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from kube_apiserver import account_tokens
from kube_apiserver.access import EDIT, UserInfo
from kube_apiserver.account_tokens import InvalidTokenError
from playground.kubernetes import api_clock, object_reads, tokens
from playground.models import Cluster, KubernetesToken

_SALT = b"tokens of ServiceAccounts of the cluster "


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The user of a valid token and the token of its minter, or None if the minter used none."""

    cluster: Cluster
    who: UserInfo
    minter: KubernetesToken | None
    audiences: tuple[str, ...]


def sign(cluster: Cluster, claims: Mapping[str, Any]) -> str:
    """Return the claims as a token for this cluster."""
    return account_tokens.sign(claims, _key(cluster.pk))


def minter(token_id: int | None, who: UserInfo, *, is_stored: bool = False) -> dict[str, Any]:
    """Return the claim about the user who mints a token. `is_stored`: a Secret holds it, so every editor can read it.

    `token_id` is the token of this user, or that of the minter of the user's own token.
    """
    return {"token": token_id, "role": EDIT if is_stored else who.highest_role}


def authenticate(text: str, cluster_id: int, audiences: tuple[str, ...] = account_tokens.AUDIENCES) -> Authenticated:
    """Return the user of a ServiceAccount's token.

    Raise InvalidTokenError; its text is empty if `text` isn't a token of a ServiceAccount of this cluster.
    """
    claims = account_tokens.read_claims(text, _key(cluster_id))
    if claims is None:
        raise InvalidTokenError
    token_id, token = claims[account_tokens.MINTER]["token"], None
    if token_id is not None:
        token = tokens.find_by_id(token_id, cluster_id)
        cluster = token.cluster if token is not None else None
    else:
        cluster = _find_local_cluster(cluster_id)
    if cluster is None:
        raise InvalidTokenError("the user who minted the token may not use the cluster any more")
    world, now = object_reads.StoredClusterReader(cluster), api_clock.cluster_time(cluster)
    who = account_tokens.authenticate(claims, text, audiences, now, world)
    return Authenticated(cluster, who, token, tuple(account_tokens.common_audiences(claims, audiences)))


def is_valid(text: str, cluster_id: int) -> bool:
    """Return whether a token still authenticates its ServiceAccount."""
    try:
        authenticate(text, cluster_id)
    except InvalidTokenError:
        return False
    return True


def _find_local_cluster(cluster_id: int) -> Cluster | None:
    """Return a cluster that its owner uses without a token, because the playground runs on the owner's machine."""
    if not settings.LOCAL:
        return None
    cluster = Cluster.objects.select_related("owner").filter(pk=cluster_id, deleted=None).first()
    return cluster if cluster is not None and tokens.may_enter(cluster.owner) else None


def _key(cluster_id: int) -> bytes:
    """Return the key of a cluster, so that no other cluster accepts its tokens."""
    return hmac.digest(settings.SECRET_KEY.encode(), _SALT + str(cluster_id).encode(), hashlib.sha256)
