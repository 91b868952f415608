"""What comes with the playground."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube_objects.schema import schema
from playground.about import conformance
from playground.api.guests import UserOrGuest
from playground.api.schema import ANYTHING, answers
from playground.clusters import examples
from simulator.simulation import breakpoints


class ExampleList(APIView):
    """Clusters to start from."""

    @answers(list[examples.ExampleAnswer])
    def get(self, request: Request) -> Response:
        """Each with its little story."""
        return Response(examples.listed())


class ConformanceTable(APIView):
    """How faithful is this?"""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(conformance.Conformance)
    def get(self, request: Request) -> Response:
        """The table of `make conformance` for the engine as shipped."""
        return Response(conformance.table())


class KindTable(APIView):
    """What an object editor completes."""

    @answers(ANYTHING)
    def get(self, request: Request) -> Response:
        """The fields that scheduling reads of each kind: `{kind: {apiVersion, namespaced, fields}}`."""
        return Response(schema())


class BreakpointSchema(APIView):
    """What a dialog for breakpoints asks for."""

    @answers(ANYTHING)
    def get(self, request: Request) -> Response:
        """A list of breakpoints as a JSON schema: an alternative a kind, with its fields and what they are called."""
        return Response(breakpoints.schema())
