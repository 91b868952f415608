"""Static files, from where they lie, whole and compressible."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware


class StaticFiles(WhiteNoiseMiddleware):
    """Answers with the whole file: ours are small, and under ASGI Django reads a stream of blocks into memory too."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        # A part of a file cannot be compressed on the way.
        headers_given = {name: value for name, value in request.META.items() if name != "HTTP_RANGE"}
        found = static_file.get_response(request.method, headers_given)
        content = b""
        if found.file is not None:
            with found.file as file:
                content = file.read()
        headers = {name: value for name, value in found.headers if not content or name.lower() != "content-length"}
        return HttpResponse(content, status=int(found.status), headers=headers)
