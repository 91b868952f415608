"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.branches import views

urlpatterns = [
    path(f"{CLUSTER}branches/", views.BranchList.as_view()),
    path(f"{CLUSTER}branches/compare/", views.BranchCompare.as_view()),
]
