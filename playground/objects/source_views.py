"""A cluster's manifests by page, and a past cycle run again with other manifests."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, raw_json, validate_data
from playground.api.schema import WRITE, answers
from playground.explanations import drafts
from playground.objects import selectors as objects
from playground.objects.source_forms import SourceQuery, TrialObjects
from playground.questions.ask_worker import ask_question


class SourceView(ClusterView):
    """Objects with their manifests."""

    open_to_guests = True

    @answers(objects.Source, parameters=[SourceQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return a page of objects in the order of kinds and keys; with `kind` and `key` those around this object."""
        query = validate_data(SourceQuery, request.query_params)
        page = objects.read_manifest_page(self.cluster.pk, **query, hidden=self.hidden_kinds)
        return Response({"revision": self.cluster.revision, **page})


class CycleAgain(ClusterView):
    """A past cycle, run again with other objects."""

    @answers(drafts.rerun_draft, errors=(*WRITE, 410, 503), request=TrialObjects)
    def post(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return winner, scores and feasible Nodes of the cycle with other objects. The cluster stays unchanged."""
        form = validate_data(TrialObjects, request.data)
        assert request.user.pk is not None  # the view requires a login
        return raw_json(ask_question(request.user.pk, "again", self.cluster.pk, number, **form))
