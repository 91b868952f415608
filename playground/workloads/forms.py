"""Serializers for requests about workloads."""

from rest_framework import serializers

from playground.api.forms import number_field
from playground.api.strict_fields import Text
from playground.workloads.selectors import KINDS


class ReconcilesQuery(serializers.Serializer):
    after = number_field(default=0)


class RolloutQuery(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS)
    key = Text(max_length=400)
