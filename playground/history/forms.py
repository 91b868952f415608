"""Serializers for requests about the history."""

from rest_framework import serializers

from playground import limits
from playground.api.forms import LARGEST, number_field


class RecordsQuery(serializers.Serializer):
    after = number_field(default=0)
    limit = serializers.IntegerField(min_value=1, max_value=limits.RECORDS_PER_PAGE, default=limits.RECORDS_PER_PAGE)
    brief = serializers.BooleanField(default=False)


class CyclesQuery(serializers.Serializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        # `from` is a Python keyword.
        return {"from": number_field(default=0), "to": number_field(default=LARGEST)}


class MatrixQuery(serializers.Serializer):
    complete = serializers.BooleanField(default=False)
