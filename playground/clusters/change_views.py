"""Views of changes: their effects, the list of recent ones, undo, redo and reset."""

from typing import Literal

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, raw_json, respond, validate_data
from playground.api.forms import Keyed
from playground.api.schema import EXPLAINED, answers
from playground.clusters import command_effects, recent_changes, undo
from playground.questions.ask_worker import ask_question
from playground.store import undo_stacks


class CommandEffect(ClusterView):
    """The effect of a change on pending Pods."""

    @answers(command_effects.describe_effect)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Return the Pods that moved, with event and queueing hint, and those that stayed, with reason and remedy."""
        return respond(command_effects.describe_effect(self.cluster.pk, number))


class ChangeList(SharedView):
    """The recent changes of a cluster."""

    @answers(recent_changes.RecentChanges)
    def get(self, request: Request, cluster_id: int) -> Response:
        """List the last changes by users, newest first, with the objects that they concern."""
        return Response(recent_changes.list_recent_changes(self.cluster.pk, self.upto))


class Undo(ClusterView):
    """Undo of the last change to objects or configuration."""

    @answers(undo.UndoAccepted, write=True, status=202, request=Keyed)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Queue commands that undo the last change and its change set. A second request undoes the change before it."""
        return _queue_undo("undo", self.cluster.pk, request)


class Redo(ClusterView):
    """Redo of the last undo."""

    @answers(undo.UndoAccepted, write=True, status=202, request=Keyed)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Queue commands that repeat the change that was undone last. After a new change there is nothing to redo."""
        return _queue_undo("redo", self.cluster.pk, request)


class ResetPreview(ClusterView):
    """The plan of a reset."""

    @answers(undo_stacks.ResetPlan, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the objects and changes that a reset would keep or undo, by name.

        Nothing changes.
        """
        return raw_json(ask_question(self.cluster.owner_id, "reset", self.cluster.pk, None))


def _queue_undo(way: Literal["undo", "redo"], cluster_id: int, request: Request) -> Response:
    key = validate_data(Keyed, request.data).get("key")
    return Response(undo.queue_undo(cluster_id, way, key, request.user.get_username()), status=202)
