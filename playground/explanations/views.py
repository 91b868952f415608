"""Why: what the engine has to say about a cycle, and about words that one meets."""

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, SharedView, found, raw_json, valid
from playground.api.forms import CycleQuery
from playground.api.guests import UserOrGuest
from playground.api.schema import EXPLAINED, answers
from playground.explanations import questions
from playground.explanations import selectors as explanations
from playground.explanations.forms import CompareQuery, DomainQuery, PastedText
from playground.questions.asking import ask
from simulator.explain.decoder import decode
from simulator.explain.glossary import glossary
from simulator.explain.known import plain_words


class CycleView(ClusterView):
    """A view of one cycle, about which the worker is asked."""

    open_to_guests = True

    def ask(self, request: Request, question: str, number: int, **arguments: Any) -> HttpResponse:
        # Guests of shared moments wait in one line, their host's.
        return raw_json(ask(self.cluster.owner_id, question, self.cluster.pk, number, **arguments))


class MomentView(SharedView):
    """What the worker is asked about now, or about how a cycle found it."""

    def ask(self, question: str, cycle: int | None, **arguments: Any) -> HttpResponse:
        if cycle is not None:
            self.refuse_held_back(cycle)
        elif self.held is not None:
            cycle = self.held.cycle
        return raw_json(ask(self.cluster.owner_id, question, self.cluster.pk, cycle, **arguments))


class ReasonTree(ClusterView):
    """What became of all nodes."""

    open_to_guests = True

    @answers(explanations.reasons)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """The reason tree of a cycle, made from its record and its matrix."""
        return found(explanations.reasons(self.cluster.pk, number))


class WhyNode(CycleView):
    """Why, or why not, this node?"""

    @answers(questions.node, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """Every filter plugin's answer about a node, with the numbers that it looked at."""
        return self.ask(request, "node", number, node=name)


class Ledger(CycleView):
    """How is this node's total made?"""

    @answers(questions.ledger, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """The written arithmetic: every plugin's formula with its numbers, normalised, times its weight, summed."""
        return self.ask(request, "ledger", number, node=name)


class Compare(CycleView):
    """Why did A beat B?"""

    @answers(questions.compare, errors=EXPLAINED, parameters=[CompareQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Two nodes, plugin by plugin, the largest difference first."""
        return self.ask(request, "compare", number, **valid(CompareQuery, request.query_params))


class Spread(CycleView):
    """Which domains, how many pods in each, how far apart?"""

    @answers(questions.spread, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """The pod's topology spread constraints, as the cycle met them."""
        return self.ask(request, "spread", number)


class SpreadPods(CycleView):
    """Which pods count?"""

    @answers(questions.spread_pods, errors=EXPLAINED, parameters=[DomainQuery])
    def get(self, request: Request, cluster_id: int, number: int, index: int) -> HttpResponse:
        """The matching pods in a domain of the constraint number `index`, and why each counts or not."""
        return self.ask(request, "spread_pods", number, index=index, **valid(DomainQuery, request.query_params))


class Preemption(CycleView):
    """Who is evicted, who is spared, what decided?"""

    @answers(questions.preemption, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Every candidate; null where preemption did not run."""
        return self.ask(request, "preemption", number)


class Timings(CycleView):
    """What took how long?"""

    @answers(questions.timings, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Seconds per step, measured when the cycle is run again for this answer: records hold no durations."""
        return self.ask(request, "timings", number)


class WhyGroup(MomentView):
    """Why does a pod group wait?"""

    @answers(questions.group, errors=EXPLAINED, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> HttpResponse:
        """What is missing of a gang, and until when those at Permit wait; now, or as `cycle` found it."""
        query = valid(CycleQuery, request.query_params)
        return self.ask("group", query.get("cycle"), group=f"{namespace}/{name}")


class Decode(APIView):
    """What does this text mean?"""

    @answers(decode, write=True, request=PastedText)
    def post(self, request: Request) -> Response:
        """A FailedScheduling text, as pasted from kubectl or a log. Nothing is stored."""
        return Response(decode(valid(PastedText, request.data)["text"]))


class Glossary(APIView):
    """What is this?"""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(glossary)
    def get(self, request: Request) -> Response:
        """Points, steps, plugins, status codes, lanes, hints and events, each with a link into Kubernetes' docs."""
        return Response(glossary())


class Plain(APIView):
    """Few words where there is little room."""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(plain_words)
    def get(self, request: Request) -> Response:
        """What is said of a node for which reason of its rejection; the first pattern that matches all of it counts."""
        return Response(plain_words())
