"""The caching headers of a Kubernetes API server."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class UpstreamHeaders:
    """A middleware that gives answers of a cluster's Kubernetes API the caching headers of a real server.

    Sessions and languages add themselves to `Vary`; a real server names only the encoding. Because the answer must not
    be reused for another user, it is not cached. Source: apiserver/pkg/endpoints/filters/cachecontrol.go.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if request.path.startswith("/k8s/"):
            response.headers.setdefault("Cache-Control", "no-cache, private")
            response.headers.pop("Vary", None)
        return response
