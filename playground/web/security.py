"""The headers that every answer carries; above all, which scripts a page may run."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"


class SecurityHeaders:
    """Sets the Content-Security-Policy, unless the view has one of its own, with a nonce at `request.csp_nonce`."""

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
    """A policy of our own files and nothing else; `script` and `style` are further sources."""
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
