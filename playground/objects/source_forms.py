"""Serializers for requests about manifests."""

from typing import Any

from rest_framework import serializers

from kube_objects.kinds.storage_kind import LONGEST_KIND
from playground import limits
from playground.api.forms import number_field
from playground.api.strict_fields import StrictSerializer, Text


class SourceQuery(serializers.Serializer):
    """A page of manifests: the page around the object with `kind` and `key`, else the one from `offset` on."""

    search = serializers.CharField(max_length=253, default="", allow_blank=True)
    kind = serializers.CharField(max_length=LONGEST_KIND, default="", allow_blank=True)
    key = serializers.CharField(max_length=507, default="", allow_blank=True)
    offset = number_field(default=0)
    limit = serializers.IntegerField(min_value=1, max_value=limits.SOURCE_OBJECTS, default=limits.SOURCE_OBJECTS)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["kind"]) != bool(attrs["key"]):
            raise serializers.ValidationError({"key": ["goes with kind: both or none"]})
        return attrs


class _Gone(StrictSerializer):
    kind = Text(max_length=LONGEST_KIND)
    name = Text(max_length=253)
    namespace = Text(max_length=253, required=False)


class TrialObjects(StrictSerializer):
    """Manifests to add or replace, and references to objects to delete, for a trial run."""

    objects = serializers.ListField(child=serializers.DictField(), max_length=limits.TRIAL_OBJECTS, default=list)
    delete = serializers.ListField(child=_Gone(), max_length=limits.TRIAL_OBJECTS, default=list)
