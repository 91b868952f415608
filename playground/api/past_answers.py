"""What the answers about configurations of past releases say, for the OpenAPI document."""

from rest_framework import serializers as s


class TranslatedLine(s.Serializer):
    path = s.CharField(allow_blank=True)
    value = s.CharField(allow_blank=True)
    line = s.IntegerField(allow_null=True)
    became = s.CharField(allow_blank=True)
    explanation = s.CharField(allow_blank=True)
    removed_in = s.CharField(allow_blank=True)


class TranslationProblem(s.Serializer):
    path = s.CharField(allow_blank=True)
    message = s.CharField(allow_blank=True)
    hint = s.CharField(required=False)
    line = s.IntegerField(required=False)


class Translated(s.Serializer):
    """What a text of a past release is, and what it means today; `what` is "" for a text that is none."""

    what = s.CharField(allow_blank=True)
    removed_in = s.CharField(allow_blank=True)
    where = s.CharField(allow_blank=True)
    yaml = s.CharField(allow_blank=True)
    lines = TranslatedLine(many=True)
    problems = TranslationProblem(many=True)
