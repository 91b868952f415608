"""Base classes and helpers of API views."""

from typing import Any

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from kube_objects.sentences import say
from playground.access import readers, viewing, withheld_records
from playground.access.withheld_records import WithheldRecords
from playground.api.guest_access import UserOrGuest, key_of
from playground.models import Cluster
from playground.problems import Refused, problem

CONFLICT = 409


class ClusterView(APIView):
    """A view of one of the user's own clusters; others are not found.

    If the view is `open_to_guests`, GET also works for clusters of shared moments, with their key (see `guests`), and
    for clusters that an open class shows to this follower. While a class question hides the outcome of a cycle from
    this follower, a view with `tells_upto` answers as of the record `upto`, the last visible one; other views refuse.
    """

    permission_classes = (UserOrGuest,)
    open_to_guests = False
    tells_upto = False
    cluster: Cluster
    withheld: WithheldRecords | None = None
    upto: int | None = None
    # The kinds whose objects this reader may not see. None are hidden from the owner.
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
            cluster = readers.find_by_key(key, kwargs["cluster_id"])
        if cluster is None:
            raise Http404
        self.cluster = cluster
        if key is not None or cluster.owner_id != request.user.pk:
            self.hidden_kinds = viewing.hidden_kinds()
        if key is None and cluster.owner_id != request.user.pk:
            self._withhold(withheld_records.find_withheld(cluster.pk), request.user.pk, kwargs.get("number"))

    def _withhold(self, question: WithheldRecords | None, user_id: int | None, cycle: int | None) -> None:
        """Restrict the view to the records before the hidden cycle. Raises Refused for what is hidden."""
        upto = None if question is None else question.upto(user_id)
        if question is None or upto is None:
            return
        self.withheld, self.upto = question, upto
        if cycle is not None:
            self.refuse_withheld(cycle)
        elif not self.tells_upto:
            raise _make_withheld_error()
        # Only reads come here, so this change is never saved.
        self.cluster.revision, self.cluster.cycle = upto, question.cycle - 1

    def refuse_withheld(self, cycle: int) -> None:
        """Raise Refused for a hidden cycle."""
        if self.withheld is not None and cycle >= self.withheld.cycle:
            raise _make_withheld_error()


class SharedView(ClusterView):
    """A view that guests and followers may read, as of the last record that they may see."""

    open_to_guests = True
    tells_upto = True


def _make_withheld_error() -> Refused:
    hint = say("answer the question; you see it then, or when the teacher shows the answer")
    return Refused([problem("", say("the class is asked about this"), hint=hint)], CONFLICT)


def validate_data(serializer: type[Serializer], data: Any) -> dict[str, Any]:
    """Return the data as `serializer` validates it. Raises ValidationError with all problems."""
    filled = serializer(data=data)
    filled.is_valid(raise_exception=True)
    return dict(filled.validated_data)


def respond(data: Any) -> Response:
    """Return a response with the data. Raises Http404 for None."""
    if data is None:
        raise Http404
    return Response(data)


def raw_json(text: str | bytes) -> HttpResponse:
    """Return a response of JSON text."""
    return HttpResponse(text, content_type="application/json")
