"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER, CYCLE
from playground.exchange import import_views, views

urlpatterns = [
    path(f"{CYCLE}storyboard/", views.Storyboard.as_view()),
    path(f"{CLUSTER}export/config/", views.ExportConfig.as_view()),
    path(f"{CLUSTER}export/cluster/", views.ExportCluster.as_view()),
    path(f"{CLUSTER}export/second-scheduler/", views.ExportSecondScheduler.as_view()),
    path(f"{CLUSTER}export/static-pod/", views.ExportStaticPod.as_view()),
    path(f"{CLUSTER}export/scenario/", views.ExportScenario.as_view()),
    path(f"{CLUSTER}export/trace/", views.ExportTrace.as_view()),
    path(f"{CLUSTER}import/", import_views.Import.as_view()),
]
