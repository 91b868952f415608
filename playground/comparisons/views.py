"""API views of comparisons: several profiles on the same pending Pods."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from kube_objects.sentences import say
from playground import user_files
from playground.access import readers
from playground.api.base import ClusterView, validate_data
from playground.api.schema import answers
from playground.comparisons import selectors as comparisons
from playground.comparisons import services
from playground.comparisons.forms import ComparisonExportQuery, DifferenceQuery, NewComparison, OpenRun
from playground.engine import cluster_states
from playground.models.comparisons import Comparison
from playground.problems import Refused, problem


class ComparisonList(ClusterView):
    """The comparisons that start in this cluster."""

    @answers(list[comparisons.ComparisonAnswer])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the comparisons without their runs, newest first."""
        return Response(comparisons.list_comparisons(self.cluster))

    @answers(comparisons.ComparisonAnswer, write=True, status=201, request=NewComparison)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Run every side with every seed from the same record, each as its own job."""
        wanted = validate_data(NewComparison, request.data)
        sides = [dict(side) for side in wanted["sides"]]
        self._find_clusters(request, sides)
        seeds = wanted.get("seeds") or [self.cluster.seed]
        made = services.create_comparison(self.cluster, sides, seeds, wanted["at"])
        return Response(comparisons.describe_comparison(made), status=201)

    def _find_clusters(self, request: Request, sides: list[dict[str, Any]]) -> None:
        """Replace cluster IDs with clusters. Raises Refused for those of other users."""
        owned = readers.select_owned(request.user).in_bulk([side["cluster"] for side in sides if "cluster" in side])
        missing = [
            problem(f"sides[{i}].cluster", say("no such cluster"), side["cluster"])
            for i, side in enumerate(sides)
            if "cluster" in side and side["cluster"] not in owned
        ]
        if missing:
            raise Refused(missing)
        for side in sides:
            if "cluster" in side:
                side["cluster"] = owned[side["cluster"]]


class ComparisonView(ClusterView):
    """A view of one comparison."""

    comparison: Comparison

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        comparison = comparisons.comparisons_of(self.cluster).filter(pk=kwargs["number"]).first()
        if comparison is None:
            raise Http404
        self.comparison = comparison

    def seed(self, query: dict[str, Any]) -> int:
        """Return the requested seed, or the first one."""
        return int(query.get("seed", self.comparison.seeds[0]))


class ComparisonDetail(ComparisonView):
    """One comparison."""

    @answers(comparisons.ComparisonAnswer)
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Return every run's progress and worker, and the metrics of finished runs."""
        return Response(comparisons.describe_comparison(self.comparison))

    @answers(None, write=True, status=204)
    def delete(self, request: Request, cluster_id: int, number: int) -> Response:
        """Delete the comparison with its results, and stop its runs."""
        services.delete_comparison(self.comparison)
        return Response(status=204)


class Cancel(ComparisonView):
    """The end of a comparison before its runs are finished."""

    @answers(comparisons.ComparisonAnswer, write=True, status=202, request=None)
    def post(self, request: Request, cluster_id: int, number: int) -> Response:
        """Cancel the remaining runs. Finished runs stay."""
        services.cancel_comparison(self.comparison)
        return Response(comparisons.describe_comparison(self.comparison), status=202)


class Open(ComparisonView):
    """A run at one of its attempts."""

    @answers(cluster_states.ClusterAnswer, write=True, status=201, request=OpenRun)
    def post(self, request: Request, cluster_id: int, number: int) -> Response:
        """Create a cluster with the history that led there, to inspect step by step."""
        assert request.user.is_authenticated  # the view requires a login
        wanted = validate_data(OpenRun, request.data)
        if wanted["side"] >= len(self.comparison.sides):
            raise Refused([problem("side", say("no such side"), wanted["side"])])
        made = services.open_run(self.comparison, wanted["side"], wanted["seed"], wanted["attempts"], request.user)
        return Response(cluster_states.read_state(made.pk), status=201)


class DifferenceDetail(ComparisonView):
    """The differences of two sides."""

    @answers(comparisons.Difference, parameters=[DifferenceQuery])
    def get(self, request: Request, cluster_id: int, number: int) -> Response:
        """Return the first decision that differs, and the Pods that ended on different Nodes."""
        query = validate_data(DifferenceQuery, request.query_params)
        return Response(comparisons.compare_sides(self.comparison, query["a"], query["b"], self.seed(query)))


class Export(ComparisonView):
    """Results as a file."""

    @answers(
        {"text/csv": OpenApiTypes.STR, "application/json": OpenApiTypes.OBJECT}, parameters=[ComparisonExportQuery]
    )
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return the metrics of every run, or all Pods that moved between two sides, as CSV or JSON."""
        query = validate_data(ComparisonExportQuery, request.query_params)
        form = query["format"]
        response = HttpResponse(self._text(query), content_type=f"{TYPES[form]}; charset=utf-8")
        name = f"comparison-{self.comparison.pk}-{query['what']}.{form}"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    def _text(self, query: dict[str, Any]) -> str:
        if query["what"] == "metrics":
            if query["format"] == "csv":
                return comparisons.metrics_as_csv(self.comparison)
            return user_files.write(comparisons.describe_comparison(self.comparison), "json")
        sides = (query["a"], query["b"], self.seed(query))
        if query["format"] == "csv":
            return comparisons.moved_as_csv(self.comparison, *sides)
        return user_files.write(comparisons.compare_sides(self.comparison, *sides, most=None), "json")


TYPES = {"csv": "text/csv", "json": "application/json"}
