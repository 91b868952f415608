"""WebSockets of the Kubernetes API. Each watch event is a text frame, as Headlamp and JavaScript clients expect.

A request to a container, such as exec, gets the HTTP answer that explains why nothing runs. Sources: HandleWS of
apiserver/pkg/endpoints/handlers/watch.go, apiserver/pkg/authentication/request/websocket.
"""

import asyncio
import base64
import binascii
import contextlib
import logging
from collections.abc import AsyncGenerator
from io import BytesIO
from typing import Any, cast

from channels.generic.websocket import AsyncWebsocketConsumer
from django.core.exceptions import SuspiciousOperation
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from kube_apiserver import errors, request_info
from playground import limits
from playground.kubernetes import views
from playground.kubernetes.watch_streams import in_thread
from playground.web import client_places

# JavaScript can't set headers of a socket, so it sends the token as one of the offered protocols.
_TOKEN = "base64url.bearer.authorization.k8s.io."  # noqa: S105 - it stands before one
_ENDED, _BROKEN = 1000, 1011
# The errors of the server after the client has disconnected. `disconnect` is called next.
_GONE = (OSError, RuntimeError)

logger = logging.getLogger(__name__)


class WatchSocket(AsyncWebsocketConsumer):
    _telling: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        try:
            async with client_places.READS.place(client_places.client_of(self.scope), limits.CLIENT_PLACE_SECONDS):
                answer = await in_thread(self._answer)()
        except TimeoutError:
            answer = views.refusal(client_places.refused())
        if not isinstance(answer, StreamingHttpResponse):
            return await self._refuse(answer)
        offered = [each for each in self.scope["subprotocols"] if not each.startswith(_TOKEN)]
        await self.accept(offered[0] if offered else None)
        self._telling = asyncio.create_task(self._send_answer(answer))
        return None

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Ignore messages, because a watch accepts none."""

    async def disconnect(self, code: int) -> None:
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    def _answer(self) -> HttpResponseBase:
        """Return the answer to the same request over HTTP. A streaming answer is a watch."""
        try:
            request = _request(self.scope)
            place = self.scope["url_route"]["kwargs"]
            info = request_info.read("GET", place["path"].strip("/"), request.GET.dict())
            if not request.GET.get("watch") and info.subresource not in views.CONTAINER_SUBRESOURCES:
                message = "a WebSocket serves watches and requests to containers only: use HTTP for other requests"
                raise errors.bad_request(message)
            return views.kubernetes(request, place["cluster_id"], place["path"])
        except (SuspiciousOperation, UnicodeDecodeError):
            return HttpResponse(status=400)
        except errors.ApiError as error:
            return views.refusal(error)

    async def _send_answer(self, answer: StreamingHttpResponse) -> None:
        events = cast(AsyncGenerator[bytes, None], answer.streaming_content)
        code = _ENDED
        try:
            async with contextlib.aclosing(events):
                async for batch in events:
                    if not await self._is_sent(batch):
                        return
        except Exception:  # close the socket after any failure, because an open one would stay silent
            logger.exception("a watch over a WebSocket broke off")
            code = _BROKEN
        with contextlib.suppress(*_GONE):
            await self.close(code)

    async def _is_sent(self, batch: bytes) -> bool:
        try:
            for line in batch.decode().splitlines():
                await self.send(line)
        except _GONE:
            return False
        return True

    async def _refuse(self, answer: HttpResponseBase) -> None:
        if "websocket.http.response" not in self.scope.get("extensions", {}):
            return await self.close()
        headers = [(name.lower().encode("latin1"), value.encode("latin1")) for name, value in answer.items()]
        start = {"type": "websocket.http.response.start", "status": answer.status_code, "headers": headers}
        await self.base_send(start)
        await self.base_send({"type": "websocket.http.response.body", "body": getattr(answer, "content", b"")})
        return None


def _request(scope: Any) -> HttpRequest:
    """Return the HTTP request that the socket stands for. Raise ApiError for invalid protocols."""
    headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
    authorization = [value for name, value in scope["headers"] if name == b"authorization"] or _tokens(
        scope["subprotocols"]
    )
    headers += [(b"authorization", value) for value in authorization]
    scheme = "https" if scope.get("scheme") == "wss" else "http"
    of_http = {**scope, "type": "http", "method": "GET", "scheme": scheme, "headers": headers}
    request = ASGIRequest(of_http, BytesIO())
    request.user = scope["user"]
    request.get_host()
    return request


def _tokens(protocols: list[str]) -> list[bytes]:
    """Return the authorization header for the token among the protocols, if there is one."""
    offered = [each.removeprefix(_TOKEN) for each in protocols if each.startswith(_TOKEN)]
    if not offered:
        return []
    if len(offered) > 1:
        raise errors.bad_request("multiple base64.bearer.authorization tokens specified")
    if len(protocols) == 1:
        raise errors.bad_request("missing additional subprotocol")
    try:
        token = base64.urlsafe_b64decode(offered[0] + "=" * (-len(offered[0]) % 4))
        return [b"Bearer " + token.decode("ascii").encode()]
    except (binascii.Error, ValueError) as broken:
        raise errors.bad_request("invalid base64.bearer.authorization token encoding") from broken
