"""What requests about capacity may say."""

from rest_framework import serializers

from playground.api.forms import numbered
from playground.api.strict import Text


class Moment(serializers.Serializer):
    """`cycle`: just before that cycle; without it the cluster is as it is now."""

    cycle = numbered(required=False)


class CopiesQuery(Moment):
    """`pod`: the one whose copies are placed."""

    pod = Text(max_length=317)


class NodesQuery(Moment):
    """`groups`: `NODE=PRICE,…`, nodes that can be had; without it each shape that is there, for 1."""

    groups = Text(max_length=4000, required=False, default="")

    def validate_groups(self, text: str) -> dict[str, float]:
        found = {}
        for part in filter(None, text.split(",")):
            name, _, price = part.partition("=")
            try:
                found[name] = float(price or 1)
            except ValueError:
                found[name] = 0.0
            if not 0 < found[name] < 1e12:
                raise serializers.ValidationError(f"{part}: the price must be a number above 0")
        return found


class FailuresQuery(Moment):
    """`by`: a topology key, each of its values fails by itself; without it each node."""

    by = Text(max_length=317, required=False, default="")
