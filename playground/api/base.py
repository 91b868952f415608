"""What the views share."""

from typing import Any

from django.http import Http404, HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from playground.api.guests import UserOrGuest, key_of
from playground.models import Cluster
from playground.selectors import clusters, shares


class ClusterView(APIView):
    """A view of one cluster of the user's own; anybody else's is not there.

    A view that is `open_to_guests` answers a GET also with clusters of shared moments, to whoever brings the key (see
    `guests`), and with what an open class shows, to who follows it.
    """

    permission_classes = (UserOrGuest,)
    open_to_guests = False
    cluster: Cluster

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        key = key_of(request)
        if key is None:
            reads = self.open_to_guests and request.method == "GET"
            number = kwargs["cluster_id"]
            cluster = (
                clusters.find_readable(request.user, number)
                if reads
                else clusters.owned(request.user).filter(pk=number).first()
            )
        else:
            cluster = shares.readable(key, kwargs["cluster_id"])
        if cluster is None:
            raise Http404
        self.cluster = cluster


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
