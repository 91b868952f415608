"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.comparisons import views

urlpatterns = [
    path(f"{CLUSTER}comparisons/", views.ComparisonList.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/", views.ComparisonDetail.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/cancel/", views.Cancel.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/open/", views.Open.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/difference/", views.DifferenceDetail.as_view()),
    path(f"{CLUSTER}comparisons/<number:number>/export/", views.Export.as_view()),
]
