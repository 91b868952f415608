"""Serializers for requests about classes."""

from typing import Any

from rest_framework import serializers

from playground import limits
from playground.api.forms import LARGEST, PointField
from playground.api.strict_fields import Flag, StrictSerializer, Text, Whole

ASKS = ["chosen_node", "outcome", "next_pod", "rejected_by", "nominated_node", "victims"]


class NewClass(StrictSerializer):
    cluster = Whole(min_value=0, max_value=LARGEST)


class ClassChange(StrictSerializer):
    """A change of at least one field. `pointer` is a follower's ID, null for the teacher."""

    locked = Flag(required=False)
    pointer = Whole(min_value=0, max_value=LARGEST, required=False, allow_null=True)
    cluster = Whole(min_value=0, max_value=LARGEST, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("needs one of: locked, pointer, cluster")
        return attrs


class NewQuestion(StrictSerializer):
    """A question: either `ask` about a cycle (null: the next one), or `check`, a prediction of the lesson."""

    ask = serializers.ChoiceField(ASKS, required=False)
    cycle = Whole(min_value=1, max_value=LARGEST, required=False, allow_null=True)
    node = Text(max_length=253, required=False)
    check = Text(max_length=100, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("ask" in attrs) == ("check" in attrs):
            raise serializers.ValidationError("needs one of: ask, check")
        if "check" in attrs and len(attrs) > 1:
            raise serializers.ValidationError({"check": ["stands alone"]})
        if (attrs.get("ask") == "rejected_by") != ("node" in attrs) and "ask" in attrs:
            raise serializers.ValidationError({"node": ["is needed for rejected_by, and for nothing else"]})
        return attrs


class ClassAnswerForm(StrictSerializer):
    chosen = serializers.ListField(child=Text(max_length=400), max_length=limits.OPTIONS)


class ClassFork(StrictSerializer):
    at = PointField()
