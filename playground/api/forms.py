"""Serializers and fields that several packages' requests share."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from playground import limits
from playground.api.strict_fields import StrictSerializer, Text

LARGEST = 10**18 - 1


def number_field(**options: Any) -> serializers.IntegerField:
    """Return a query field for the number of a record, cycle or command."""
    return serializers.IntegerField(min_value=0, max_value=LARGEST, **options)


class Keyed(StrictSerializer):
    """A write that has only an idempotency key."""

    key = Text(required=False, allow_null=True, min_length=1, max_length=limits.COMMAND_KEY)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "enum": ["now"]},
            *(
                {
                    "type": "object",
                    "properties": {name: {"type": "integer", "minimum": 0, "maximum": LARGEST}},
                    "required": [name],
                    "additionalProperties": False,
                }
                for name in ("cycle", "seq")
            ),
        ]
    }
)
class PointField(serializers.Field):
    """A point of the history: `{"cycle": n}`, `{"seq": n}` or "now"."""

    def to_internal_value(self, data: Any) -> Any:
        if data == "now":
            return data
        if isinstance(data, dict) and len(data) == 1:
            ((name, number),) = data.items()
            is_whole = isinstance(number, int) and not isinstance(number, bool)
            if name in ("cycle", "seq") and is_whole and 0 <= number <= LARGEST:
                return data
        raise serializers.ValidationError('must be {"cycle": number}, {"seq": number} or "now"')

    def to_representation(self, value: Any) -> Any:
        return value


class CycleQuery(serializers.Serializer):
    cycle = number_field(required=False)


class NodeNamesQuery(CycleQuery):
    nodes = Text(max_length=254 * limits.NODES_ASKED)

    def validate_nodes(self, value: str) -> list[str]:
        names = value.split(",")
        if len(names) > limits.NODES_ASKED:
            raise serializers.ValidationError(f"names {len(names)} nodes, at most {limits.NODES_ASKED} at a time")
        return names


class LanguageQuery(serializers.Serializer):
    """The language to answer in, such as `ko` or `zh-hans`; without it the browser's."""

    lang = serializers.RegexField(r"^[a-z]{2}(-[a-z]+)?$", max_length=20, required=False)
