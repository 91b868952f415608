"""API views of capacity questions. Each answer is intermediate until it is `finished`; the cluster stays unchanged."""

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from playground.api.base import ClusterView, raw_json, validate_data
from playground.api.schema import EXPLAINED, answers
from playground.capacity import capacity_questions, failure_search, forms
from playground.questions.ask_worker import ask_question


class _CapacityView(ClusterView):
    def answer(self, name: str, query: type[Serializer[Any]], request: Request) -> HttpResponse:
        wanted = dict(validate_data(query, request.query_params))
        cycle = wanted.pop("cycle", None)
        return raw_json(ask_question(self.cluster.owner_id, f"capacity_{name}", self.cluster.pk, cycle, **wanted))


class Copies(_CapacityView):
    """The number of copies of a Pod that fit, by Node, and what stops the next one."""

    @answers(capacity_questions.ExplainedCopies, errors=EXPLAINED, parameters=[forms.CopiesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the intermediate result. Stop asking to cancel."""
        return self.answer("copies", forms.CopiesQuery, request)


class NodesToAdd(_CapacityView):
    """The cheapest Nodes to add so that all pending Pods are scheduled."""

    @answers(capacity_questions.ExplainedNodesToAdd, errors=EXPLAINED, parameters=[forms.NodesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the intermediate result. Stop asking to cancel."""
        return self.answer("nodes", forms.NodesQuery, request)


class Drain(_CapacityView):
    """The Nodes that can be removed one after the other."""

    @answers(capacity_questions.ExplainedDrainOrder, errors=EXPLAINED, parameters=[forms.CapacityQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the intermediate result. Stop asking to cancel."""
        return self.answer("drain", forms.CapacityQuery, request)


class Failures(_CapacityView):
    """The Pods that find no Node when each Node, or each value of a topology key, fails."""

    @answers(failure_search.ExplainedFailures, errors=EXPLAINED, parameters=[forms.FailuresQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the intermediate result. Stop asking to cancel."""
        return self.answer("failures", forms.FailuresQuery, request)
