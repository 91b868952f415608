"""What requests about upgrades may say."""

from rest_framework import serializers

from playground.api.forms import numbered
from scheduler_core.emulations import EMULATIONS
from scheduler_core.gates.table import MAX_TEXT as MAX_GATES


class UpgradeQuery(serializers.Serializer):
    """`gates`: feature gates of the other version, as `--feature-gates` takes them."""

    to = serializers.ChoiceField(list(EMULATIONS))
    gates = serializers.CharField(required=False, allow_blank=True, default="", max_length=MAX_GATES)


class UpgradePartQuery(UpgradeQuery):
    """`revision`: that of the report which is gone on with."""

    revision = numbered(required=False)
