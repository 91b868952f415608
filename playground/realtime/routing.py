"""The addresses of the stream."""

from django.urls import path

from playground.realtime.class_consumers import ClassConsumer
from playground.realtime.consumers import ClusterConsumer

urlpatterns = [
    path("ws/clusters/<number:cluster_id>/", ClusterConsumer.as_asgi()),
    path("ws/classes/<number:class_id>/", ClassConsumer.as_asgi()),
]
