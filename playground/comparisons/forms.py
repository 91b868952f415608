"""Serializers for requests about comparisons."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from kube_objects.sentences import say
from playground import limits
from playground.api.forms import LARGEST, number_field
from playground.api.strict_fields import StrictSerializer, Text, Whole
from playground.request_language import in_words

_NUMBER = {"type": "integer", "minimum": 0, "maximum": LARGEST}


def _only(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


class OneOf(serializers.Field):
    """A field that accepts one of some words, or an object with exactly one of some fields."""

    words: tuple[str, ...] = ()
    fields: dict[str, serializers.Field] = {}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and data in self.words:
            return data
        if isinstance(data, dict) and len(data) == 1:
            ((name, value),) = data.items()
            if name in self.fields:
                try:
                    return {name: self.fields[name].run_validation(value)}
                except serializers.ValidationError as error:
                    raise serializers.ValidationError({name: error.detail}) from error
        choices = [f'"{word}"' for word in self.words] + [f'{{"{name}": …}}' for name in self.fields]
        raise serializers.ValidationError(in_words(say("must be one of {choices}", choices=", ".join(choices))))


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": ["current", "default"]},
            _only("version", _NUMBER),
            _only("yaml", {"type": "string", "minLength": 1, "maxLength": limits.OTHER_BYTES}),
        ]
    }
)
class ConfigSource(OneOf):
    words = ("current", "default")
    fields = {"version": Whole(min_value=0, max_value=LARGEST), "yaml": Text(max_length=limits.OTHER_BYTES)}


@extend_schema_field({"oneOf": [{"type": "string", "enum": ["now", "start"]}, _only("cycle", _NUMBER)]})
class StartField(OneOf):
    words = ("now", "start")
    fields = {"cycle": Whole(min_value=0, max_value=LARGEST)}


class NewSide(StrictSerializer):
    """A configuration, and optionally another cluster of yours, such as a branch, to run it in."""

    label = Text(max_length=100, required=False, allow_blank=True)  # type: ignore[assignment]  # as in the answer
    config = ConfigSource(default="current")
    cluster = Whole(min_value=1, max_value=LARGEST, required=False)


class Seeds(serializers.ListField):
    child = Whole(min_value=0, max_value=2**63 - 1)

    def to_internal_value(self, data: Any) -> list[int]:
        seeds: list[int] = super().to_internal_value(data)
        if len(set(seeds)) != len(seeds):
            raise serializers.ValidationError("each seed once")
        return seeds


class NewComparison(StrictSerializer):
    sides = serializers.ListField(child=NewSide(), min_length=1, max_length=limits.COMPARISON_SIDES)
    seeds = Seeds(min_length=1, max_length=limits.COMPARISON_SEEDS, required=False)
    at = StartField(default="now")


class DifferenceQuery(serializers.Serializer):
    a = serializers.IntegerField(min_value=0, max_value=limits.COMPARISON_SIDES - 1, default=0)
    b = serializers.IntegerField(min_value=0, max_value=limits.COMPARISON_SIDES - 1, default=1)
    seed = number_field(required=False)


class ComparisonExportQuery(serializers.Serializer):
    what = serializers.ChoiceField(["metrics", "moved"], default="metrics")
    format = serializers.ChoiceField(["csv", "json"], default="csv")
    a = serializers.IntegerField(min_value=0, max_value=limits.COMPARISON_SIDES - 1, default=0)
    b = serializers.IntegerField(min_value=0, max_value=limits.COMPARISON_SIDES - 1, default=1)
    seed = number_field(required=False)


class OpenRun(StrictSerializer):
    """The point of a run to open: side, seed, and the number of its attempts."""

    side = Whole(min_value=0, max_value=limits.COMPARISON_SIDES - 1)
    seed = Whole(min_value=0, max_value=2**63 - 1)
    attempts = Whole(min_value=1, max_value=limits.COMPARISON_CYCLES)
