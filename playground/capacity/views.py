"""How much fits at all. Each answer is what is known so far: ask again until it is `finished`. Nothing changes."""

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from playground.api.base import ClusterView, raw_json, valid
from playground.api.schema import EXPLAINED, answers
from playground.capacity import failing, forms, questions
from playground.questions.asking import ask


class _CapacityView(ClusterView):
    def answer(self, name: str, query: type[Serializer[Any]], request: Request) -> HttpResponse:
        wanted = dict(valid(query, request.query_params))
        cycle = wanted.pop("cycle", None)
        return raw_json(ask(self.cluster.owner_id, f"capacity_{name}", self.cluster.pk, cycle, **wanted))


class Copies(_CapacityView):
    """How many copies of a pod fit, on which nodes, and what stops the next one."""

    @answers(questions.ExplainedCopies, errors=EXPLAINED, parameters=[forms.CopiesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As far as it is known; who asks no more has cancelled."""
        return self.answer("copies", forms.CopiesQuery, request)


class Nodes(_CapacityView):
    """Which nodes must be added so that all that waits is placed, at the least price."""

    @answers(questions.ExplainedNodesToAdd, errors=EXPLAINED, parameters=[forms.NodesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As far as it is known; who asks no more has cancelled."""
        return self.answer("nodes", forms.NodesQuery, request)


class Drain(_CapacityView):
    """Which nodes can go, one after the other."""

    @answers(questions.ExplainedDrainOrder, errors=EXPLAINED, parameters=[forms.Moment])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As far as it is known; who asks no more has cancelled."""
        return self.answer("drain", forms.Moment, request)


class Failures(_CapacityView):
    """Who finds no node when each node, or each value of a topology key, fails."""

    @answers(failing.ExplainedFailures, errors=EXPLAINED, parameters=[forms.FailuresQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As far as it is known; who asks no more has cancelled."""
        return self.answer("failures", forms.FailuresQuery, request)
