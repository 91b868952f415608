"""Serializer fields that accept only the exact JSON type, and reject unknown fields."""

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from kube_objects.sentences import say
from playground.request_language import DIRECTION_CHARACTERS, in_words

# No control characters, and none that change the text direction. The OpenAPI document has this pattern, too.
PLAIN = rf"^[^\x00-\x1f\x7f-\x9f{DIRECTION_CHARACTERS}]*\Z"
# The same pattern in JSON Schema's syntax.
PLAIN_PATTERN = PLAIN.replace("\\Z", "$")


class StrictSerializer(serializers.Serializer):
    """A body that must be an object without unknown fields."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            unknown = sorted(str(name) for name in data if name not in self.fields)
            if unknown:
                rule = in_words(say("unknown field; the fields are: {names}", names=", ".join(self.fields)))
                raise serializers.ValidationError({name: [rule] for name in unknown})
        return super().to_internal_value(data)


class Text(serializers.CharField):
    """A text field that keeps leading and trailing spaces."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Name(Text):
    """A display name: one line without characters that change the text direction."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.validators.append(
            RegexValidator(PLAIN, "has control characters, such as those that turn the direction of text")
        )


class Whole(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class Number(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if not isinstance(data, int | float) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data
