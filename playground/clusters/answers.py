"""What is said before and after a change, for the OpenAPI document."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.explanations.answers import SentenceAnswer

EffectAnswer = inline_serializer(
    "Effect",
    {
        "number": s.IntegerField(),
        "what": s.CharField(allow_blank=True),
        "moved": inline_serializer(
            "Journey",
            {
                **{name: s.CharField() for name in ("pod", "from", "to")},
                **{name: s.CharField(allow_blank=True) for name in ("event", "plugin", "hint")},
            },
            many=True,
        ),
        "moved_total": s.IntegerField(),
        "stayed": inline_serializer(
            "Stayed",
            {
                "pod": s.CharField(),
                "lane": s.CharField(),
                "why": SentenceAnswer(),
                "helps": s.ListField(child=s.ChoiceField(["activate", "recreate"])),
            },
            many=True,
        ),
        "stayed_total": s.IntegerField(),
    },
)
