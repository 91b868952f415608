"""API views of a cluster's Nodes, queue, Pods and objects, now or as a past cycle saw them."""

import json
from typing import Any

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, found, valid
from playground.api.forms import CycleQuery, PlacedQuery
from playground.api.schema import ANYTHING, answers
from playground.api.settled import settled
from playground.engine import history
from playground.objects import node_changes, nodes, pods, queue, updates
from playground.objects import selectors as objects
from playground.objects.forms import ChangesQuery, ObjectsQuery, QueueQuery, UpdateText
from playground.questions.asking import ask


class NodeList(SharedView):
    """Nodes as columns."""

    @answers(nodes.Nodes, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the Nodes as they are, or as `cycle` found them before it assumed its Pod."""
        query = valid(CycleQuery, request.query_params)

        def made() -> dict[str, Any]:
            moment = _moment(self, query, before=1)
            return moment.answer | nodes.columns(self.cluster.pk, moment.seq)

        return settled(request, self.cluster, ("nodes", query["cycle"]), made) if "cycle" in query else Response(made())


class NodeChangeList(SharedView):
    """Nodes that changed between two points in time."""

    @answers(node_changes.NodeChanges, parameters=[ChangesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the Nodes whose Pods differ from those after the record `since`, now or when `cycle` began."""
        query = valid(ChangesQuery, request.query_params)
        # The changes must not reveal what an open class question hides.
        since = query["since"] if self.upto is None else min(query["since"], self.upto)

        def made() -> dict[str, Any]:
            moment = _moment(self, query, before=1)
            return moment.answer | node_changes.between(self.cluster.pk, since, moment.seq)

        # The changes since a future record are not final, so the answer must not be cached.
        if "cycle" not in query or since > self.cluster.revision:
            return Response(made())
        return settled(request, self.cluster, ("changes", since, query["cycle"]), made)


class NodeDetail(SharedView):
    """One node."""

    @answers(nodes.NodeAnswer)
    def get(self, request: Request, cluster_id: int, name: str) -> Response:
        """Return the Node's manifest and the Pods on it."""
        return found(nodes.detail(self.cluster.pk, name, self.upto))


class QueueDetail(SharedView):
    """The scheduling queue."""

    @answers(queue.Queue, parameters=[QueueQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the first `limit` Pods of every queue, or of one `lane` from `offset` on, now or after `cycle`.

        With `within`, the Pod of the cycle is in flight, and the others are where the cycle found them. `group` selects
        the Pods of one Pod group.
        """
        query = valid(QueueQuery, request.query_params)
        limit, within, group = query["limit"], query["within"], query["group"]
        if "cycle" in query:
            self.refuse_held_back(query["cycle"])
        tried = history.pod_of_cycle(self.cluster.pk, query["cycle"]) if within else None
        # This answer has each Pod's last move while its record is stored, so it can't be cached.
        if lane := query.get("lane"):
            moment = _moment(self, query, before=int(within))
            page = queue.lane_page(self.cluster, lane, query["offset"], limit, moment.seq, tried, group)
            return Response(moment.answer | page)

        def made() -> dict[str, Any]:
            moment = _moment(self, query, before=int(within))
            return moment.answer | queue.lanes(self.cluster, limit, moment.seq, tried, group)

        if "cycle" not in query:
            return Response(made())
        return settled(request, self.cluster, ("queue", query["cycle"], limit, within, group), made)


class PlacedPods(SharedView):
    """The Pods on each Node."""

    @answers(pods.Placed, parameters=[PlacedQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the Pods on each of `nodes` (separated by commas), now or as `cycle` found them."""
        query = valid(PlacedQuery, request.query_params)
        moment = _moment(self, query, before=1)
        on_nodes, owners = pods.placed(self.cluster.pk, query["nodes"], moment.seq)
        return Response(moment.answer | {"pods": on_nodes, "owners": owners})


class OwnerList(SharedView):
    """The owners of the Pods on each Node."""

    @answers(pods.Owners, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return how many Pods of each owner are on each Node, now or as `cycle` found them."""
        moment = _moment(self, valid(CycleQuery, request.query_params), before=1)
        return Response(moment.answer | pods.owned(self.cluster.pk, moment.seq))


class PodDetail(SharedView):
    """One pod."""

    @answers(pods.PodAnswer)
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> Response:
        """Return the Pod's manifest, Node, cycles and Events."""
        key = f"{namespace}/{name}"
        if self.held is None:
            return found(pods.detail(self.cluster.pk, key))
        then = json.loads(ask(self.cluster.owner_id, "pod", self.cluster.pk, self.held.cycle, pod=key))
        return found(pods.detail_then(self.cluster.pk, key, then["manifest"], self.cluster.revision))


class PodMoveList(SharedView):
    """One Pod's moves through the scheduling queue."""

    @answers(pods.PodMoves)
    def get(self, request: Request, cluster_id: int, namespace: str, name: str) -> Response:
        """Return each move to another queue with its event and queueing hint, and the hints that skipped the Pod."""
        return found(pods.moves(self.cluster.pk, f"{namespace}/{name}", self.upto))


class ObjectList(ClusterView):
    """Objects of every kind."""

    open_to_guests = True

    @answers(objects.Objects, parameters=[ObjectsQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return a page of objects; `search` is a part of the key."""
        query = valid(ObjectsQuery, request.query_params)
        return Response(objects.page(self.cluster.pk, **query, hidden=self.hidden_kinds))


class UpdateCheckView(ClusterView):
    """A Pod update, checked before it is made."""

    @answers(updates.UpdateCheck, write=True, request=UpdateText)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Return what an API server would reject of the update. Most fields of a Pod's spec are immutable."""
        sent = valid(UpdateText, request.data)
        return Response(updates.check(self.cluster.pk, sent["text"], sent.get("read")))


class ObjectDetail(ClusterView):
    """One object."""

    open_to_guests = True

    @answers(ANYTHING)
    def get(self, request: Request, cluster_id: int, kind: str, key: str) -> Response:
        """Return the object's manifest."""
        return found(None if kind in self.hidden_kinds else objects.manifest(self.cluster.pk, kind, key))


class _Moment:
    """The last record that an answer may use (`seq`; None is all), and the fields that the answer begins with."""

    def __init__(self, seq: int | None, answer: dict[str, Any]) -> None:
        self.seq = seq
        self.answer = answer


def _moment(view: ClusterView, query: dict[str, Any], before: int = 0) -> _Moment:
    if "cycle" not in query:
        return _Moment(view.upto, {"revision": view.cluster.revision})
    view.refuse_held_back(query["cycle"])
    seq = history.seq_of_cycle(view.cluster.pk, query["cycle"])
    if seq is None:
        raise Http404
    return _Moment(seq - before, {"revision": seq, "cycle": query["cycle"]})
