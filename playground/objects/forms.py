"""Serializers for requests about objects."""

from typing import Any

from rest_framework import serializers

from kube_objects.kinds.storage_kind import LONGEST_KIND
from playground import limits
from playground.api.forms import CycleQuery, number_field
from playground.api.strict_fields import StrictSerializer, Text
from playground.objects.queue_reads import LANES


class UpdateText(StrictSerializer):
    text = Text(allow_blank=True, max_length=limits.MANIFEST_BYTES)
    read = Text(allow_blank=True, max_length=limits.MANIFEST_BYTES, required=False)


class ChangesQuery(CycleQuery):
    since = number_field()


class QueueQuery(CycleQuery):
    limit = serializers.IntegerField(min_value=1, max_value=limits.PODS_PER_LANE, default=limits.PODS_PER_LANE)
    lane = serializers.ChoiceField(LANES, required=False)
    offset = number_field(default=0)
    within = serializers.BooleanField(default=False)
    group = serializers.CharField(max_length=400, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["within"] and "cycle" not in attrs:
            raise serializers.ValidationError({"cycle": ["is needed along with within, which is a moment of it"]})
        if attrs["offset"] and "lane" not in attrs:
            raise serializers.ValidationError({"lane": ["is needed along with offset, which counts within one lane"]})
        return attrs


class ObjectsQuery(serializers.Serializer):
    kind = serializers.CharField(max_length=LONGEST_KIND, default="", allow_blank=True)
    search = serializers.CharField(max_length=253, default="", allow_blank=True)
    offset = number_field(default=0)
    limit = serializers.IntegerField(min_value=1, max_value=limits.OBJECTS_PER_PAGE, default=100)
