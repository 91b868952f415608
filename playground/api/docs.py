"""A page that documents the API, drawn by Swagger UI from local files."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from drf_spectacular.views import SpectacularSwaggerSplitView

from playground.web.security import policy


class Docs(SpectacularSwaggerSplitView):
    """The Swagger UI, with its script in a separate request and inline style attributes allowed."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = policy(style="'unsafe-inline'")
        return response
