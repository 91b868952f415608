"""API views of configurations of past releases, and of the glossary."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import validate_data
from playground.api.schema import answers
from playground.configs import past_configs
from playground.configs.forms import OldText


class Translate(APIView):
    """A configuration of a past release."""

    @answers(past_configs.Translated, write=True, request=OldText)
    def post(self, request: Request) -> Response:
        """Return the kind and the current meaning of the text: flags, Policy, v1alpha1 to v1beta3, ConfigMap."""
        return Response(past_configs.describe_translation(validate_data(OldText, request.data)["text"]))


class Words(APIView):
    """Old and new terms."""

    @answers(list[past_configs.PastWord])
    def get(self, request: Request) -> Response:
        """Return predicates, priorities, plugins and settings with their current names."""
        return Response(past_configs.list_terms())
