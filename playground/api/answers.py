"""Parts of answers that are described by hand, for the OpenAPI document; most are made from types, see `typed`."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.typed import serializer_of
from playground.configs.past import Translated
from playground.problems import Problem


class Anything(s.JSONField):
    """A Kubernetes object, or a record of docs/trace_format.md."""


def integers(**options: Any) -> s.ListField:
    return s.ListField(child=s.IntegerField(), **options)


def texts(**options: Any) -> s.ListField:
    return s.ListField(child=s.CharField(allow_blank=True, **options))


def by_name(child: s.Field, **options: Any) -> s.DictField:
    return s.DictField(child=child, **options)


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
