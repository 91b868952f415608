"""API views of a cluster's workloads."""

from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, validate_data
from playground.api.schema import answers
from playground.workloads import controller_steps, missing_owners, rollout_columns, selectors
from playground.workloads.forms import ReconcilesQuery, RolloutQuery
from playground.workloads.workload_answers import Ownerless, Reconciles, RolloutColumns, Workloads


class WorkloadList(ClusterView):
    """The workloads."""

    @answers(Workloads)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return owners, revisions and Pods, the workloads' progress or problems, and the last steps of controllers."""
        return Response(selectors.workloads(self.cluster))


class RolloutOverTime(ClusterView):
    """A workload's pods over virtual time."""

    @answers(RolloutColumns, parameters=[RolloutQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return by revision how many Pods were ready, starting, unscheduled or finished since the last reset."""
        query = validate_data(RolloutQuery, request.query_params)
        return Response(rollout_columns.read_rollout(self.cluster, query["kind"], query["key"]))


class ReconcileList(ClusterView):
    """The steps of controllers."""

    @answers(Reconciles, parameters=[ReconcilesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the steps of controllers in order, without mere status updates; at most the newest 2,000."""
        return Response(
            controller_steps.steps_since(self.cluster, validate_data(ReconcilesQuery, request.query_params)["after"])
        )


class OwnerlessCounts(ClusterView):
    """The objects that the garbage collector deletes once controllers run."""

    @answers(Ownerless)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the number of objects by kind whose owners are missing. The command `orphan` removes references."""
        return Response({"counts": missing_owners.count_ownerless(self.cluster.pk)})
