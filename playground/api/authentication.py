"""Authentication of API requests: the page's session, with its CSRF token on every write."""

from typing import Any

from rest_framework.authentication import SessionAuthentication


class PageAuthentication(SessionAuthentication):
    """The user that the middleware set, with a CSRF check even for the implicit local user.

    Any page in the browser can send requests to this machine, but none of another origin can read the token.
    """

    def authenticate(self, request: Any) -> tuple[Any, None] | None:
        user = request._request.user
        if not user.is_authenticated or not user.is_active:
            return None
        self.enforce_csrf(request)
        return user, None
