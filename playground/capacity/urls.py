"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.capacity import views

urlpatterns = [
    path(f"{CLUSTER}capacity/copies/", views.Copies.as_view()),
    path(f"{CLUSTER}capacity/nodes/", views.NodesToAdd.as_view()),
    path(f"{CLUSTER}capacity/drain/", views.Drain.as_view()),
    path(f"{CLUSTER}capacity/failures/", views.Failures.as_view()),
]
