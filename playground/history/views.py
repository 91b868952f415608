"""What happened: records, timeline, cycles, matrices."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, raw_json, valid
from playground.api.schema import ANYTHING, EXPLAINED, answers
from playground.api.settled import settled
from playground.engine import history
from playground.history import charts
from playground.history.forms import CyclesQuery, MatrixQuery, RecordsQuery
from playground.limits import CYCLES_PER_PAGE
from playground.news.frames import brief
from playground.questions.asking import ask
from playground.store import times
from simulator.simulation.matrix import MatrixJSON


class RecordList(SharedView):
    """The trace."""

    @answers(history.Records, parameters=[RecordsQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Records after a number, in order, without gaps; `last` is the last one there is."""
        query = valid(RecordsQuery, request.query_params)
        bodies = history.bodies(self.cluster.pk, query["after"], query["limit"], self.upto)
        if query["brief"]:
            bodies = [brief(body) for body in bodies]
        return raw_json(f'{{"records":[{",".join(bodies)}],"last":{self.cluster.revision}}}')


class CycleList(SharedView):
    """The timeline."""

    @answers(history.Timeline, parameters=[CyclesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Cycles as columns; `from` and `to` say which these are, as there may be more than one answer holds."""
        query = valid(CyclesQuery, request.query_params)
        to = query["to"] if self.held is None else min(query["to"], self.held.cycle - 1)
        return Response(history.timeline(self.cluster.pk, query["from"], to, CYCLES_PER_PAGE))


class ClusterTimings(ClusterView):
    """What took how long, in all?"""

    @answers(times.of_cluster)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Seconds per extension point and plugin, added up over all attempts that workers ran for this cluster."""
        return Response(times.of_cluster(self.cluster.pk))


class CycleDetail(ClusterView):
    """One cycle."""

    open_to_guests = True

    @answers(ANYTHING)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Its record; what came later, after a wait at Permit, is part of it."""
        last = history.last_of_cycle(self.cluster.pk, number)
        return settled(request, self.cluster, ("cycle", number, last), lambda: history.cycle(self.cluster.pk, number))


class CycleMatrix(ClusterView):
    """Node × plugin."""

    open_to_guests = True

    @answers(MatrixJSON, errors=EXPLAINED, parameters=[MatrixQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """As the cycle ran; with `complete` what every plugin says of every node, had nothing stopped it."""
        if valid(MatrixQuery, request.query_params)["complete"]:
            return raw_json(ask(self.cluster.owner_id, "complete", self.cluster.pk, number))
        return settled(request, self.cluster, ("matrix", number), lambda: history.matrix(self.cluster.pk, number))


class ChartColumns(ClusterView):
    """The cluster in numbers."""

    @answers(charts.Charts)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Use, pods by phase, what waits and why, nodes and price over virtual time since the last reset."""
        return Response(charts.columns(self.cluster))


class ChartFile(ClusterView):
    """The same as a file."""

    @answers({"text/csv": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As `run --charts` writes it, at most 20,000 rows."""
        response = HttpResponse(charts.as_csv(self.cluster), content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="charts-{self.cluster.pk}.csv"'
        return response
