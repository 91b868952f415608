"""The WebSocket routes: those of pages, and those of clients of the Kubernetes API."""

from django.urls import path, re_path

from playground.classes.consumers import ClassConsumer
from playground.kubernetes.watch_sockets import WatchSocket
from playground.realtime.consumers import ClusterConsumer
from playground.realtime.page import UnknownPathConsumer

urlpatterns = [
    path("ws/clusters/<number:cluster_id>/", ClusterConsumer.as_asgi()),
    path("ws/classes/<number:class_id>/", ClassConsumer.as_asgi()),
    re_path("", UnknownPathConsumer.as_asgi()),
]

of_programs = [
    path("k8s/<number:cluster_id>/<path:path>", WatchSocket.as_asgi()),
    re_path("", UnknownPathConsumer.as_asgi()),
]
