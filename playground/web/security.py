"""Security headers of every response, first of all the Content-Security-Policy."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeaders:
    """A middleware that sets security headers. `request.csp_nonce` is the nonce; a view's own policy has precedence."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        nonce = secrets.token_urlsafe(16)
        request.csp_nonce = nonce  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy(f"'nonce-{nonce}'", f"'nonce-{nonce}'"))
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response


def policy(script: str = "", style: str = "", framed_by: str = "'none'") -> str:
    """Return a policy that allows only our own files, and `script` and `style` as further sources."""
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' {script}".rstrip(),
            f"style-src 'self' {style}".rstrip(),
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            f"frame-ancestors {framed_by}",
        ]
    )
