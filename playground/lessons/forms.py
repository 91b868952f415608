"""Serializers for requests about lessons."""

from rest_framework import serializers

from playground import limits
from playground.api.strict_fields import StrictSerializer, Text


class Prediction(StrictSerializer):
    chosen = serializers.ListField(child=Text(max_length=400), max_length=limits.OPTIONS)
