"""Guests: a client with the key of a shared moment may read the cluster that shows it, without an account."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request

# A header, because URLs end up in logs and browser histories.
HEADER = "X-Share-Key"
SHAPE = 43


def key_of(request: Request) -> str | None:
    """Return the key in the request, or None. A request with a key has only a guest's rights."""
    key = request.headers.get(HEADER)
    return None if key is None else key[: SHAPE + 1]


class UserOrGuest(IsAuthenticated):
    """The permission for users, and for reads of guests if the view is open to them."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if key_of(request) is None:
            return super().has_permission(request, view)
        return bool(view.open_to_guests) and request.method in SAFE_METHODS
