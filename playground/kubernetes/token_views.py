"""Tokens of a cluster's Kubernetes API, for whom the cluster is."""

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kubernetes_api.access import EDIT, ROLES
from playground import limits
from playground.api.base import ClusterView, found, valid
from playground.api.schema import answers
from playground.api.strict import StrictSerializer, Text
from playground.kubernetes import tokens


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
