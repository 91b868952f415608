"""A browsable page of the API, drawn by Swagger UI from files of our own."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from drf_spectacular.views import SpectacularSwaggerSplitView

from playground.web.security import policy


class Docs(SpectacularSwaggerSplitView):
    """Its script is a request of its own, so no inline script is needed; it does write style attributes."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Content-Security-Policy"] = policy(style="'unsafe-inline'")
        return response
