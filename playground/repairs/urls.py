"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.repairs import views

urlpatterns = [
    path(f"{CLUSTER}repairs/", views.Repairs.as_view()),
    path(f"{CLUSTER}repairs/many/", views.ManyRepairs.as_view()),
    path(f"{CLUSTER}repairs/costs/", views.RepairCosts.as_view()),
]
