"""The page of a shared moment, with or without an account. Other sites may frame it only as an embed."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from playground.web.security import policy

EMBED, YES = "embed", "1"


@require_safe
def share_page(request: HttpRequest, name: str = "") -> HttpResponseBase:
    """Show the page with the moment `name`, or with the one in the URL's fragment, which the server never sees."""
    return (_embedded if request.GET.get(EMBED) == YES else _render_whole)(request, name)


@ensure_csrf_cookie
def _render_whole(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page with its button that creates a cluster, so no other site may frame it."""
    return _page(request, name, embed=False)


@xframe_options_exempt
def _embedded(request: HttpRequest, name: str) -> HttpResponse:
    """Return the page for frames of any site. It has no cookie and no account, and changes nothing."""
    response = _page(request, name, embed=True)
    nonce = f"'nonce-{request.csp_nonce}'"  # type: ignore[attr-defined]
    response.headers["Content-Security-Policy"] = policy(nonce, nonce, framed_by="*")
    return response


def _page(request: HttpRequest, name: str, *, embed: bool) -> HttpResponse:
    response = render(request, "index.html", {"shared": True, "share": name, "embed": embed})
    patch_cache_control(response, no_store=True)
    return response
