"""HTTP in and out: the workloads of a cluster."""

from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView
from playground.api.schema import answers
from playground.workloads import selectors
from playground.workloads.shapes import Workloads


class WorkloadList(ClusterView):
    """What makes pods."""

    @answers(Workloads)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Owner, revisions, pods; how far each is and why it stands still; what controllers did last."""
        return Response(selectors.workloads(self.cluster))
