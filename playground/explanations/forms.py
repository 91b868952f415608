"""Serializers for requests about explanations."""

from rest_framework import serializers

from playground import limits
from playground.api.strict_fields import StrictSerializer, Text


class CompareQuery(serializers.Serializer):
    a = Text(max_length=253)
    b = Text(max_length=253)


class DomainQuery(serializers.Serializer):
    domain = serializers.CharField(max_length=253, allow_blank=True, trim_whitespace=False)


class PastedText(StrictSerializer):
    text = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
