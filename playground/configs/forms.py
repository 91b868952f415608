"""Serializers for requests about configurations."""

from rest_framework import serializers

from playground import limits
from playground.api.forms import LARGEST
from playground.api.strict_fields import StrictSerializer, Text, Whole


class ConfigText(StrictSerializer):
    """A configuration to check. `against` is the version to compare it with; 0 is kube-scheduler's default."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    against = Whole(required=False, min_value=0, max_value=2**31 - 1)


class ConfigDraft(StrictSerializer):
    """A configuration to try on `cycle`; without it, on the next Pod and the current cluster."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    cycle = Whole(required=False, min_value=1, max_value=LARGEST)


class OldText(StrictSerializer):
    """A configuration of a past release; flags come first, each on its own line."""

    text = Text(max_length=limits.OTHER_BYTES)


class VersionsQuery(serializers.Serializer):
    before = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
