"""Shared moments by ID or owner, and the answers about a moment that is shared, opened or tried."""

import json
from datetime import datetime
from typing import Annotated, Any, TypedDict

from django.db.models import QuerySet

from playground import limits
from playground.access.readers import User
from playground.engine import cluster_states
from playground.engine.cluster_states import ClusterAnswer
from playground.models import Share, ShareView
from playground.response_types import About
from playground.shares import gallery
from playground.shares.forms import ShareCursor
from simulator.exchange import share_file

EMBED = "?embed=1"
# The same fields as in requests.
Cursor = Annotated[dict[str, Any], ShareCursor]


class ShareAnswer(TypedDict):
    """A shared moment. `path` and `embed` are paths on this server."""

    id: Annotated[str | None, About(longest=limits.SHARE_TOKEN)]
    title: str
    emulates: str
    cursor: Cursor
    size: int
    path: str
    embed: str


class StoredShareAnswer(TypedDict):
    id: str
    title: str
    emulates: str
    size: int
    created: datetime


class OpenShareAnswer(TypedDict):
    """An opened moment: with `key` in the header X-Share-Key, anybody can read the `cluster`."""

    title: str
    emulates: str
    cursor: Cursor
    cluster: int
    key: str


class TriedShareAnswer(TypedDict):
    cluster: ClusterAnswer
    cursor: Cursor


def select_owned(user: User) -> QuerySet[Share]:
    """Return the stored moments that a user may list and delete."""
    return Share.objects.filter(owner_id=user.pk) if user.is_authenticated else Share.objects.none()


def list_shares(user: User) -> list[StoredShareAnswer]:
    """Return the user's stored moments, newest first."""
    return [
        {"id": one.token, "title": one.title, "emulates": one.emulates, "size": one.size, "created": one.created}
        for one in select_owned(user).only("token", "title", "emulates", "size", "created")
    ]


def describe_shared(share: share_file.Share, size: int, token: str | None, link: str | None) -> ShareAnswer:
    """Return the answer about a moment that is stored under its token, or contained in a link."""
    place, behind = (f"/s/{token}/", "") if token else ("/s/", f"#{link}")
    return {
        "id": token,
        "title": share.title,
        "emulates": share.scenario.emulations[-1],
        "cursor": share.cursor.as_dict(),
        "size": size,
        "path": place + behind,
        "embed": place + EMBED + behind,
    }


def describe_opened(share: share_file.Share, view: ShareView) -> OpenShareAnswer:
    return {
        "title": share.title,
        "emulates": share.scenario.emulations[-1],
        "cursor": share.cursor.as_dict(),
        "cluster": view.cluster_id,
        "key": view.key,
    }


def describe_tried(share: share_file.Share, cluster_id: int) -> TriedShareAnswer:
    state = cluster_states.read_state(cluster_id)
    assert state is not None  # the caller has just created it
    return {"cluster": state, "cursor": share.cursor.as_dict()}


def find(name: str) -> share_file.Share | None:
    """Return the moment with this ID or gallery name; None if there is none."""
    shown = gallery.find(name)
    if shown is not None:
        return shown.share
    text = Share.objects.filter(token=name).values_list("document", flat=True).first()
    return None if text is None else share_file.parse_share(json.loads(text))
