"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.history import views

urlpatterns = [
    path(f"{CLUSTER}records/", views.RecordList.as_view()),
    path(f"{CLUSTER}cycles/", views.CycleList.as_view()),
    path(f"{CLUSTER}timings/", views.ClusterTimings.as_view()),
    path(f"{CLUSTER}charts/", views.ChartColumns.as_view()),
    path(f"{CLUSTER}charts/csv/", views.ChartFile.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/", views.CycleDetail.as_view()),
    path(f"{CLUSTER}cycles/<number:number>/matrix/", views.CycleMatrixDetail.as_view()),
]
