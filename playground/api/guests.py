"""Guests: who brings the key of a shared moment may read the cluster that shows it, with or without an account."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, IsAuthenticated
from rest_framework.request import Request

# Not a part of the address, which ends up in logs and histories.
HEADER = "X-Share-Key"
SHAPE = 43


def key_of(request: Request) -> str | None:
    """The key that a guest brings; None for everybody else. Whoever brings one is nothing but a guest."""
    key = request.headers.get(HEADER)
    return None if key is None else key[: SHAPE + 1]


class UserOrGuest(IsAuthenticated):
    """Users, and guests where the view is open to them, to read."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if key_of(request) is None:
            return super().has_permission(request, view)
        return bool(view.open_to_guests) and request.method in SAFE_METHODS
