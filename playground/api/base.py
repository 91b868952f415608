"""What the views share."""

from typing import Any

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from kube_objects.sentences import say
from playground.access import held, readers, viewing
from playground.access.held import Held
from playground.api.guests import UserOrGuest, key_of
from playground.models import Cluster
from playground.problems import Refused, problem

CONFLICT = 409


class ClusterView(APIView):
    """A view of one cluster of the user's own; anybody else's is not there.

    A view that is `open_to_guests` answers a GET also with clusters of shared moments, to whoever brings the key (see
    `guests`), and with what an open class shows, to who follows it. While the class is asked what a cycle comes to,
    and this follower has not answered, a view that `tells_upto` answers as of the record `upto`, the last one before;
    any other tells nothing.
    """

    permission_classes = (UserOrGuest,)
    open_to_guests = False
    tells_upto = False
    cluster: Cluster
    held: Held | None = None
    upto: int | None = None
    # The kinds whose objects this reader may not see: none for the owner.
    hidden_kinds: frozenset[str] = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        key = key_of(request)
        if key is None:
            reads = self.open_to_guests and request.method == "GET"
            number = kwargs["cluster_id"]
            find = readers.find_readable if reads else readers.find_owned
            cluster = find(request.user, number)
        else:
            cluster = readers.by_key(key, kwargs["cluster_id"])
        if cluster is None:
            raise Http404
        self.cluster = cluster
        if key is not None or cluster.owner_id != request.user.pk:
            self.hidden_kinds = viewing.hidden_kinds()
        if key is None and cluster.owner_id != request.user.pk:
            self._hold_back(held.of_cluster(cluster.pk), request.user.pk, kwargs.get("number"))

    def _hold_back(self, found: Held | None, user_id: int | None, cycle: int | None) -> None:
        """Take the cluster as it was before what the class is asked about; no such moment is refused."""
        upto = None if found is None else found.upto(user_id)
        if found is None or upto is None:
            return
        self.held, self.upto = found, upto
        if cycle is not None:
            self.refuse_held_back(cycle)
        elif not self.tells_upto:
            raise _held_back()
        # Never stored: all of this is for reads.
        self.cluster.revision, self.cluster.cycle = upto, found.cycle - 1

    def refuse_held_back(self, cycle: int) -> None:
        """Raises Refused for a cycle that is held back."""
        if self.held is not None and cycle >= self.held.cycle:
            raise _held_back()


class SharedView(ClusterView):
    """What guests and followers may read, as of the moment that they may see."""

    open_to_guests = True
    tells_upto = True


def _held_back() -> Refused:
    hint = say("answer the question; you see it then, or when the teacher shows the answer")
    return Refused([problem("", say("the class is asked about this"), hint=hint)], CONFLICT)


def valid(serializer: type[Serializer], data: Any) -> dict[str, Any]:
    """The data as `serializer` reads it; raises ValidationError with all that is wrong."""
    filled = serializer(data=data)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


def found(data: Any) -> Response:
    """The data, or 404 for None."""
    if data is None:
        raise Http404
    return Response(data)


def raw_json(text: str | bytes) -> HttpResponse:
    """JSON that is text already."""
    return HttpResponse(text, content_type="application/json")
