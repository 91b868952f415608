"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.shares import views

urlpatterns = [
    path(f"{CLUSTER}shares/", views.ClusterShares.as_view()),
    path("v1/shares/", views.ShareList.as_view()),
    path("v1/shares/open/", views.OpenShare.as_view()),
    path("v1/shares/try/", views.TryShare.as_view()),
    path("v1/shares/<name:token>/", views.ShareDetail.as_view()),
    path("v1/gallery/", views.Gallery.as_view()),
]
