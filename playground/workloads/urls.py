"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.workloads import views

urlpatterns = [
    path(f"{CLUSTER}workloads/", views.WorkloadList.as_view()),
    path(f"{CLUSTER}ownerless/", views.OwnerlessCounts.as_view()),
    path(f"{CLUSTER}rollout/", views.RolloutOverTime.as_view()),
    path(f"{CLUSTER}reconciles/", views.ReconcileList.as_view()),
]
