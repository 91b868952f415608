"""API views of branches."""

from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from playground.access import readers
from playground.api.base import ClusterView, validate_data
from playground.api.schema import answers
from playground.branches import selectors as branches
from playground.branches import services
from playground.branches.forms import BranchesQuery, NewBranch
from playground.engine import cluster_states


class BranchList(ClusterView):
    """The tree of branches that the cluster belongs to."""

    @answers(list[branches.Branch])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the whole tree, the original first."""
        return Response(branches.list_branches(self.cluster))

    @answers(cluster_states.ClusterAnswer, write=True, status=201, request=NewBranch)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Fork a new branch at a point of the history; the original stays as it is."""
        wanted = validate_data(NewBranch, request.data)
        made = services.fork_cluster(self.cluster, wanted["at"], wanted.get("name", ""), wanted.get("key"))
        return Response(cluster_states.read_state(made.pk), status=201)


class BranchCompare(ClusterView):
    """The differences of two branches."""

    @answers(branches.BranchComparison, parameters=[BranchesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return what two branches have in common, the first cycle that differs, and the Pods on different Nodes."""
        other = (
            readers.select_owned(request.user)
            .filter(pk=validate_data(BranchesQuery, request.query_params)["with"])
            .first()
        )
        if other is None:
            raise Http404
        return Response(branches.compare_branches(self.cluster, other))
