"""Serializers for requests about repairs."""

from rest_framework import serializers as s

from playground.api.forms import number_field
from playground.api.strict_fields import StrictSerializer, Text
from scheduler_core.edits.costs import MAX_COST, MAX_LOCK, MAX_LOCKS


class RepairsQuery(s.Serializer):
    """A Pod, and the `cycle` before which its cluster is searched. Without `cycle`, the current cluster is searched."""

    pod = Text(max_length=317)
    cycle = number_field(required=False)


class ManyQuery(s.Serializer):
    """A selection of Pods. `pods` is a pattern of NS/POD; `owner` is KIND NS/NAME, as in an answer's `owners`."""

    pods = Text(max_length=317, required=False, default="*")
    owner = Text(max_length=400, required=False, default="")
    cycle = number_field(required=False)


class Costs(StrictSerializer):
    """Costs that differ from the defaults, and locks."""

    costs = s.DictField(child=s.IntegerField(min_value=1, max_value=MAX_COST, allow_null=True))
    locks = s.ListField(child=Text(max_length=MAX_LOCK), max_length=MAX_LOCKS)
