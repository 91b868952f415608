"""Access for operators, who send a token or log in as staff. A local playground accepts all requests."""

import hmac
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase

PATHS = ("/metrics", "/configz", "/debug/")
SCHEME = "Bearer "

View = Callable[..., HttpResponseBase]


class OperatorToken:
    """Middleware that accepts any Host header with the operator's token. Prometheus addresses each Pod by IP."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(PATHS) and has_token(request):
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".")
        return self.get_response(request)


def has_token(request: HttpRequest) -> bool:
    """Return whether the request has OPERATOR_TOKEN; always False if it is not set."""
    header = request.headers.get("Authorization", "")
    token = settings.OPERATOR_TOKEN
    return bool(token) and hmac.compare_digest(header.encode(), f"{SCHEME}{token}".encode())


def operators_only(view: View) -> View:
    """Restrict a view to operators. Without a login the status is 401, for other users 403."""

    @wraps(view)
    def guarded(request: HttpRequest, *arguments: object, **keywords: object) -> HttpResponseBase:
        if settings.LOCAL or has_token(request):
            return view(request, *arguments, **keywords)
        user = request.user
        if not user.is_authenticated or not user.is_active:
            headers = {"WWW-Authenticate": SCHEME.strip()}
            return _refuse("401: bring the operator's token, or log in as staff", 401, headers)
        if not user.is_staff:
            return _refuse("403: for operators only", 403)
        return view(request, *arguments, **keywords)

    return guarded


def _refuse(text: str, status: int, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(text + "\n", status=status, content_type="text/plain; charset=utf-8", headers=headers)
