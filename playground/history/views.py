"""API views of a cluster's history: records, timeline, cycles, matrices and charts."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, raw_json, validate_data
from playground.api.schema import ANYTHING, EXPLAINED, answers
from playground.api.settled_answers import answer_from_cache
from playground.engine import history_reads
from playground.history import chart_columns
from playground.history.forms import CyclesQuery, MatrixQuery, RecordsQuery
from playground.limits import CYCLES_PER_PAGE
from playground.news.frames import brief
from playground.questions.ask_worker import ask_question
from playground.store import timing_sums
from simulator.simulation.matrix import MatrixJSON


class RecordList(SharedView):
    """The trace."""

    @answers(history_reads.Records, parameters=[RecordsQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the records after a number, in order, without gaps; `last` is the cluster's last record."""
        query = validate_data(RecordsQuery, request.query_params)
        bodies = history_reads.read_record_bodies(self.cluster.pk, query["after"], query["limit"], self.upto)
        if query["brief"]:
            bodies = [brief(body) for body in bodies]
        return raw_json(f'{{"records":[{",".join(bodies)}],"last":{self.cluster.revision}}}')


class CycleList(SharedView):
    """The timeline."""

    @answers(history_reads.Timeline, parameters=[CyclesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the cycles from `from` to `to` as columns, up to the limit of an answer."""
        query = validate_data(CyclesQuery, request.query_params)
        to = query["to"] if self.withheld is None else min(query["to"], self.withheld.cycle - 1)
        return Response(history_reads.read_timeline(self.cluster.pk, query["from"], to, CYCLES_PER_PAGE))


class ClusterTimings(ClusterView):
    """The total duration of steps."""

    @answers(timing_sums.read_timings)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return seconds per extension point and plugin, summed over all attempts of workers for this cluster."""
        return Response(timing_sums.read_timings(self.cluster.pk))


class CycleDetail(ClusterView):
    """One cycle."""

    open_to_guests = True

    @answers(ANYTHING)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return the cycle's record, including what followed a wait at Permit."""
        last = history_reads.last_seq_of_cycle(self.cluster.pk, number)
        return answer_from_cache(
            request, self.cluster, ("cycle", number, last), lambda: history_reads.read_cycle(self.cluster.pk, number)
        )


class CycleMatrixDetail(ClusterView):
    """The results of every plugin on every Node."""

    open_to_guests = True

    @answers(MatrixJSON, errors=EXPLAINED, parameters=[MatrixQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return the matrix of the cycle as it ran; with `complete`, every plugin's result on every Node."""
        if validate_data(MatrixQuery, request.query_params)["complete"]:
            return raw_json(ask_question(self.cluster.owner_id, "complete", self.cluster.pk, number))
        return answer_from_cache(
            request, self.cluster, ("matrix", number), lambda: history_reads.read_matrix(self.cluster.pk, number)
        )


class ChartColumns(ClusterView):
    """The cluster's charts."""

    @answers(chart_columns.Charts)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return use, Pods by phase, pending Pods by reason, Nodes and price over virtual time since the last reset."""
        return Response(chart_columns.read_columns(self.cluster))


class ChartFile(ClusterView):
    """The charts as a file."""

    @answers({"text/csv": OpenApiTypes.STR})
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the charts as `run --charts` writes them, at most 20,000 rows."""
        response = HttpResponse(chart_columns.as_csv(self.cluster), content_type="text/csv; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="charts-{self.cluster.pk}.csv"'
        return response
