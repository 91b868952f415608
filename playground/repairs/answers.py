"""What repairs look like, for the OpenAPI document; in words: docs/repair.md."""

from rest_framework import serializers as s

from playground.api.answers import Anything, by_name, texts
from playground.api.forms import numbered
from playground.api.strict import StrictSerializer, Text
from playground.explanations.answers import SentenceAnswer, nested
from scheduler_core.edits.costs import COSTS, GROUPS, MAX_COST, MAX_LOCK, MAX_LOCKS

KINDS = list(COSTS)


class RepairsQuery(s.Serializer):
    """`cycle`: just before that cycle; without it the cluster is as it is now."""

    pod = s.CharField(max_length=317)
    cycle = numbered(required=False)


class Costs(StrictSerializer):
    """`costs`: those that differ from the usual ones."""

    costs = s.DictField(child=s.IntegerField(min_value=1, max_value=MAX_COST, allow_null=True))
    locks = s.ListField(child=Text(max_length=MAX_LOCK), max_length=MAX_LOCKS)


CostsAnswer = nested(
    "Costs",
    {
        "costs": nested(
            "Cost",
            {
                "kind": s.ChoiceField(KINDS),
                "what": SentenceAnswer(),
                "group": s.ChoiceField(list(GROUPS)),
                "of": SentenceAnswer(),
                "default": s.IntegerField(),
                "cost": s.IntegerField(allow_null=True),
            },
            many=True,
        ),
        "locks": texts(),
    },
)
_EDIT: dict[str, s.Field] = {
    "kind": s.ChoiceField(KINDS),
    "object": by_name(s.CharField()),
    "path": s.CharField(required=False),
    "from": Anything(required=False, allow_null=True),
    "to": Anything(required=False, allow_null=True),
    "cost": s.IntegerField(),
    "sentence": SentenceAnswer(),
    "kubectl": s.CharField(),
    "note": SentenceAnswer(required=False),
}
_EFFECT: dict[str, s.Field] = {"kind": s.CharField(), "pod": s.CharField(allow_blank=True), "what": SentenceAnswer()}
_REPAIR: dict[str, s.Field] = {
    "edits": nested("Edit", _EDIT, many=True),
    "cost": s.IntegerField(),
    "node": s.CharField(),
    "verified": s.BooleanField(),
    "claim": s.ChoiceField(["minimum", "minimal", "found"]),
    "side_effects": nested("SideEffect", _EFFECT, many=True),
    "commands": s.ListField(child=Anything()),
    "inverse": s.ListField(child=Anything()),
}
RepairsAnswer = nested(
    "Repairs",
    {
        "pod": s.CharField(),
        "repairs": nested("Repair", _REPAIR, many=True),
        "searched": by_name(s.IntegerField()),
        "exhaustive": s.BooleanField(),
        "why": SentenceAnswer(allow_null=True),
        "finished": s.BooleanField(),
        "seconds": s.FloatField(),
    },
)
