"""Serializers for requests about upgrades."""

from rest_framework import serializers

from playground.api.forms import number_field
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates.table import MAX_TEXT as MAX_GATES


class UpgradeQuery(serializers.Serializer):
    """The other version. `gates` are its feature gates, as `--feature-gates` takes them."""

    to = serializers.ChoiceField(list(EMULATIONS))
    gates = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_GATES)


class UpgradePartQuery(UpgradeQuery):
    """The report to continue: the one that was started at `revision`."""

    revision = number_field(required=False)
