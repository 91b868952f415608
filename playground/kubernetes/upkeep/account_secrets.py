"""Tokens in Secrets of the type `kubernetes.io/service-account-token`, which the token controller fills.

Source: pkg/controller/serviceaccount/tokens_controller.go. A Secret without its ServiceAccount is not deleted here.
"""

import base64
from collections.abc import Mapping
from typing import Any

from kube_apiserver.account_tokens import ACCOUNT_NAME, ACCOUNT_UID, SECRET_TYPE, legacy_claims
from kube_apiserver.resources import by_kind
from kube_apiserver.writes import handlers, patches
from kube_apiserver.writes.options import WriteOptions
from playground.kubernetes import api_clock, object_reads, write_commands
from playground.kubernetes.credentials import account_tokens
from playground.kubernetes.requests import Request

_MANAGER = "kube-controller-manager"


def fill_token(request: Request, written: Mapping[str, Any]) -> None:
    """Add a token to the Secret that a client has written, if the cluster has controllers and the Secret has
    no token.
    """
    if written.get("type") != SECRET_TYPE or request.is_dry_run or not request.cluster.actors:
        return
    metadata, resource = written["metadata"], by_kind("Secret")
    key = f"{metadata['namespace']}/{metadata['name']}"
    write_commands.retry_conflicts(resource, str(metadata["name"]), lambda: _fill_token(request, key))


def _fill_token(request: Request, key: str) -> None:
    resource, world = by_kind("Secret"), object_reads.StoredClusterReader(request.cluster)
    live = object_reads.manifest(request.cluster, resource, key)
    if live is None or (live.get("data") or {}).get("token") or live["metadata"].get("deletionTimestamp"):
        return
    namespace, annotations = key.partition("/")[0], live["metadata"].get("annotations") or {}
    account = world.get("ServiceAccount", str(annotations.get(ACCOUNT_NAME)), namespace)
    if account is None or annotations.get(ACCOUNT_UID) not in (None, "", account["metadata"]["uid"]):
        return
    minter = account_tokens.minter(request.caller.token_id, request.caller.who, is_stored=True)
    token = account_tokens.sign(request.cluster, legacy_claims(account, live, minter))
    patch = {
        "metadata": {"annotations": {ACCOUNT_UID: account["metadata"]["uid"]}},
        "data": {
            "token": base64.b64encode(token.encode()).decode(),
            "namespace": base64.b64encode(namespace.encode()).decode(),
        },
    }
    options = WriteOptions(_MANAGER, api_clock.format_time(request.now))
    changed = handlers.patch(resource, live, patches.MERGE_PATCH, patch, options, world).value
    if changed is not None:
        write_commands.submit_and_wait(
            request, resource, [write_commands.write_payload("update", [changed], is_strict=False, live=[live])]
        )
