"""Limit the requests of one client that run at a time. Its other requests wait, and other clients don't.

Threads share one interpreter with the event loop. Hundreds of computing threads would stop other clients' requests and
all WebSockets for seconds.
"""

import json
import re
from collections.abc import Hashable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from kube_apiserver import errors, request_info
from playground import limits
from playground.web.body_limit import Application, Receive, Scope, Send
from playground.web.fair_places import FairPlaces
from playground.web.probe_paths import is_liveness

_CLUSTER = re.compile(r"/k8s/(\d+)(?:/(.*))?", re.DOTALL)
_SESSION = re.compile(rb"(?:^|;\s*)sessionid=([^;]*)")
_SAFE = ("GET", "HEAD")

LISTS = FairPlaces(limits.LISTS_AT_A_TIME, limits.LISTS_AT_A_TIME)
"""Lists, and the first objects of watches."""
READS = FairPlaces(limits.CLUSTER_READS_AT_WORK, limits.CLUSTER_READS_AT_WORK_PER_CLIENT)
"""Other reads of the Kubernetes API, and the beginnings of watches."""
_pages = FairPlaces(limits.REQUESTS_AT_WORK, limits.PAGE_READS_AT_WORK_PER_CLIENT)
_writes = FairPlaces(limits.REQUESTS_AT_WORK, limits.WRITES_AT_WORK_PER_CLIENT)


class ClientPlaces:
    """ASGI middleware that gives a request a place until its response begins."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_liveness(scope["path"]):
            return await self.application(scope, receive, send)
        places, client = _places_of(scope), client_of(scope)
        try:
            await places.acquire(client, limits.CLIENT_PLACE_SECONDS)
        except TimeoutError:
            return await _refuse(send)
        has_place = True

        def release() -> None:
            nonlocal has_place
            if has_place:
                has_place = False
                places.release(client)

        async def released(message: Mapping[str, Any]) -> None:
            release()
            await send(message)

        try:
            await self.application(scope, receive, released)
        finally:
            release()
        return None


def client_of(scope: Scope) -> Hashable:
    """Return the client of a request: its address and cluster, or its address and session at the web UI."""
    address = (scope.get("client") or ("",))[0]
    if cluster := _CLUSTER.fullmatch(scope["path"]):
        return address, int(cluster[1][:20])
    cookies = next((value for name, value in scope["headers"] if name == b"cookie"), b"")
    session = _SESSION.search(cookies)
    return address, session[1][:64] if session else b""


def _places_of(scope: Scope) -> FairPlaces:
    if scope["method"] not in _SAFE:
        return _writes
    cluster = _CLUSTER.fullmatch(scope["path"])
    if cluster is None:
        return _pages
    path = (cluster[2] or "").strip("/")
    query = dict(parse_qsl(scope.get("query_string", b"").decode("latin1")))
    return LISTS if request_info.read(scope["method"], path, query).verb == "list" else READS


def refused() -> errors.ApiError:
    """Return the refusal of a request that waited too long for a place."""
    return errors.too_many("too many of your requests wait already, please try again later", retry_after=1)


async def _refuse(send: Send) -> None:
    refusal = refused()
    body = f"{json.dumps(refusal.status)}\n".encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"retry-after", b"1"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.code, "headers": headers})
    await send({"type": "http.response.body", "body": body})
