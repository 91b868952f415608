"""The URLs of this package below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.kubernetes import token_views

urlpatterns = [
    path(f"{CLUSTER}tokens/", token_views.Tokens.as_view()),
    path(f"{CLUSTER}tokens/<number:number>/", token_views.TokenDetail.as_view()),
    path(f"{CLUSTER}kubeconfig/", token_views.Kubeconfig.as_view()),
    path(f"{CLUSTER}clients/", token_views.Clients.as_view()),
]
