"""What requests about repairs may say."""

from rest_framework import serializers as s

from playground.api.forms import numbered
from playground.api.strict import StrictSerializer, Text
from scheduler_core.edits.costs import MAX_COST, MAX_LOCK, MAX_LOCKS


class RepairsQuery(s.Serializer):
    """`cycle`: just before that cycle; without it the cluster is as it is now."""

    pod = Text(max_length=317)
    cycle = numbered(required=False)


class ManyQuery(s.Serializer):
    """`pods`: a pattern of NS/POD; `owner`: KIND NS/NAME, as `owners` of an answer has it."""

    pods = Text(max_length=317, required=False, default="*")
    owner = Text(max_length=400, required=False, default="")
    cycle = numbered(required=False)


class Costs(StrictSerializer):
    """`costs`: those that differ from the usual ones."""

    costs = s.DictField(child=s.IntegerField(min_value=1, max_value=MAX_COST, allow_null=True))
    locks = s.ListField(child=Text(max_length=MAX_LOCK), max_length=MAX_LOCKS)
