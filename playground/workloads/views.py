"""HTTP in and out: the workloads of a cluster."""

from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, valid
from playground.api.schema import answers
from playground.workloads import selectors, steps
from playground.workloads.forms import ReconcilesQuery
from playground.workloads.shapes import Reconciles, Workloads


class WorkloadList(ClusterView):
    """What makes pods."""

    @answers(Workloads)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Owner, revisions, pods; how far each is and why it stands still; what controllers did last."""
        return Response(selectors.workloads(self.cluster))


class ReconcileList(ClusterView):
    """What controllers did."""

    @answers(Reconciles, parameters=[ReconcilesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Each step of a controller that has something to say, in order; the newest 2,000 where there are more."""
        return Response(steps.since(self.cluster, valid(ReconcilesQuery, request.query_params)["after"]))
