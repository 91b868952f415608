"""Shared moments: by id, a user's own, and what a visitor with a key may read."""

import json
from typing import Any

from django.db.models import QuerySet

from playground.access.readers import User
from playground.models import Share
from playground.shares import gallery
from scheduler_core.exchange import share_file

LISTED = ("id", "title", "emulates", "size", "created")


def owned(user: User) -> QuerySet[Share]:
    """The stored moments that a user may list and delete."""
    return Share.objects.filter(owner_id=user.pk) if user.is_authenticated else Share.objects.none()


def listed(user: User) -> list[dict[str, Any]]:
    """The answer of `shares/`."""
    rows = owned(user).values_list("token", "title", "emulates", "size", "created")
    return [dict(zip(LISTED, row, strict=True)) for row in rows]


def find(name: str) -> share_file.Share | None:
    """The moment of this id, or of this name in the gallery; None when there is none."""
    shown = gallery.find(name)
    if shown is not None:
        return shown.share
    text = Share.objects.filter(token=name).values_list("document", flat=True).first()
    return None if text is None else share_file.of(json.loads(text))
