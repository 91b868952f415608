"""The views for owners of a cluster: kubeconfigs, tokens, and the writes of API clients."""

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kube_apiserver.access import EDIT, ROLES
from kube_objects.sentences import say
from playground import limits
from playground.api.base import ClusterView, respond, validate_data
from playground.api.schema import EXPLAINED, answers
from playground.api.strict_fields import StrictSerializer, Text
from playground.kubernetes import followed, tokens
from playground.problems import Refused, problem


class NewToken(StrictSerializer):
    role = serializers.ChoiceField(ROLES, default=EDIT)
    name = Text(required=False, allow_blank=True, max_length=limits.TOKEN_NAME, default="")


class Tokens(ClusterView):
    """The tokens for the cluster's Kubernetes API."""

    @answers(tokens.list_tokens)
    def get(self, request: Request, cluster_id: int) -> Response:
        """List the tokens with their roles and the programs that used them last, without their texts."""
        return Response(tokens.list_tokens(self.cluster))

    @answers(tokens.TokenMade, write=True, status=201, request=NewToken)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Create a token and return it in a kubeconfig. The token is shown only in this answer."""
        data = validate_data(NewToken, request.data)
        token, text = tokens.create_token(self.cluster, data["role"], data["name"])
        base = request.build_absolute_uri("/")
        made = {"token": tokens.describe_token(token), "kubeconfig": tokens.kubeconfig(self.cluster, base, text)}
        return Response(made, status=201)


class TokenDetail(ClusterView):
    """One token of the cluster's Kubernetes API."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, cluster_id: int, number: int) -> Response:
        """Revoke the token."""
        respond(tokens.revoke_token(self.cluster, number) or None)
        return Response(status=204)


class Kubeconfig(ClusterView):
    """The kubeconfig without a token."""

    @answers({"application/yaml": OpenApiTypes.STR}, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return a kubeconfig for the local user. A playground with a login requires a token instead."""
        if not settings.LOCAL:
            raise Refused([problem("", say("here kubectl needs a token"), hint=say("create a token"))], 409)
        text = tokens.kubeconfig(self.cluster, request.build_absolute_uri("/"))
        response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{tokens.file_name(self.cluster)}"'
        return response


class Clients(ClusterView):
    """The writes of kubectl and other clients."""

    @answers(followed.ClientWrites)
    def get(self, request: Request, cluster_id: int) -> Response:
        """List their changes and refused writes, newest first."""
        return Response(followed.writes(self.cluster))
