"""A cluster's Kubernetes API, for whom the cluster is: the way in, tokens, and what clients do."""

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kube_apiserver.access import EDIT, ROLES
from kube_objects.sentences import say
from playground import limits
from playground.api.base import ClusterView, found, valid
from playground.api.schema import EXPLAINED, answers
from playground.api.strict import StrictSerializer, Text
from playground.kubernetes import followed, tokens
from playground.problems import Refused, problem


class NewToken(StrictSerializer):
    role = serializers.ChoiceField(ROLES, default=EDIT)
    name = Text(required=False, allow_blank=True, max_length=limits.TOKEN_NAME, default="")


class Tokens(ClusterView):
    """Who may come in by a token."""

    @answers(tokens.listed)
    def get(self, request: Request, cluster_id: int) -> Response:
        """The tokens: their roles, and which program used them last. Not the tokens themselves."""
        return Response(tokens.listed(self.cluster))

    @answers(tokens.TokenMade, write=True, status=201, request=NewToken)
    def post(self, request: Request, cluster_id: int) -> Response:
        """A new token, in a kubeconfig that works as it is. It is told only now."""
        given = valid(NewToken, request.data)
        token, text = tokens.make(self.cluster, given["role"], given["name"])
        base = request.build_absolute_uri("/")
        made = {"token": tokens.shown(token), "kubeconfig": tokens.kubeconfig(self.cluster, base, text)}
        return Response(made, status=201)


class TokenDetail(ClusterView):
    """One token."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, cluster_id: int, number: int) -> Response:
        """Revoke it."""
        found(tokens.revoke(self.cluster, number) or None)
        return Response(status=204)


class Kubeconfig(ClusterView):
    """The way in without a token."""

    @answers({"application/yaml": OpenApiTypes.STR}, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """A kubeconfig for whoever sits at the machine; where there is a login, one comes with a token."""
        if not settings.LOCAL:
            raise Refused([problem("", say("here kubectl needs a token"), hint=say("make one"))], 409)
        text = tokens.kubeconfig(self.cluster, request.build_absolute_uri("/"))
        response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{tokens.file_name(self.cluster)}"'
        return response


class Clients(ClusterView):
    """kubectl and the others."""

    @answers(followed.ClientWrites)
    def get(self, request: Request, cluster_id: int) -> Response:
        """What they changed, and what they were refused, the newest first."""
        return Response(followed.writes(self.cluster))
