"""The one address of the package: all below it is the API's."""

from django.urls import path

from playground.kubernetes import views

urlpatterns = [
    path("k8s/<number:cluster_id>/", views.kubernetes, {"path": ""}),
    path("k8s/<number:cluster_id>/<path:path>", views.kubernetes),
]
