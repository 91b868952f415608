"""The user of a request. A local playground has one implicit user for everybody at the machine."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

from playground import plugins
from playground.accounts.guests import IS_GUEST
from playground.accounts.services import get_local_user
from playground.settings.reach import is_loopback
from simulator.explain import steps


class ImplicitUser:
    """Middleware that makes each local request the local user's, except for a guest's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.LOCAL:
            # Only an unconfigured proxy can pass on a request from elsewhere to a loopback address.
            if not is_loopback(request.META.get("REMOTE_ADDR", "")):
                raise PermissionDenied(
                    "this playground serves its own machine only; behind a proxy it has to know its public name: "
                    "set ALLOWED_HOSTS and SECRET_KEY, see docs/how-to/deploy.md"
                )
            # A browser that joined a class as a guest has only the guest's rights.
            if not (request.session.get(IS_GUEST) and request.user.is_authenticated):
                request.user = SimpleLazyObject(get_local_user)  # type: ignore[assignment]
        return self.get_response(request)


def local(request: HttpRequest) -> dict[str, Any]:
    """Return values for templates: login mode, emulated version, step names and languages."""
    return {
        "local": settings.LOCAL,
        "emulates": plugins.TODAY,
        "steps": steps.TABLE,
        "languages": settings.LANGUAGES,
    }
