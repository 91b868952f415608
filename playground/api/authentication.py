"""Who calls the API: the page's user, with the page's CSRF token on every write."""

from typing import Any

from rest_framework.authentication import SessionAuthentication


class PageAuthentication(SessionAuthentication):
    """The user that the middleware found. The implicit user of a local playground needs the token just the same:

    any page in the browser can send a request to this machine, but cannot read the token.
    """

    def authenticate(self, request: Any) -> tuple[Any, None] | None:
        user = request._request.user
        if not user.is_authenticated or not user.is_active:
            return None
        self.enforce_csrf(request)
        return user, None
