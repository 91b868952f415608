"""Bodies of subresources with a kind of their own: Eviction, Binding, TokenRequest.

Source: registry/core/pod/storage eviction.go and storage.go, registry/core/serviceaccount/storage/token.go.
"""

from dataclasses import replace
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.resources import Resource
from kube_apiserver.writes import decode
from kube_apiserver.writes.scales import SCALE

Object = dict[str, Any]


def _kind(group: str, kind: str, name: str) -> Resource:
    return replace(SCALE, group=group, kind=kind, name=name, singular=kind.lower(), columns=())


EVICTION = _kind("policy", "Eviction", "evictions")
BINDING = _kind("", "Binding", "bindings")
TOKEN_REQUEST = _kind("authentication.k8s.io", "TokenRequest", "tokenrequests")
_OLD_EVICTION = "policy/v1beta1"
_STUCK = "ignoreStoreReadErrorWithClusterBreakingPotential"


def read(kind: Resource, sent: Any, namespace: str, validation: str) -> tuple[Object, list[str]]:
    """Return the object and the warnings for its client, or raise ApiError."""
    if kind is EVICTION and isinstance(sent, dict) and sent.get("apiVersion") == _OLD_EVICTION:
        # Source: EvictionREST.AcceptsGroupVersion.
        sent = {**sent, "apiVersion": EVICTION.api_version}
    value, warnings = decode.read(kind, sent, validation)
    return decode.in_namespace(kind, value, namespace), warnings


def of_pod(kind: Resource, sent: Any, namespace: str, name: str, validation: str) -> tuple[Object, list[str]]:
    """Return an Eviction or a Binding of the Pod, and the warnings for its client."""
    value, warnings = read(kind, sent, namespace, validation)
    if value["metadata"].get("name") != name:
        raise errors.bad_request(f"name in URL does not match name in {kind.kind} object")
    return value, warnings


def wanted_deletion(eviction: Object, *, is_dry_run: bool) -> Object:
    """Return the delete options of an eviction, or raise ApiError if they contradict the request."""
    delete_options: Object = {
        name: item for name, item in (eviction.get("deleteOptions") or {}).items() if name != "kind"
    }
    if is_dry_run and delete_options.get("dryRun") not in (None, [], ["All"]):
        inside = " ".join(map(str, delete_options["dryRun"]))
        text = f"Non-matching dry-run options in request and content: [All] and [{inside}]"
        raise errors.ApiError(500, "", text)
    if delete_options.get(_STUCK):
        detail = "can not be set for pod eviction, try after removing the option"
        cause = causes.invalid(f"deleteOptions.{_STUCK}", True, detail)
        raise errors.invalid(EVICTION, str(eviction["metadata"].get("name")), [cause])
    return delete_options


def token_request(sent: Any, namespace: str, name: str, validation: str) -> tuple[Object, list[str]]:
    """Return a TokenRequest for the ServiceAccount, and the warnings for its client."""
    value, warnings = read(TOKEN_REQUEST, sent, namespace, validation)
    given = value["metadata"].get("name")
    if given not in (None, "", name):
        detail = "must match the service account name if specified"
        raise errors.invalid(TOKEN_REQUEST, name, [causes.invalid("metadata.name", given, detail)])
    return value, warnings


def check_name(resource: Resource, sent: Any, name: str, validation: str) -> None:
    """Raise ApiError if a cluster-scoped object sent to a subresource has another name than its path."""
    decode.check_name(resource, sent, "", name, validation)
