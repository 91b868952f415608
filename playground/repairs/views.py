"""API views of repairs."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, raw_json, validate_data
from playground.api.schema import EXPLAINED, answers
from playground.questions.ask_worker import ask_question
from playground.repairs import repair_questions, services
from playground.repairs import selectors as repairs
from playground.repairs.forms import Costs, ManyQuery, RepairsQuery


class Repairs(ClusterView):
    """The smallest changes that let a Pod be scheduled, each verified by running the scheduler again."""

    @answers(repair_questions.answer_repairs, errors=EXPLAINED, parameters=[RepairsQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the repairs so far; ask again until `finished`. Stop asking to cancel. The cluster stays unchanged."""
        wanted = validate_data(RepairsQuery, request.query_params)
        prices = repairs.read_prices(self.cluster).as_dict()
        cycle = wanted.get("cycle")
        return raw_json(
            ask_question(self.cluster.owner_id, "repairs", self.cluster.pk, cycle, pod=wanted["pod"], **prices)
        )


class ManyRepairs(ClusterView):
    """One change that lets many Pods be scheduled: to their template or to the Nodes. Verified by running them."""

    @answers(repair_questions.answer_many_repairs, errors=EXPLAINED, parameters=[ManyQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the repairs so far; ask again until `finished`. Stop asking to cancel. The cluster stays unchanged."""
        wanted = dict(validate_data(ManyQuery, request.query_params))
        prices, cycle = repairs.read_prices(self.cluster).as_dict(), wanted.pop("cycle", None)
        return raw_json(ask_question(self.cluster.owner_id, "repairs_many", self.cluster.pk, cycle, **wanted, **prices))


class RepairCosts(ClusterView):
    """The cost of each kind of edit in this cluster, and the locks."""

    @answers(repairs.cost_table)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the table with default and chosen costs."""
        return Response(repairs.cost_table(self.cluster))

    @answers(repairs.cost_table, write=True, request=Costs)
    def put(self, request: Request, cluster_id: int) -> Response:
        """Replace the chosen costs (null: never) and the locks."""
        prices = validate_data(Costs, request.data)
        services.set_prices(self.cluster.pk, prices["costs"], prices["locks"])
        self.cluster.refresh_from_db(fields=["repair_prices"])
        return Response(repairs.cost_table(self.cluster))
