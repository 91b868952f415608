"""Tokens of ServiceAccounts: claims, signature, and the user that a valid token authenticates.

A token is a JSON Web Token (RFC 7519), signed with HMAC-SHA256. Besides upstream's claims it has `MINTER`, which names
the user who minted it. Sources: pkg/serviceaccount, pkg/registry/core/serviceaccount/storage.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.access import AUTHENTICATED, SERVICE_ACCOUNT, UserInfo
from kube_apiserver.admission.attributes import ClusterReader
from kube_apiserver.resources import by_kind
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import strategy
from kube_apiserver.writes.opening import TOKEN_REQUEST

Object = Mapping[str, Any]
Sign = Callable[[Object], str]

ISSUER = "https://kubernetes.default.svc.cluster.local"
LEGACY_ISSUER = "kubernetes/serviceaccount"
AUDIENCES = (ISSUER,)
"""The audiences of the API server. A token without audiences is valid for them."""
MINTER = "playground"
"""The claim with the token of the user who minted this one, and the role that this one can't exceed."""
SECRET_TYPE = "kubernetes.io/service-account-token"  # noqa: S105  a type of Secrets
ACCOUNT_NAME, ACCOUNT_UID = "kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"

_KUBERNETES = "kubernetes.io"
_LEGACY = f"{_KUBERNETES}/serviceaccount"
_USER_EXTRA = "authentication.kubernetes.io"
_HEAD = {"alg": "HS256", "typ": "JWT"}
_LONGEST = 32 * 1024
_DEFAULT_SECONDS, _LEAST_SECONDS, _MOST_SECONDS = 3600, 600, 1 << 32
# A kubelet asks for this lifetime. Upstream extends it for clients that never read their token again.
_EXTENDED, _EXTENSION_SECONDS = 3607, 365 * 24 * 3600
_LEEWAY_SECONDS = 60
_BINDS = ("Node", "Pod", "Secret")


class InvalidTokenError(Exception):
    """The error of a token that authenticates no user. Its text is the one that upstream puts into a TokenReview."""


def sign(claims: Object, key: bytes) -> str:
    """Return the claims as a signed token."""
    signed = ".".join(_encoded(json.dumps(part, sort_keys=True, separators=(",", ":"))) for part in (_HEAD, claims))
    return f"{signed}.{_signature(signed, key)}"


def read_claims(text: str, key: bytes) -> Object | None:
    """Return the claims of a token, or None if this key didn't sign it."""
    signed, _, signature = text.rpartition(".")
    if len(text) > _LONGEST or not text.isascii() or not hmac.compare_digest(signature, _signature(signed, key)):
        return None
    payload = signed.partition(".")[2]
    claims: Object = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _signature(signed: str, key: bytes) -> str:
    return base64.urlsafe_b64encode(hmac.digest(key, signed.encode(), hashlib.sha256)).decode().rstrip("=")


def mint(
    live: Object, sent: Object, now: datetime, seed: str, world: ClusterReader, minter: Object, sign: Sign
) -> Object:
    """Return the answer to a TokenRequest for the ServiceAccount `live`, or raise ApiError.

    `minter` is the value of the claim MINTER. Source: TokenREST.Create.
    """
    metadata, spec = live["metadata"], sent.get("spec") or {}
    seconds = spec.get("expirationSeconds")
    seconds = _DEFAULT_SECONDS if seconds is None else seconds
    _check_seconds(seconds)
    reference = spec.get("boundObjectRef")
    bound = {} if reference is None else _bind(reference, metadata, world)
    audiences = spec.get("audiences") or list(AUDIENCES)
    is_extended = "pod" in bound and seconds == _EXTENDED and set(audiences) <= set(AUDIENCES)
    issued = int(now.timestamp())
    if is_extended:
        bound["warnafter"] = issued + seconds
    end, uid = now + timedelta(seconds=seconds), strategy.new_uid(seed, 0, TOKEN_REQUEST.kind, metadata)
    claims = {
        "aud": audiences,
        "exp": issued + (_EXTENSION_SECONDS if is_extended else seconds),
        "iat": issued,
        "iss": ISSUER,
        "jti": uid,
        _KUBERNETES: {"namespace": metadata.get("namespace"), "serviceaccount": _reference(live), **bound},
        "nbf": issued,
        "sub": _user_name(metadata),
        MINTER: minter,
    }
    return {
        "kind": TOKEN_REQUEST.kind,
        "apiVersion": TOKEN_REQUEST.api_version,
        "metadata": {
            **sent["metadata"],
            "name": metadata["name"],
            "namespace": metadata.get("namespace"),
            "uid": uid,
            "creationTimestamp": now.strftime(TIME_FORMAT),
        },
        "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": reference},
        "status": {"token": sign(claims), "expirationTimestamp": end.strftime(TIME_FORMAT)},
    }


def _check_seconds(seconds: int) -> None:
    """Raise ApiError for a lifetime out of bounds. Source: pkg/apis/authentication/validation."""
    detail = ""
    if seconds < _LEAST_SECONDS:
        detail = "may not specify a duration less than 10 minutes"
    elif seconds > _MOST_SECONDS:
        detail = "may not specify a duration larger than 2^32 seconds"
    if detail:
        raise errors.invalid(TOKEN_REQUEST, "", [causes.invalid("spec.expirationSeconds", seconds, detail)])


def _bind(reference: Object, account: Object, world: ClusterReader) -> dict[str, Any]:
    """Return the claims about the object that the token is bound to, or raise ApiError."""
    kind, name = str(reference.get("kind") or ""), str(reference.get("name") or "")
    group, _, version = str(reference.get("apiVersion") or "").rpartition("/")
    if group or kind not in _BINDS:
        raise errors.bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    resource, namespace = by_kind(kind), str(account.get("namespace") or "")
    bound = world.get(kind, name, namespace if resource.namespaced else "")
    if bound is None:
        raise errors.not_found(resource, name)
    if kind == "Pod" and (bound.get("spec") or {}).get("serviceAccountName") != account["name"]:
        text = f'cannot bind token for serviceaccount "{account["name"]}" to pod running with different serviceaccount'
        raise errors.bad_request(f"{text} name.")
    if (uid := reference.get("uid")) and uid != bound["metadata"].get("uid"):
        text = f"the UID in the bound object reference ({uid}) does not match the UID in record. The object might have"
        raise errors.conflict(replace(resource, name=kind), name, f"{text} been deleted and then recreated")
    claims: dict[str, Any] = {kind.lower(): _reference(bound)}
    if kind == "Pod" and (node_name := (bound.get("spec") or {}).get("nodeName")):
        node = world.get("Node", node_name)
        claims["node"] = {"name": node_name} if node is None else _reference(node)
    return claims


def legacy_claims(account: Object, secret: Object, minter: Object) -> Object:
    """Return the claims of the token in a Secret, which never expires. Source: legacy.go."""
    metadata = account["metadata"]
    return {
        "iss": LEGACY_ISSUER,
        f"{_LEGACY}/namespace": metadata.get("namespace"),
        f"{_LEGACY}/secret.name": secret["metadata"]["name"],
        f"{_LEGACY}/service-account.name": metadata["name"],
        f"{_LEGACY}/service-account.uid": metadata.get("uid"),
        "sub": _user_name(metadata),
        MINTER: minter,
    }


def authenticate(claims: Object, text: str, audiences: Sequence[str], now: datetime, world: ClusterReader) -> UserInfo:
    """Return the user of a token whose signature is valid, or raise InvalidTokenError.

    The token must be for at least one of `audiences`. `text` is the token itself.
    """
    written = claims.get("aud") or AUDIENCES
    if not set(written) & set(audiences):
        raise InvalidTokenError(
            f"token audiences {_quoted(written)} is invalid for the target audiences {_quoted(audiences)}"
        )
    who = _legacy_user(claims, text, world) if claims["iss"] == LEGACY_ISSUER else _user(claims, now, world)
    return replace(who, ceiling=claims[MINTER]["role"])


def common_audiences(claims: Object, audiences: Sequence[str]) -> list[str]:
    """Return the audiences of a token that are among the requested ones."""
    return [each for each in claims.get("aud") or AUDIENCES if each in audiences]


def _user(claims: Object, now: datetime, world: ClusterReader) -> UserInfo:
    """Return the user of a token that a TokenRequest minted. Source: validator.Validate."""
    if now.timestamp() - _LEEWAY_SECONDS > claims["exp"]:
        raise InvalidTokenError("service account token has expired")
    if now.timestamp() + _LEEWAY_SECONDS < claims["nbf"]:
        raise InvalidTokenError("service account token is not valid yet")
    bound = claims[_KUBERNETES]
    namespace, reference = str(bound.get("namespace") or ""), bound["serviceaccount"]
    account = _account(namespace, reference["name"], world)
    if _is_long_deleted(account, now):
        raise InvalidTokenError(f"service account {namespace}/{reference['name']} has been deleted")
    _check_uid("service account", account, reference, "claim")
    extra = {"credential-id": [f"JTI={claims['jti']}"]}
    if secret := bound.get("secret"):
        _check_bound("Secret", namespace, secret, now, world)
    if pod := bound.get("pod"):
        _check_bound("Pod", namespace, pod, now, world)
        extra |= {"pod-name": [pod["name"]], "pod-uid": [pod["uid"]]}
    if node := bound.get("node"):
        if not pod:
            _check_bound("Node", "", node, now, world)
        extra |= {f"node-{name}": [value] for name, value in node.items()}
    return _account_user(account, {f"{_USER_EXTRA}/{name}": values for name, values in extra.items()})


def _legacy_user(claims: Object, text: str, world: ClusterReader) -> UserInfo:
    """Return the user of a token that a Secret stores. Source: legacyValidator.Validate."""
    namespace, name = str(claims[f"{_LEGACY}/namespace"]), str(claims[f"{_LEGACY}/service-account.name"])
    secret = world.get("Secret", str(claims[f"{_LEGACY}/secret.name"]), namespace)
    if secret is None or secret["metadata"].get("deletionTimestamp"):
        raise InvalidTokenError("Token has been invalidated")
    if (secret.get("data") or {}).get("token") != base64.b64encode(text.encode()).decode():
        raise InvalidTokenError("Token does not match server's copy")
    account = _account(namespace, name, world)
    if account["metadata"].get("deletionTimestamp"):
        raise InvalidTokenError(f"ServiceAccount {namespace}/{name} has been deleted")
    _check_uid("ServiceAccount", account, {"uid": claims[f"{_LEGACY}/service-account.uid"]}, "claim")
    return _account_user(account, {})


def _account(namespace: str, name: str, world: ClusterReader) -> Object:
    account = world.get("ServiceAccount", name, namespace)
    if account is None:
        raise InvalidTokenError(f'serviceaccounts "{name}" not found')
    return account


def _account_user(account: Object, extra: Mapping[str, list[str]]) -> UserInfo:
    metadata = account["metadata"]
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{metadata.get('namespace')}", AUTHENTICATED)
    return UserInfo(_user_name(metadata), groups, uid=str(metadata.get("uid") or ""), extra=extra)


def _check_bound(kind: str, namespace: str, reference: Object, now: datetime, world: ClusterReader) -> None:
    """Raise InvalidTokenError if the bound object was deleted, or another one has its name."""
    bound = world.get(kind, reference["name"], namespace)
    if bound is None or _is_long_deleted(bound, now):
        raise InvalidTokenError("service account token has been invalidated")
    _check_uid(kind.lower(), bound, reference, f"service account {kind.lower()} ref claim")


def _check_uid(what: str, value: Object, reference: Object, claim: str) -> None:
    if (uid := value["metadata"].get("uid")) != reference.get("uid"):
        raise InvalidTokenError(f"{what} UID ({uid}) does not match {claim} ({reference.get('uid')})")


def _is_long_deleted(value: Object, now: datetime) -> bool:
    written = value["metadata"].get("deletionTimestamp")
    if not written:
        return False
    deleted = datetime.strptime(written, TIME_FORMAT).replace(tzinfo=UTC)
    return (now - deleted).total_seconds() > _LEEWAY_SECONDS


def _reference(value: Object) -> Object:
    return {"name": value["metadata"]["name"], "uid": value["metadata"].get("uid")}


def _user_name(metadata: Object) -> str:
    return f"{SERVICE_ACCOUNT}{metadata.get('namespace')}:{metadata['name']}"


def _quoted(texts: Sequence[str]) -> str:
    """Return a list as Go's %q prints it."""
    return f"[{' '.join(json.dumps(text, ensure_ascii=False) for text in texts)}]"
