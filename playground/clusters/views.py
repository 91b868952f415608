"""Views of clusters: list, create, read, rename, delete and restore."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube_objects.sentences import say
from playground import plugins
from playground.access import readers, withheld_records
from playground.api.base import SharedView, respond, validate_data
from playground.api.schema import answers
from playground.api.strict_fields import PLAIN_PATTERN
from playground.clusters import deletion, examples, lifecycle
from playground.clusters.forms import NewCluster, Renamed
from playground.engine import cluster_states
from playground.problems import Refused, problem

# The schema generator doesn't mark fields of a PATCH as required.
RENAMED = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": PLAIN_PATTERN}},
    "required": ["name"],
    "additionalProperties": False,
}


class ClusterList(APIView):
    """The clusters of the user."""

    @answers(list[cluster_states.ClusterAnswer])
    def get(self, request: Request) -> Response:
        """List the state of each cluster."""
        return Response(cluster_states.read_states(readers.select_owned(request.user)))

    @answers(cluster_states.ClusterAnswer, write=True, status=201, request=NewCluster)
    def post(self, request: Request) -> Response:
        """Create a cluster: empty, or from a built-in example."""
        assert request.user.is_authenticated  # permissions require a login
        wanted = validate_data(NewCluster, request.data)
        example = examples.find_example(wanted["example"]) if "example" in wanted else None
        if "example" in wanted and example is None:
            raise Refused([problem("example", say("no such example"), wanted["example"])], 404)
        made = lifecycle.create_cluster(
            request.user,
            wanted["name"],
            seed=wanted.get("seed", 0),
            config=wanted.get("config", ""),
            objects=example.objects if example else None,
            example=example.slug if example else "",
            emulates=wanted.get("emulates", example.emulates if example else plugins.TODAY),
            gates=wanted.get("featureGates", ""),
        )
        return Response(cluster_states.read_state(made.pk), status=201)


class ClusterDetail(SharedView):
    """One cluster."""

    @answers(cluster_states.ClusterAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return its state."""
        return respond(
            cluster_states.read_state(self.cluster.pk)
            if self.withheld is None
            else withheld_records.read_state_before(self.cluster.pk, self.withheld)
        )

    @answers(cluster_states.ClusterAnswer, write=True, request={"application/json": RENAMED})
    def patch(self, request: Request, cluster_id: int) -> Response:
        """Rename it."""
        lifecycle.rename_cluster(self.cluster.pk, validate_data(Renamed, request.data)["name"])
        return respond(cluster_states.read_state(self.cluster.pk))

    @answers(None, write=True, status=204)
    def delete(self, request: Request, cluster_id: int) -> Response:
        """Delete it with all its history, unless branches were forked from it. The owner can restore it for a while."""
        deletion.hide_cluster(self.cluster)
        return Response(status=204)


class ClusterRestore(APIView):
    """A cluster that was deleted recently."""

    @answers(cluster_states.ClusterAnswer, write=True, request=None)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Restore it. The answer is 404 after it was purged."""
        assert request.user.pk is not None  # permissions require a login
        cluster = deletion.restore_cluster(request.user.pk, cluster_id)
        return respond(None if cluster is None else cluster_states.read_state(cluster.pk))
