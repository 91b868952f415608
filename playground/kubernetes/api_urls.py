"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.kubernetes import token_views

urlpatterns = [
    path(f"{CLUSTER}tokens/", token_views.Tokens.as_view()),
    path(f"{CLUSTER}tokens/<number:number>/", token_views.TokenDetail.as_view()),
]
