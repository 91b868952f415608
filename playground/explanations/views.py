"""API views of explanations of cycles and terms."""

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, SharedView, raw_json, respond, validate_data
from playground.api.forms import CycleQuery
from playground.api.guest_access import UserOrGuest
from playground.api.schema import EXPLAINED, answers
from playground.explanations import explanation_questions
from playground.explanations import selectors as explanations
from playground.explanations.forms import CompareQuery, DomainQuery, PastedText
from playground.questions.ask_worker import ask_question
from simulator.explain.decoder import decode
from simulator.explain.glossary import glossary
from simulator.explain.known import plain_words


class CycleView(ClusterView):
    """A view that asks the worker about one cycle."""

    open_to_guests = True

    def ask(self, request: Request, question: str, number: int, **arguments: Any) -> HttpResponse:
        # Guests of shared moments share the queue of the cluster's owner.
        return raw_json(ask_question(self.cluster.owner_id, question, self.cluster.pk, number, **arguments))


class MomentView(SharedView):
    """A view that asks the worker about the current cluster, or about the cluster before a cycle."""

    def ask(self, question: str, cycle: int | None, **arguments: Any) -> HttpResponse:
        if cycle is not None:
            self.refuse_withheld(cycle)
        elif self.withheld is not None:
            cycle = self.withheld.cycle
        return raw_json(ask_question(self.cluster.owner_id, question, self.cluster.pk, cycle, **arguments))


class ReasonTree(ClusterView):
    """The results of all Nodes in a cycle."""

    open_to_guests = True

    @answers(explanations.reasons)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Return the reason tree of a cycle, from its record and matrix."""
        return respond(explanations.reasons(self.cluster.pk, number))


class WhyNode(CycleView):
    """The reasons for and against a Node."""

    @answers(explanation_questions.node, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """Return every Filter plugin's result on a Node with the values that it read."""
        return self.ask(request, "node", number, node=name)


class Ledger(CycleView):
    """The breakdown of a Node's total score."""

    @answers(explanation_questions.ledger, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """Return every plugin's formula with its numbers, the normalized and weighted scores, and their sum."""
        return self.ask(request, "ledger", number, node=name)


class Compare(CycleView):
    """The score differences of two Nodes."""

    @answers(explanation_questions.compare, errors=EXPLAINED, parameters=[CompareQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return two Nodes plugin by plugin, the largest difference first."""
        return self.ask(request, "compare", number, **validate_data(CompareQuery, request.query_params))


class Spread(CycleView):
    """The domains of the Pod's topology spread constraints."""

    @answers(explanation_questions.spread, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return the constraints as the cycle found them: domains, Pod counts and skew."""
        return self.ask(request, "spread", number)


class SpreadPods(CycleView):
    """The Pods that count in a domain."""

    @answers(explanation_questions.spread_pods, errors=EXPLAINED, parameters=[DomainQuery])
    def get(self, request: Request, cluster_id: int, number: int, index: int) -> HttpResponse:
        """Return the matching Pods in a domain of the constraint number `index`, and why each counts or not."""
        return self.ask(request, "spread_pods", number, index=index, **validate_data(DomainQuery, request.query_params))


class Preemption(CycleView):
    """The candidates and victims of preemption."""

    @answers(explanation_questions.preemption, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return every candidate, its victims and the deciding criterion; null if preemption did not run."""
        return self.ask(request, "preemption", number)


class Timings(CycleView):
    """The duration of each step."""

    @answers(explanation_questions.timings, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return seconds per step, measured by running the cycle again, because records hold no durations."""
        return self.ask(request, "timings", number)


class WhyGroup(MomentView):
    """The reasons why a Pod group waits."""

    @answers(explanation_questions.group, errors=EXPLAINED, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> HttpResponse:
        """Return what a gang lacks, and how long its Pods wait at Permit; now, or as `cycle` found it."""
        query = validate_data(CycleQuery, request.query_params)
        return self.ask("group", query.get("cycle"), group=f"{namespace}/{name}")


class Decode(APIView):
    """The meaning of a FailedScheduling message."""

    @answers(decode, write=True, request=PastedText)
    def post(self, request: Request) -> Response:
        """Explain a FailedScheduling message from kubectl or a log. Nothing is stored."""
        return Response(decode(validate_data(PastedText, request.data)["text"]))


class Glossary(APIView):
    """The terms of scheduling."""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(glossary)
    def get(self, request: Request) -> Response:
        """Return points, steps, plugins, status codes, queues, hints and events, with links to Kubernetes' docs."""
        return Response(glossary())


class Plain(APIView):
    """Short rejection reasons for small spaces."""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(plain_words)
    def get(self, request: Request) -> Response:
        """Return patterns of rejection reasons with their short forms; the first full match counts."""
        return Response(plain_words())
