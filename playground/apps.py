"""The Django app of the project."""

from django.apps import AppConfig
from django.urls import register_converter

from playground.api.converters import KeyConverter, NameConverter, NumberConverter


class PlaygroundConfig(AppConfig):
    name = "playground"
    label = "playground"

    def ready(self) -> None:
        """Register the URL converters, and end comparisons and classes when a cluster is deleted."""
        from playground.classes import services as classes
        from playground.clusters import deletion
        from playground.comparisons import services as comparisons

        register_converter(NumberConverter, "number")
        register_converter(NameConverter, "name")
        register_converter(KeyConverter, "key")
        deletion.removed.connect(comparisons.cancel_comparisons_of_cluster)
        deletion.removed.connect(classes.end_classes_of_cluster)
