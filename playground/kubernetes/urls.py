"""The URLs of the Kubernetes API of each cluster."""

from django.urls import path

from playground.kubernetes import views

urlpatterns = [
    path("k8s/<number:cluster_id>/", views.kubernetes, {"path": ""}),
    path("k8s/<number:cluster_id>/<path:path>", views.kubernetes),
]
