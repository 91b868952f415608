"""What requests about branches may say."""

from rest_framework import serializers

from playground.api.forms import Keyed, Moment, numbered
from playground.api.strict import Name


class NewBranch(Keyed):
    name = Name(max_length=100, required=False)
    at = Moment()


class BranchesQuery(serializers.Serializer):
    def get_fields(self) -> dict[str, serializers.Field]:
        # `with` is a word of Python's.
        return {"with": numbered()}
