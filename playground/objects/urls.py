"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER, CYCLE
from playground.objects import source_views, views

urlpatterns = [
    path(f"{CYCLE}again/", source_views.CycleAgain.as_view()),
    path(f"{CLUSTER}nodes/", views.NodeList.as_view()),
    path(f"{CLUSTER}node-changes/", views.NodeChangeList.as_view()),
    path(f"{CLUSTER}nodes/<name:name>/", views.NodeDetail.as_view()),
    path(f"{CLUSTER}queue/", views.QueueDetail.as_view()),
    path(f"{CLUSTER}owners/", views.OwnerList.as_view()),
    path(f"{CLUSTER}pods/", views.PlacedPods.as_view()),
    path(f"{CLUSTER}pods/<name:namespace>/<name:name>/", views.PodDetail.as_view()),
    path(f"{CLUSTER}pods/<name:namespace>/<name:name>/moves/", views.PodMoveList.as_view()),
    path(f"{CLUSTER}source/", source_views.SourceView.as_view()),
    path(f"{CLUSTER}objects/", views.ObjectList.as_view()),
    path(f"{CLUSTER}objects/check/", views.UpdateCheckView.as_view()),
    path(f"{CLUSTER}objects/<name:kind>/<key:key>/", views.ObjectDetail.as_view()),
]
