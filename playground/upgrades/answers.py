"""The shape of an upgrade report."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import by_name
from scheduler_core.upgrade.changes import KINDS


class Said(s.Serializer):
    outcome = s.ChoiceField(["placed", "preempts", "unschedulable", "error", "gated", "ignored"])
    node = s.CharField(allow_null=True)
    message = s.CharField(allow_blank=True)


class UpgradeDifference(s.Serializer):
    pod = s.CharField()
    kind = s.ChoiceField(KINDS)
    old = Said()
    new = Said()
    node = s.CharField(allow_null=True)
    scores = s.ListField(child=s.IntegerField(), allow_null=True)


class UpgradeChange(s.Serializer):
    plugin = s.CharField(allow_blank=True)
    since = s.CharField()
    sentence = s.CharField()
    upstream = s.CharField()


class UpgradeGroup(s.Serializer):
    plugins = s.ListField(child=s.CharField(allow_blank=True))
    changes = UpgradeChange(many=True)
    counts = by_name(s.IntegerField())
    examples = UpgradeDifference(many=True)


class UpgradeMoved(s.Serializer):
    pod = s.CharField()
    old = s.CharField(allow_null=True)
    new = s.CharField(allow_null=True)
    direct = s.BooleanField()


UpgradeReport = inline_serializer(
    "UpgradeReport",
    {
        "old": s.CharField(),
        "new": s.CharField(),
        "pods": s.IntegerField(),
        "attempts": s.IntegerField(),
        "errors": s.ListField(child=s.CharField()),
        "configuration": s.ListField(child=s.CharField()),
        "groups": UpgradeGroup(many=True),
        "moved": UpgradeMoved(many=True),
        "kinds": by_name(s.IntegerField()),
    },
)
