"""What the answers about configurations say, of now and of then, for the OpenAPI document."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import Anything, texts

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
_DRAFT_OUTCOME: type[s.Serializer] = type(
    "DraftOutcome",
    (s.Serializer,),
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
_DRAFT_NODES: type[s.Serializer] = type(
    "DraftNodes",
    (s.Serializer,),
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
        "before": _DRAFT_OUTCOME(),
        "after": _DRAFT_OUTCOME(),
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
        "passes": _DRAFT_NODES(),
        "fails": _DRAFT_NODES(),
    },
)
