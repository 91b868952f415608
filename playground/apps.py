"""The one Django app of the project."""

from django.apps import AppConfig
from django.urls import register_converter

from playground.api.converters import Key, Name, Number


class PlaygroundConfig(AppConfig):
    name = "playground"
    label = "playground"

    def ready(self) -> None:
        """Name the parts of addresses, for HTTP and the stream alike, and say what ends when a cluster is deleted."""
        from playground.classes import services as classes
        from playground.clusters import deletion
        from playground.comparisons import services as comparisons

        register_converter(Number, "number")
        register_converter(Name, "name")
        register_converter(Key, "key")
        deletion.removed.connect(comparisons.cancel_with)
        deletion.removed.connect(classes.end_with)
