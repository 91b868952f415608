"""What imports answer."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import by_name, texts
from playground.api.typed import serializer_of
from playground.configs.past import Translated
from playground.problems import Problem

ImportAnswer = inline_serializer(
    "Imported",
    {
        "format": s.ChoiceField(["objects", "scenario", "configuration", "trace"]),
        "counts": by_name(s.IntegerField()),
        "unused": inline_serializer(
            "Unused",
            {
                "kind": s.CharField(),
                "path": s.CharField(allow_blank=True),
                "count": s.IntegerField(),
                "document": s.IntegerField(),
                "key": s.CharField(allow_blank=True),
            },
            many=True,
        ),
        "notes": texts(),
        "podless": by_name(s.IntegerField()),
        "configuration": inline_serializer(
            "ImportedConfiguration",
            {
                "where": s.CharField(),
                "taken": s.BooleanField(),
                "problems": serializer_of(Problem)(many=True),
                "offers": texts(),
                "lost": texts(),
                "past": serializer_of(Translated)(allow_null=True),
            },
            allow_null=True,
        ),
        "problems": serializer_of(Problem)(many=True),
        "command": s.IntegerField(required=False),
        "trace": inline_serializer(
            "TraceCheck",
            {
                "records": s.IntegerField(),
                "same": s.BooleanField(),
                "differs_at": s.IntegerField(allow_null=True),
            },
            required=False,
        ),
    },
)
