"""What is said before and after a change, for the OpenAPI document."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import by_name, texts
from playground.api.explanations import SentenceAnswer
from playground.api.typed import serializer_of
from playground.selectors.changes import Change

_NAMED = inline_serializer("Named", {"count": s.IntegerField(), "names": texts()})
ResetAnswer = inline_serializer(
    "ResetPlan",
    {
        "keeps": inline_serializer(
            "ResetKeeps",
            {
                "cordoned": _NAMED,
                "uncordoned": _NAMED,
                "changes": serializer_of(Change)(many=True),
                "more": s.IntegerField(),
            },
        ),
        "undoes": inline_serializer(
            "ResetUndoes",
            {
                **dict.fromkeys(("placed", "ended", "gone", "nodes", "written"), _NAMED),
                "seconds": s.FloatField(),
                "seed": by_name(s.IntegerField(), allow_null=True),
            },
        ),
    },
)
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
