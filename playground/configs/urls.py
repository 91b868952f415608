"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.configs import past_views, views

urlpatterns = [
    path(f"{CLUSTER}config/", views.ConfigDetail.as_view()),
    path(f"{CLUSTER}config/check/", views.ConfigCheckView.as_view()),
    path(f"{CLUSTER}config/form/", views.ConfigFormView.as_view()),
    path(f"{CLUSTER}config/try/", views.ConfigTry.as_view()),
    path(f"{CLUSTER}config/versions/", views.ConfigVersionList.as_view()),
    path(f"{CLUSTER}config/versions/<number:version>/", views.ConfigVersionDetail.as_view()),
    path(f"{CLUSTER}gates/", views.GateTableView.as_view()),
    path("v1/past/translate/", past_views.Translate.as_view()),
    path("v1/past/glossary/", past_views.Words.as_view()),
]
