"""Changes: what one did, what was changed, and taking it back."""

from typing import Literal

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, found, raw_json, valid
from playground.api.forms import Keyed
from playground.api.schema import EXPLAINED, answers
from playground.clusters import effects, recent, undo
from playground.questions.asking import ask
from playground.store import changes


class CommandEffect(ClusterView):
    """What a change did to the pods that wait."""

    @answers(effects.of)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Which moved, by which event and hint; which stay where they are, why, and what would help."""
        return found(effects.of(self.cluster.pk, number))


class ChangeList(SharedView):
    """What was changed, and when."""

    @answers(recent.RecentChanges)
    def get(self, request: Request, cluster_id: int) -> Response:
        """The last changes by users, the newest first, with whom they concern: verdicts of earlier cycles are older."""
        return Response(recent.changes(self.cluster.pk, self.upto))


class Undo(ClusterView):
    """The last change to objects or configuration."""

    @answers(undo.UndoAccepted, write=True, status=202, request=Keyed)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Take it back, and what was changed in one go with it, with new commands; twice takes back two."""
        return _taken_back("undo", self.cluster.pk, request)


class Redo(ClusterView):
    """The last undo."""

    @answers(undo.UndoAccepted, write=True, status=202, request=Keyed)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Make the change again that was taken back last; any new change ends this."""
        return _taken_back("redo", self.cluster.pk, request)


class ResetPlan(ClusterView):
    """Before going back to the start."""

    @answers(changes.ResetPlan, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """What a reset would keep and what it would undo now, by name. Nothing changes."""
        return raw_json(ask(self.cluster.owner_id, "reset", self.cluster.pk, None))


def _taken_back(way: Literal["undo", "redo"], cluster_id: int, request: Request) -> Response:
    key = valid(Keyed, request.data).get("key")
    return Response(undo.take_back(cluster_id, way, key, request.user.get_username()), status=202)
