"""The fields of requests about clusters and their commands."""

from rest_framework import serializers

from playground import limits
from playground.api.strict_fields import Flag, Name, Number, StrictSerializer, Text, Whole
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates.table import MAX_TEXT as MAX_GATES


class NewCluster(StrictSerializer):
    name = Name(max_length=100)
    example = Text(max_length=63, required=False)
    seed = Whole(min_value=0, max_value=2**63 - 1, required=False)
    config = Text(required=False, allow_blank=True, max_length=limits.OTHER_BYTES)
    emulates = serializers.ChoiceField(list(EMULATIONS), required=False)
    featureGates = Text(required=False, allow_blank=True, max_length=MAX_GATES)  # noqa: N815


class Renamed(StrictSerializer):
    name = Name(max_length=100)


class Pace(StrictSerializer):
    """The pace of runs. Missing fields keep their values."""

    cycles_per_second = Number(min_value=0, max_value=limits.CYCLES_PER_SECOND, required=False)
    seconds_per_second = Number(min_value=0, max_value=limits.SECONDS_PER_SECOND, required=False)
    live = Flag(required=False)
