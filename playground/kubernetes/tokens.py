"""Tokens of the Kubernetes API: created, stored as digests, listed and revoked. Also the kubeconfig for a token."""

import base64
import hashlib
import secrets
from datetime import timedelta
from typing import TypedDict

import yaml
from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import DatabaseError, transaction
from django.utils import timezone

from kube_apiserver.access import ROLES
from kube_objects.sentences import say
from playground import limits
from playground.accounts import guests
from playground.database_errors import is_read_only
from playground.models import Cluster, KubernetesToken
from playground.problems import Refused, problem

# The precision of a token's last use, so that few requests have to write it.
USED_EVERY = timedelta(minutes=1)
_START = "playground-"


class TokenAnswer(TypedDict):
    """A token. `used` is null and `client` is "" for a token that was never used."""

    id: int
    role: str
    name: str
    created: str
    used: str | None
    client: str


class TokenMade(TypedDict):
    """A new token. `kubeconfig` is a complete file, and no other answer contains its token."""

    token: TokenAnswer
    kubeconfig: str


def create_token(cluster: Cluster, role: str, name: str = "") -> tuple[KubernetesToken, str]:
    """Create a token. Return its row and its text. Raise Refused."""
    if role not in ROLES:
        raise Refused([problem("role", say("must be one of {names}", names=", ".join(ROLES)), role)])
    if len(name) > limits.TOKEN_NAME:
        raise Refused([problem("name", say("must have at most {n} characters", n=limits.TOKEN_NAME), name[:80])])
    if KubernetesToken.objects.filter(cluster=cluster).count() >= limits.TOKENS_PER_CLUSTER:
        most = limits.TOKENS_PER_CLUSTER
        raise Refused([problem("", say("a cluster has at most {n} tokens: revoke one", n=most))], 409)
    text = _START + secrets.token_urlsafe(32)
    return KubernetesToken.objects.create(cluster=cluster, role=role, name=name, digest=_digest(text)), text


def find_token(text: str, cluster_id: int) -> KubernetesToken | None:
    """Return the token with this text, or None if it isn't valid for the cluster."""
    if not text.startswith(_START) or len(text) > 100:
        return None
    return _first_valid(digest=_digest(text), cluster_id=cluster_id)


def find_by_id(token_id: int, cluster_id: int) -> KubernetesToken | None:
    """Return the token with this number, or None if it is no longer valid for the cluster."""
    return _first_valid(pk=token_id, cluster_id=cluster_id)


def _first_valid(**conditions: str | int) -> KubernetesToken | None:
    tokens = KubernetesToken.objects.select_related("cluster__owner")
    token = tokens.filter(cluster__deleted=None, **conditions).first()
    return token if token is not None and may_enter(token.cluster.owner) else None


def may_enter(owner: AbstractBaseUser) -> bool:
    """Return True if an account is active and, for a guest, its class is open."""
    return owner.is_active and not guests.has_ended(owner.pk)


def note_token_use(token: KubernetesToken, client: str) -> None:
    """Store the time and the client of a token's use. Ignore a read-only database, so that reads still work."""
    now = timezone.now()
    if token.used is not None and now - token.used <= USED_EVERY and token.client == client:
        return
    try:
        with transaction.atomic():
            KubernetesToken.objects.filter(pk=token.pk).update(used=now, client=client[: limits.CLIENT_NAME])
    except DatabaseError as error:
        if not is_read_only(error):
            raise


def list_tokens(cluster: Cluster) -> list[TokenAnswer]:
    return [describe_token(each) for each in KubernetesToken.objects.filter(cluster=cluster).order_by("pk")]


def describe_token(token: KubernetesToken) -> TokenAnswer:
    return {
        "id": token.pk,
        "role": token.role,
        "name": token.name,
        "created": token.created.isoformat(),
        "used": token.used.isoformat() if token.used else None,
        "client": token.client,
    }


def revoke_token(cluster: Cluster, token_id: int) -> bool:
    """Delete a token. Return True if it existed. Its open watches end within a minute."""
    return bool(KubernetesToken.objects.filter(cluster=cluster, pk=token_id).delete()[0])


def kubeconfig(cluster: Cluster, base: str, token: str = "", authority: bytes = b"") -> str:
    """Return a kubeconfig. `base` is the playground's URL, and `authority` its certificate authorities (PEM).

    The default for HTTPS is the setting CERTIFICATE_AUTHORITY.
    """
    authority = authority or (settings.CERTIFICATE_AUTHORITY if base.startswith("https:") else b"")
    name = f"playground-{cluster.pk}"
    server: dict[str, str | bool] = {"server": f"{base.rstrip('/')}/k8s/{cluster.pk}"}
    if base.startswith("http:"):
        # There is no TLS to verify, but JavaScript's client requires this setting.
        server["insecure-skip-tls-verify"] = True
    if authority:
        server["certificate-authority-data"] = base64.b64encode(authority).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "users": [{"name": name, "user": {"token": token} if token else {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
        "current-context": name,
    }
    return yaml.safe_dump(config, sort_keys=False)


def file_name(cluster: Cluster) -> str:
    return f"playground-{cluster.pk}.yaml"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
