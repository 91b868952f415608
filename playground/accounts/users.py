"""Who is asking. A local playground has one implicit user, for whoever sits at this machine."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

from playground import plugins
from playground.accounts.guests import IS_GUEST
from playground.accounts.services import local_user
from playground.settings.reach import is_loopback
from simulator.explain import steps


class ImplicitUser:
    """Makes everybody at this machine the local user, where nobody else gets to the playground; but for guests."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.LOCAL:
            # Bound to loopback nobody else can get here, but through a proxy that nobody told us of.
            if not is_loopback(request.META.get("REMOTE_ADDR", "")):
                raise PermissionDenied(
                    "this playground serves its own machine only; behind a proxy it has to know its public name: "
                    "set ALLOWED_HOSTS and SECRET_KEY, see docs/deployment.md"
                )
            # Who joined a class in this browser is its guest there, and nothing more.
            if not (request.session.get(IS_GUEST) and request.user.is_authenticated):
                request.user = SimpleLazyObject(local_user)  # type: ignore[assignment]
        return self.get_response(request)


def local(request: HttpRequest) -> dict[str, Any]:
    """For templates: is there nobody to log out, what do new clusters emulate, the words of steps, the languages."""
    return {
        "local": settings.LOCAL,
        "emulates": plugins.TODAY,
        "steps": steps.TABLE,
        "languages": settings.LANGUAGES,
    }
