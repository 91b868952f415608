"""HTTP in and out: the workloads of a cluster."""

from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, valid
from playground.api.schema import answers
from playground.workloads import owners, rollouts, selectors, steps
from playground.workloads.forms import ReconcilesQuery, RolloutQuery
from playground.workloads.shapes import Ownerless, Reconciles, RolloutColumns, Workloads


class WorkloadList(ClusterView):
    """What makes pods."""

    @answers(Workloads)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Owner, revisions, pods; how far each is and why it stands still; what controllers did last."""
        return Response(selectors.workloads(self.cluster))


class RolloutOverTime(ClusterView):
    """A workload's pods over virtual time."""

    @answers(RolloutColumns, parameters=[RolloutQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """By revision: how many were ready, started, found no node, had ended; since the last reset."""
        query = valid(RolloutQuery, request.query_params)
        return Response(rollouts.columns(self.cluster, query["kind"], query["key"]))


class ReconcileList(ClusterView):
    """What controllers did."""

    @answers(Reconciles, parameters=[ReconcilesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Each step of a controller that has something to say, in order; the newest 2,000 where there are more."""
        return Response(steps.since(self.cluster, valid(ReconcilesQuery, request.query_params)["after"]))


class OwnerlessCounts(ClusterView):
    """What the garbage collector takes once controllers are at work."""

    @answers(Ownerless)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Objects whose owners are not in the cluster, by kind; the command `orphan` lets them go."""
        return Response({"counts": owners.counts(self.cluster.pk)})
