"""Serializers for requests about workloads."""

from rest_framework import serializers

from playground.api.forms import numbered
from playground.api.strict import Text
from playground.workloads.selectors import KINDS


class ReconcilesQuery(serializers.Serializer):
    after = numbered(default=0)


class RolloutQuery(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS)
    key = Text(max_length=400)
