"""What the answers about configurations say, of now and of then, for the OpenAPI document."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import Anything, by_name, texts
from playground.api.past_answers import Translated

_ABOUT_CONFIG: dict[str, s.Field] = {
    "version": s.IntegerField(),
    "author": s.CharField(allow_blank=True),
    "note": s.CharField(allow_blank=True),
    "created": s.DateTimeField(allow_null=True),
    "seq": s.IntegerField(allow_null=True),
}
ConfigAnswer = inline_serializer(
    "Config", {**_ABOUT_CONFIG, "yaml": s.CharField(), "effective": by_name(Anything()), "origins": Anything()}
)
ConfigVersions = inline_serializer(
    "ConfigVersions",
    {"current": s.IntegerField(), "versions": inline_serializer("ConfigVersion", _ABOUT_CONFIG, many=True)},
)
ConfigForm = inline_serializer(
    "ConfigForm",
    {
        "apiVersion": s.CharField(),
        "kind": s.CharField(),
        "points": texts(),
        "multiPoint": s.ListField(child=Anything()),
        "maxWeight": s.IntegerField(),
        "settings": s.ListField(child=Anything()),
        "extender": s.ListField(child=Anything()),
        "plugins": s.ListField(child=Anything()),
    },
)
_DraftOutcome = inline_serializer(
    "DraftOutcome",
    {
        "outcome": s.CharField(),
        "node": s.CharField(allow_null=True),
        "nominated": s.CharField(allow_null=True),
        "message": s.CharField(allow_blank=True),
        "evaluated": s.IntegerField(),
        "feasible": s.IntegerField(),
        "total": s.IntegerField(allow_null=True),
        "ties": s.IntegerField(),
    },
)
_DraftNodes = inline_serializer(
    "DraftNodes",
    {
        "count": s.IntegerField(),
        "nodes": inline_serializer(
            "DraftNode", {"node": s.CharField(), "plugin": s.CharField(allow_blank=True), "reasons": texts()}, many=True
        ),
    },
)
DraftEffect = inline_serializer(
    "DraftEffect",
    {
        "cycle": s.IntegerField(allow_null=True),
        "pod": s.CharField(),
        "before": _DraftOutcome,
        "after": _DraftOutcome,
        "plugins": inline_serializer(
            "DraftPlugin",
            {
                "plugin": s.CharField(),
                "before": s.IntegerField(allow_null=True),
                "after": s.IntegerField(allow_null=True),
                "moved": s.IntegerField(),
            },
            many=True,
        ),
        "moved": s.IntegerField(),
        "nodes": inline_serializer(
            "DraftScores",
            {
                "node": s.CharField(),
                "before": s.IntegerField(allow_null=True),
                "after": s.IntegerField(allow_null=True),
                "points": s.ListField(child=s.ListField(child=s.IntegerField(allow_null=True))),
            },
            many=True,
        ),
        "omitted": s.IntegerField(),
        "passes": _DraftNodes,
        "fails": _DraftNodes,
    },
)


class ConfigProblem(s.Serializer):
    path = s.CharField(allow_blank=True)
    message = s.CharField()
    hint = s.CharField(required=False)
    line = s.IntegerField(required=False)


ConfigCheck = inline_serializer(
    "ConfigCheck",
    {
        "ok": s.BooleanField(),
        "stage": s.CharField(allow_null=True),
        "problems": ConfigProblem(many=True),
        "warnings": ConfigProblem(many=True, required=False),
        "effective": by_name(Anything(), required=False),
        "origins": Anything(required=False),
        "changes": s.ListField(child=Anything(), required=False),
        "past": Translated(required=False, allow_null=True),
    },
)
PastWords = inline_serializer(
    "PastWord",
    {
        "kind": s.CharField(),
        "then": s.CharField(),
        "now": s.CharField(allow_blank=True),
        "explanation": s.CharField(allow_blank=True),
        "changed_in": s.CharField(allow_blank=True),
    },
    many=True,
)


class GateRow(s.Serializer):
    name = s.CharField()
    stage = s.ChoiceField(["PreAlpha", "Alpha", "Beta", "GA", "Deprecated"])
    default = s.BooleanField()
    locked = s.BooleanField()
    needs = s.ListField(child=s.CharField())
    on = s.BooleanField()
    effect = s.ChoiceField(["changes", "notPlayed", "nothing"])
    text = s.CharField()


class GateTableAnswer(s.Serializer):
    version = s.CharField()
    text = s.CharField()
    gates = GateRow(many=True)
