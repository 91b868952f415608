"""Serializers for requests about branches."""

from rest_framework import serializers

from playground.api.forms import Keyed, PointField, number_field
from playground.api.strict_fields import Name


class NewBranch(Keyed):
    name = Name(max_length=100, required=False)
    at = PointField()


class BranchesQuery(serializers.Serializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        # `with` is a Python keyword.
        return {"with": number_field()}
