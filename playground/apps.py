"""The one Django app of the project."""

from django.apps import AppConfig
from django.urls import register_converter

from playground.api.converters import Key, Name, Number


class PlaygroundConfig(AppConfig):
    name = "playground"
    label = "playground"

    def ready(self) -> None:
        """The parts of addresses have names, for HTTP and the stream alike."""
        register_converter(Number, "number")
        register_converter(Name, "name")
        register_converter(Key, "key")
