"""Views about the playground itself: examples, kinds, breakpoints, conformance."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube_objects.schema import schema
from playground.api.guest_access import UserOrGuest
from playground.api.schema import ANYTHING, answers
from playground.clusters import examples
from playground.reference_data import conformance_table
from simulator.simulation import breakpoints


class ExampleList(APIView):
    """The example clusters."""

    @answers(list[examples.ExampleAnswer])
    def get(self, request: Request) -> Response:
        """List the example clusters, each with its story."""
        return Response(examples.list_examples())


class ConformanceTable(APIView):
    """The conformance table."""

    permission_classes = (UserOrGuest,)
    open_to_guests = True

    @answers(conformance_table.Conformance)
    def get(self, request: Request) -> Response:
        """Return the table of `make conformance` for this release."""
        return Response(conformance_table.read_conformance_table())


class KindTable(APIView):
    """The fields of each kind, for completion in the object editor."""

    @answers(ANYTHING)
    def get(self, request: Request) -> Response:
        """Return the fields of each kind that scheduling reads: `{kind: {apiVersion, namespaced, fields}}`."""
        return Response(schema())


class BreakpointSchema(APIView):
    """The schema of breakpoints, for their dialog."""

    @answers(ANYTHING)
    def get(self, request: Request) -> Response:
        """Return the JSON schema of a list of breakpoints, with an alternative for each kind of breakpoint."""
        return Response(breakpoints.schema())
