"""What requests about configurations may say."""

from rest_framework import serializers

from playground import limits
from playground.api.forms import LARGEST
from playground.api.strict import StrictSerializer, Text, Whole


class ConfigText(StrictSerializer):
    """`against`: the version to tell the changes from; 0 is kube-scheduler's own."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    against = Whole(required=False, min_value=0, max_value=2**31 - 1)


class ConfigDraft(StrictSerializer):
    """`cycle`: the one to run again; without it the next pod is tried as the cluster is now."""

    yaml = Text(allow_blank=True, max_length=limits.OTHER_BYTES)
    cycle = Whole(required=False, min_value=1, max_value=LARGEST)


class OldText(StrictSerializer):
    """A configuration of a past release; flags come first, on lines of their own."""

    text = Text(max_length=limits.OTHER_BYTES)


class VersionsQuery(serializers.Serializer):
    before = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
