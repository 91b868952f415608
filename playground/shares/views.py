"""Shared moments: make one, open one, try it yourself, take it back."""

from typing import Any

from django.http import Http404
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, valid
from playground.api.parsers import parse
from playground.api.schema import READ, WRITE, answers
from playground.shares import gallery, selectors, services, showing
from playground.shares.forms import NewShare, WhichShare
from simulator.exchange import share_file
from simulator.exchange.share_file import ShareError


def wanted(data: Any) -> share_file.Share:
    """Return the moment that a request names by link or id, as viewers see it.

    Raises Http404 for an unknown id, and Refused for a link that cannot be read.
    """
    which = valid(WhichShare, data)
    if "id" in which:
        found = selectors.find(which["id"])
        if found is None:
            raise Http404
        return services.shown(found)
    try:
        document = share_file.unpack(which["link"])
    except ShareError as error:
        raise services.refused(error) from error
    return services.shown(services.read(parse(document)))


class ClusterShares(ClusterView):
    """Hand on a moment."""

    @answers(selectors.handed_on, write=True, status=201, request=NewShare)
    def post(self, request: Request, cluster_id: int) -> Response:
        """The cluster as it is now, and where you look: in the link itself if it is small, else stored under an id."""
        assert request.user.is_authenticated  # nobody else gets here
        form = NewShare(data=request.data)
        form.is_valid(raise_exception=True)
        fields = form.validated_data
        made = services.make(
            request.user, self.cluster, form.cursor_given(), fields.get("title", ""), stored=fields.get("stored", False)
        )
        token = made.stored.token if made.stored else None
        return Response(selectors.handed_on(made.share, made.size, token, made.link), status=201)


class ShareList(APIView):
    """Your stored moments."""

    @answers(selectors.listed)
    def get(self, request: Request) -> Response:
        """The newest first. Those that are in their links are stored nowhere."""
        return Response(selectors.listed(request.user))


class ShareDetail(APIView):
    """One of them."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, token: str) -> Response:
        """Delete it: its link opens nothing any more."""
        found = selectors.owned(request.user).filter(token=token).first()
        if found is None:
            raise Http404
        services.delete(found)
        return Response(status=204)


class OpenShare(APIView):
    """Look at a moment."""

    # Nobody's account is looked at, so there is nothing that another site could make a browser do in its name.
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @answers(selectors.opened, errors=tuple(code for code in WRITE if code != 403), request=WhichShare)
    def post(self, request: Request) -> Response:
        """For anybody: the cluster that shows it, which may still be playing, and the key to read it with."""
        share = wanted(request.data)
        view = showing.open_view(share, request.META.get("REMOTE_ADDR", ""))
        return Response(selectors.opened(share, view))


class TryShare(APIView):
    """Try it yourself."""

    @answers(selectors.tried, write=True, status=201, request=WhichShare)
    def post(self, request: Request) -> Response:
        """A cluster of your own that plays to the same moment."""
        assert request.user.is_authenticated  # nobody else gets here
        share = wanted(request.data)
        made = services.try_it(request.user, share)
        return Response(selectors.tried(share, made.pk), status=201)


class Gallery(APIView):
    """Moments that ship."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @answers(gallery.listed, errors=tuple(code for code in READ if code != 403))
    def get(self, request: Request) -> Response:
        """For anybody: each with what is to be seen there, and the address where."""
        return Response(gallery.listed())
