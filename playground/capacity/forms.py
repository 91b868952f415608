"""Serializers for requests about capacity."""

from rest_framework import serializers

from playground.api.forms import number_field
from playground.api.strict_fields import Text


class CapacityQuery(serializers.Serializer):
    """The cluster just before `cycle`; without it, as it is now."""

    cycle = number_field(required=False)


class CopiesQuery(CapacityQuery):
    """The Pod to copy: `pod`."""

    pod = Text(max_length=317)


class NodesQuery(CapacityQuery):
    """The Nodes to choose from: `groups` is `NODE=PRICE,…`; without it, each existing shape at price 1."""

    groups = Text(max_length=4000, required=False, default="")

    def validate_groups(self, text: str) -> dict[str, float]:
        prices = {}
        for part in filter(None, text.split(",")):
            name, _, price = part.partition("=")
            try:
                prices[name] = float(price or 1)
            except ValueError:
                prices[name] = 0.0
            if not 0 < prices[name] < 1e12:
                raise serializers.ValidationError(f"{part}: the price must be a number above 0")
        return prices


class FailuresQuery(CapacityQuery):
    """The failure domains: each value of the topology key `by` fails alone; without it, each Node."""

    by = Text(max_length=317, required=False, default="")
