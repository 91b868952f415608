"""The URLs of this package below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.clusters import change_views, command_views, views

urlpatterns = [
    path("v1/clusters/", views.ClusterList.as_view()),
    path(CLUSTER, views.ClusterDetail.as_view()),
    path(f"{CLUSTER}restore/", views.ClusterRestore.as_view()),
    path(f"{CLUSTER}commands/", command_views.Commands.as_view()),
    path(f"{CLUSTER}commands/<number:number>/", command_views.CommandDetail.as_view()),
    path(f"{CLUSTER}commands/<number:number>/effect/", change_views.CommandEffect.as_view()),
    path(f"{CLUSTER}changes/", change_views.ChangeList.as_view()),
    path(f"{CLUSTER}undo/", change_views.Undo.as_view()),
    path(f"{CLUSTER}redo/", change_views.Redo.as_view()),
    path(f"{CLUSTER}reset/", change_views.ResetPreview.as_view()),
    path(f"{CLUSTER}breakpoints/", command_views.Breakpoints.as_view()),
    path(f"{CLUSTER}pause/", command_views.Pause.as_view()),
    path(f"{CLUSTER}pace/", command_views.SetPace.as_view()),
]
