"""An ASGI handler that runs each request in one thread of a pool, from the first middleware to the end of its view.

Django's own handler starts a thread per request and switches six times between it and the event loop, which takes
longer than most views.
"""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TypeVar

from asgiref.sync import sync_to_async
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.db import close_old_connections
from django.http import HttpResponseBase
from django.urls import set_script_prefix

from playground import limits
from playground.web.body_limit import Receive, Scope, Send
from playground.web.probe_paths import is_liveness
from playground.web.request_guard import CLIENT, Client

T = TypeVar("T")
SERVING_LOOP: contextvars.ContextVar[asyncio.AbstractEventLoop] = contextvars.ContextVar("serving_loop")
"""The event loop that serves the request of this thread."""


class Handler(ASGIHandler):
    """An ASGI application. The event loop sends streaming responses, as in Django's handler."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware(is_async=False)
        self._threads = ThreadPoolExecutor(limits.REQUESTS_AT_WORK, "request")
        # A liveness probe must not wait behind requests that wait for a cluster.
        self._liveness_thread = ThreadPoolExecutor(1, "liveness")

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        try:
            threads = self._liveness_thread if is_liveness(scope["path"]) else self._threads
            loop = asyncio.get_running_loop()
            SERVING_LOOP.set(loop)
            client = scope[CLIENT] = Client(loop, receive)
            try:
                response = await _in(threads, lambda: self._respond(scope, body))
            finally:
                client.end()
            if response.streaming:
                await self._stream(response, receive, send)
            else:
                await self.send_response(response, send)
        finally:
            body.close()

    def _respond(self, scope: Scope, body: IO[bytes]) -> HttpResponseBase:
        """Return the response to a request; streaming content is not yet produced."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=self.__class__, scope=scope)
        request, response = self.create_request(scope, body)
        if request is not None:
            response = self.get_response(request)
        assert response is not None  # one of the two is made
        # The sender of the signal that the request is over.
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if response.streaming:
            # Other threads produce the content.
            close_old_connections()
        else:
            response.close()
        return response

    async def _stream(self, response: HttpResponseBase, receive: Receive, send: Send) -> None:
        """Send a streaming response until it ends or the client disconnects."""
        sending = asyncio.create_task(self.send_response(response, send))
        leaving = asyncio.create_task(self.listen_for_disconnect(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            done = await asyncio.gather(sending, leaving, return_exceptions=True)
            await sync_to_async(response.close)()
        for error in done:
            if isinstance(error, Exception) and not isinstance(error, RequestAborted):
                raise error


async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(threads, context.run, work)
