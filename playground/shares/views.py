"""API views of shared moments: create, open, try and delete them."""

from typing import Any

from django.http import Http404
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, validate_data
from playground.api.parsers import parse
from playground.api.schema import READ, WRITE, answers
from playground.shares import gallery, selectors, services, share_views
from playground.shares.forms import NewShare, WhichShare
from simulator.exchange import share_file
from simulator.exchange.share_file import ShareError


def read_share(data: Any) -> share_file.Share:
    """Return the moment that a request names by link or ID, as viewers see it.

    Raises Http404 for an unknown ID, and Refused for an unreadable link.
    """
    which = validate_data(WhichShare, data)
    if "id" in which:
        share = selectors.find(which["id"])
        if share is None:
            raise Http404
        return services.without_secrets(share)
    try:
        document = share_file.unpack(which["link"])
    except ShareError as error:
        raise services.refused(error) from error
    return services.without_secrets(services.read(parse(document)))


class ClusterShares(ClusterView):
    """The creation of a shared moment."""

    @answers(selectors.describe_shared, write=True, status=201, request=NewShare)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Share the current state and your position: in the link itself if it is small, else stored under an ID."""
        assert request.user.is_authenticated  # the view requires a login
        form = NewShare(data=request.data)
        form.is_valid(raise_exception=True)
        fields = form.validated_data
        created = services.create_share(
            request.user, self.cluster, form.cursor_given(), fields.get("title", ""), stored=fields.get("stored", False)
        )
        token = created.stored.token if created.stored else None
        return Response(selectors.describe_shared(created.share, created.size, token, created.link), status=201)


class ShareList(APIView):
    """Your stored moments."""

    @answers(selectors.list_shares)
    def get(self, request: Request) -> Response:
        """Return your stored moments, newest first. Moments that fit in their links are not stored."""
        return Response(selectors.list_shares(request.user))


class ShareDetail(APIView):
    """One stored moment."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, token: str) -> Response:
        """Delete the moment. Its link stops working."""
        share = selectors.select_owned(request.user).filter(token=token).first()
        if share is None:
            raise Http404
        services.delete(share)
        return Response(status=204)


class OpenShare(APIView):
    """A shared moment to view."""

    # This view reads no account, so another site can't act in a user's name.
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @answers(selectors.describe_opened, errors=tuple(code for code in WRITE if code != 403), request=WhichShare)
    def post(self, request: Request) -> Response:
        """Return the cluster that shows the moment, and the key to read it. It may still run. No account needed."""
        share = read_share(request.data)
        view = share_views.open_view(share, request.META.get("REMOTE_ADDR", ""))
        return Response(selectors.describe_opened(share, view))


class TryShare(APIView):
    """A copy of a shared moment."""

    @answers(selectors.describe_tried, write=True, status=201, request=WhichShare)
    def post(self, request: Request) -> Response:
        """Create a cluster of your own that runs to the same moment."""
        assert request.user.is_authenticated  # the view requires a login
        share = read_share(request.data)
        cluster = services.try_share(request.user, share)
        return Response(selectors.describe_tried(share, cluster.pk), status=201)


class Gallery(APIView):
    """The shared moments that ship."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @answers(gallery.list_gallery, errors=tuple(code for code in READ if code != 403))
    def get(self, request: Request) -> Response:
        """Return each moment with its text and path. No account needed."""
        return Response(gallery.list_gallery())
