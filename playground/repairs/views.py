"""What would make a pod fit."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, raw_json, valid
from playground.api.schema import EXPLAINED, answers
from playground.questions.asking import ask
from playground.repairs import questions, services
from playground.repairs import selectors as repairs
from playground.repairs.forms import Costs, ManyQuery, RepairsQuery


class Repairs(ClusterView):
    """The smallest changes that make a pod fit, each proven by running the scheduler again."""

    @answers(questions.repairs, errors=EXPLAINED, parameters=[RepairsQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """What is known so far; ask again until it is `finished`. Who asks no more has cancelled. Nothing changes."""
        wanted = valid(RepairsQuery, request.query_params)
        prices = repairs.prices(self.cluster).as_dict()
        cycle = wanted.get("cycle")
        return raw_json(ask(self.cluster.owner_id, "repairs", self.cluster.pk, cycle, pod=wanted["pod"], **prices))


class ManyRepairs(ClusterView):
    """One change that makes many pods fit: of their template, or the nodes to add. Proven by running all of them."""

    @answers(questions.many, errors=EXPLAINED, parameters=[ManyQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """What is known so far; ask again until it is `finished`. Who asks no more has cancelled. Nothing changes."""
        wanted = dict(valid(ManyQuery, request.query_params))
        prices, cycle = repairs.prices(self.cluster).as_dict(), wanted.pop("cycle", None)
        return raw_json(ask(self.cluster.owner_id, "repairs_many", self.cluster.pk, cycle, **wanted, **prices))


class RepairCosts(ClusterView):
    """What each kind of edit costs in this cluster, and what may not be touched."""

    @answers(repairs.table_of)
    def get(self, request: Request, cluster_id: int) -> Response:
        """The table, with what is usual beside what is set."""
        return Response(repairs.table_of(self.cluster))

    @answers(repairs.table_of, write=True, request=Costs)
    def put(self, request: Request, cluster_id: int) -> Response:
        """Other costs (null: never) and locks in place of those that were set."""
        given = valid(Costs, request.data)
        services.set_prices(self.cluster.pk, given["costs"], given["locks"])
        self.cluster.refresh_from_db(fields=["repair_prices"])
        return Response(repairs.table_of(self.cluster))
