"""The addresses of the stream."""

from django.urls import path

from playground.realtime.consumers import ClusterConsumer

urlpatterns = [path("ws/clusters/<number:cluster_id>/", ClusterConsumer.as_asgi())]
