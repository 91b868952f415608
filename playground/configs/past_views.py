"""Where things came from."""

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
        """What it is, and what it means today by line: flags, a Policy, v1alpha1 to v1beta3, a ConfigMap."""
        return Response(past.translated(valid(OldText, request.data)["text"]))


class Words(APIView):
    """Then and now."""

    @answers(list[past.PastWord])
    def get(self, request: Request) -> Response:
        """Predicates, priorities, plugins and settings, and what they are called today."""
        return Response(past.glossary())
