"""Serve static files before Django, without session, language or thread, and compress each file once."""

import gzip
import os
from io import BytesIO
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from playground.web import versioned_files
from playground.web.body_limit import Application, Receive, Scope, Send
from playground.web.security import SecurityHeaders

WORTH_PACKING = 200


class StaticFiles(WhiteNoiseMiddleware):
    """ASGI middleware that serves static files. A file that changed since the start is read again."""

    def __init__(self, application: Application) -> None:
        super().__init__(None)
        self.application = application
        self._seen: dict[str, tuple[int, int]] = {}
        self._packed: dict[str, bytes] = {}
        # The same middleware as for all other responses sets the headers.
        secure: Any = SecurityMiddleware(XFrameOptionsMiddleware(self._respond))
        self._view: Any = SecurityHeaders(secure)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = versioned_files.remove_version(scope["path"])
        if self._find(path) is None:
            return await self.application(scope, receive, send)
        answer = self._view(ASGIRequest({**scope, "path": path}, BytesIO()))
        if path != scope["path"]:
            answer["Cache-Control"] = versioned_files.FOR_EVER
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.items()]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": answer.content})
        return None

    def _find(self, url: str) -> Any:
        """Return WhiteNoise's entry for a file in its current state, or None if there is no such file."""
        if not url.startswith(self.static_prefix):
            return None
        entry = self.find_file(url) if self.autorefresh else self.files.get(url)
        if entry is None:
            return None
        path = entry.alternatives[0][1]
        try:
            status = os.stat(path)
        except FileNotFoundError:
            return None
        if self._seen.get(url) != (status.st_mtime_ns, status.st_size):
            self._seen[url] = (status.st_mtime_ns, status.st_size)
            self._packed.pop(url, None)
            self.add_file_to_dictionary(url, path)
        return self.files[url]

    def _respond(self, request: HttpRequest) -> HttpResponse:
        url = request.path_info
        # A range of a file cannot be compressed. The compressed and the plain file share one weak ETag.
        meta = {name: value for name, value in request.META.items() if name != "HTTP_RANGE"}
        if tag := meta.get("HTTP_IF_NONE_MATCH"):
            meta["HTTP_IF_NONE_MATCH"] = tag.removeprefix("W/")
        response = self.files[url].get_response(request.method, meta)
        answer = HttpResponse(status=int(response.status))
        del answer["Content-Type"]
        for name, value in response.headers:
            answer[name] = f"W/{value}" if name.lower() == "etag" else value
        if response.file is None:
            return answer
        with response.file as file:
            content = file.read()
        answer["Vary"] = "Accept-Encoding"
        if len(content) > WORTH_PACKING and "gzip" in meta.get("HTTP_ACCEPT_ENCODING", ""):
            if url not in self._packed:
                self._packed[url] = gzip.compress(content, mtime=0)
            content = self._packed[url]
            answer["Content-Encoding"] = "gzip"
        answer["Content-Length"] = str(len(content))
        answer.content = content
        return answer
