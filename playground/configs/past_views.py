"""API views of configurations of past releases, and of the glossary."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import valid
from playground.api.schema import answers
from playground.configs import past
from playground.configs.forms import OldText


class Translate(APIView):
    """A configuration of a past release."""

    @answers(past.Translated, write=True, request=OldText)
    def post(self, request: Request) -> Response:
        """Return the kind and the current meaning of the text: flags, Policy, v1alpha1 to v1beta3, ConfigMap."""
        return Response(past.translated(valid(OldText, request.data)["text"]))


class Words(APIView):
    """Old and new terms."""

    @answers(list[past.PastWord])
    def get(self, request: Request) -> Response:
        """Return predicates, priorities, plugins and settings with their current names."""
        return Response(past.glossary())
