"""API views of a cluster's Nodes, queue, Pods and objects, now or as a past cycle saw them."""

import json
from typing import Any

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, respond, validate_data
from playground.api.forms import CycleQuery, NodeNamesQuery
from playground.api.schema import ANYTHING, answers
from playground.api.settled_answers import answer_from_cache
from playground.engine import history_reads
from playground.objects import node_changes, node_reads, pod_reads, pod_update_check, queue_reads
from playground.objects import selectors as objects
from playground.objects.forms import ChangesQuery, ObjectsQuery, QueueQuery, UpdateText
from playground.questions.ask_worker import ask_question


class NodeList(SharedView):
    """Nodes as columns."""

    @answers(node_reads.Nodes, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the Nodes as they are, or as `cycle` found them before it assumed its Pod."""
        query = validate_data(CycleQuery, request.query_params)

        def make_answer() -> dict[str, Any]:
            point = _find_point(self, query, before=1)
            return point.fields | node_reads.read_nodes(self.cluster.pk, point.seq)

        return (
            answer_from_cache(request, self.cluster, ("nodes", query["cycle"]), make_answer)
            if "cycle" in query
            else Response(make_answer())
        )


class NodeChangeList(SharedView):
    """Nodes that changed between two points in time."""

    @answers(node_changes.NodeChanges, parameters=[ChangesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the Nodes whose Pods differ from those after the record `since`, now or when `cycle` began."""
        query = validate_data(ChangesQuery, request.query_params)
        # An open class question hides later records, so its followers must not see their changes.
        since = query["since"] if self.upto is None else min(query["since"], self.upto)

        def make_answer() -> dict[str, Any]:
            point = _find_point(self, query, before=1)
            return point.fields | node_changes.read_node_changes(self.cluster.pk, since, point.seq)

        # The changes since a future record are not final, so the answer must not be cached.
        if "cycle" not in query or since > self.cluster.revision:
            return Response(make_answer())
        return answer_from_cache(request, self.cluster, ("changes", since, query["cycle"]), make_answer)


class NodeDetail(SharedView):
    """One node."""

    @answers(node_reads.NodeAnswer)
    def get(self, request: Request, cluster_id: int, name: str) -> Response:
        """Return the Node's manifest and the Pods on it."""
        return respond(node_reads.read_node(self.cluster.pk, name, self.upto))


class QueueDetail(SharedView):
    """The scheduling queue."""

    @answers(queue_reads.Queue, parameters=[QueueQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the first `limit` Pods of every queue, or of one `lane` from `offset` on, now or after `cycle`.

        With `within`, the Pod of the cycle is in flight, and the others are where the cycle found them. `group` selects
        the Pods of one Pod group.
        """
        query = validate_data(QueueQuery, request.query_params)
        limit, within, group = query["limit"], query["within"], query["group"]
        if "cycle" in query:
            self.refuse_withheld(query["cycle"])
        in_flight_pod = history_reads.pod_of_cycle(self.cluster.pk, query["cycle"]) if within else None
        # The answer has each Pod's last move only until the move's record is deleted, so it can't be cached.
        if lane := query.get("lane"):
            point = _find_point(self, query, before=int(within))
            page = queue_reads.read_lane_page(
                self.cluster, lane, query["offset"], limit, point.seq, in_flight_pod, group
            )
            return Response(point.fields | page)

        def make_answer() -> dict[str, Any]:
            point = _find_point(self, query, before=int(within))
            return point.fields | queue_reads.read_lanes(self.cluster, limit, point.seq, in_flight_pod, group)

        if "cycle" not in query:
            return Response(make_answer())
        return answer_from_cache(request, self.cluster, ("queue", query["cycle"], limit, within, group), make_answer)


class PlacedPods(SharedView):
    """The Pods on each Node."""

    @answers(pod_reads.Placed, parameters=[NodeNamesQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the Pods on each of `nodes` (separated by commas), now or as `cycle` found them."""
        query = validate_data(NodeNamesQuery, request.query_params)
        point = _find_point(self, query, before=1)
        on_nodes, owners = pod_reads.read_placed_pods(self.cluster.pk, query["nodes"], point.seq)
        return Response(point.fields | {"pods": on_nodes, "owners": owners})


class OwnerList(SharedView):
    """The owners of the Pods on each Node."""

    @answers(pod_reads.Owners, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return how many Pods of each owner are on each Node, now or as `cycle` found them."""
        point = _find_point(self, validate_data(CycleQuery, request.query_params), before=1)
        return Response(point.fields | pod_reads.read_owned_pods(self.cluster.pk, point.seq))


class PodDetail(SharedView):
    """One pod."""

    @answers(pod_reads.PodAnswer)
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> Response:
        """Return the Pod's manifest, Node, cycles and Events."""
        key = f"{namespace}/{name}"
        if self.withheld is None:
            return respond(pod_reads.read_pod(self.cluster.pk, key))
        past_pod = json.loads(ask_question(self.cluster.owner_id, "pod", self.cluster.pk, self.withheld.cycle, pod=key))
        return respond(pod_reads.read_past_pod(self.cluster.pk, key, past_pod["manifest"], self.cluster.revision))


class PodMoveList(SharedView):
    """One Pod's moves through the scheduling queue."""

    @answers(pod_reads.PodMoves)
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> Response:
        """Return each move to another queue with its event and queueing hint, and the hints that skipped the Pod."""
        return respond(pod_reads.read_pod_moves(self.cluster.pk, f"{namespace}/{name}", self.upto))


class ObjectList(ClusterView):
    """Objects of every kind."""

    open_to_guests = True

    @answers(objects.Objects, parameters=[ObjectsQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return a page of objects; `search` is a part of the key."""
        query = validate_data(ObjectsQuery, request.query_params)
        return Response(objects.list_objects(self.cluster.pk, **query, hidden=self.hidden_kinds))


class UpdateCheckView(ClusterView):
    """A Pod update, checked before it is made."""

    @answers(pod_update_check.UpdateCheck, write=True, request=UpdateText)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Return what an API server would reject of the update. Most fields of a Pod's spec are immutable."""
        sent = validate_data(UpdateText, request.data)
        return Response(pod_update_check.check_update(self.cluster.pk, sent["text"], sent.get("read")))


class ObjectDetail(ClusterView):
    """One object."""

    open_to_guests = True

    @answers(ANYTHING)
    def get(self, request: Request, cluster_id: int, kind: str, key: str) -> Response:
        """Return the object's manifest."""
        return respond(None if kind in self.hidden_kinds else objects.read_manifest(self.cluster.pk, kind, key))


class _PointInTime:
    """The sequence number of the last record that an answer may use (None: all), and the answer's fields about it."""

    def __init__(self, seq: int | None, fields: dict[str, Any]) -> None:
        self.seq = seq
        self.fields = fields


def _find_point(view: ClusterView, query: dict[str, Any], before: int = 0) -> _PointInTime:
    if "cycle" not in query:
        return _PointInTime(view.upto, {"revision": view.cluster.revision})
    view.refuse_withheld(query["cycle"])
    seq = history_reads.seq_of_cycle(view.cluster.pk, query["cycle"])
    if seq is None:
        raise Http404
    return _PointInTime(seq - before, {"revision": seq, "cycle": query["cycle"]})
