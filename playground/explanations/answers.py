"""What explanations look like, for the OpenAPI document; in words: docs/explain.md."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import Anything, by_name, texts


class SentenceAnswer(s.Serializer):
    """English, and what it is made of: a template to translate, and what to put into it."""

    text = s.CharField(allow_blank=True)
    template = s.CharField(allow_blank=True)
    args = by_name(Anything())
    plural = s.CharField(required=False)
    count = s.IntegerField(required=False)


def words(**options: Any) -> s.CharField:
    return s.CharField(allow_blank=True, **options)


def nested(name: str, fields: dict[str, s.Field], **options: Any) -> Any:
    return inline_serializer(f"Explained{name}", fields, **options)


class NodeRanges(s.Serializer):
    count = s.IntegerField()
    ranges = s.ListField(child=s.ListField(child=Anything()))
    omitted = s.IntegerField()


class LookAnswer(s.Serializer):
    what = SentenceAnswer()
    command = words()


def look() -> LookAnswer:
    return LookAnswer(many=True)


Reasons = nested(
    "Reasons",
    {
        "kind": s.CharField(),
        "text": SentenceAnswer(),
        "message": words(),
        "outcome": s.CharField(),
        "count": s.IntegerField(),
        "children": s.ListField(child=Anything()),
    },
)
NodeReasons = nested(
    "Node",
    {
        "node": s.CharField(),
        "state": s.ChoiceField(
            ["chosen", "feasible", "rejected", "dropped", "notEvaluated", "narrowed", "preFilter", "error"]
        ),
        "why": SentenceAnswer(),
        "evicting": SentenceAnswer(allow_null=True),
        "nominated": texts(),
        "plugins": nested(
            "Answer",
            {
                "plugin": s.CharField(),
                "code": s.CharField(),
                "reasons": texts(),
                "ran": s.BooleanField(),
                "facts": nested(
                    "Fact",
                    {"of": words(), "what": SentenceAnswer(), "fails": s.BooleanField(), "data": by_name(Anything())},
                    many=True,
                ),
            },
            many=True,
        ),
    },
)


class Calculation(s.Serializer):
    lines = nested(
        "Line",
        {"of": words(), "what": SentenceAnswer(), "formula": words(), "value": s.FloatField(allow_null=True)},
        many=True,
    )
    value = s.IntegerField()


def formula(name: str, **options: Any) -> Any:
    return nested(name, {"formula": words(), "value": s.IntegerField()}, **options)


Ledger = nested(
    "Ledger",
    {
        "node": s.CharField(),
        "scored": s.BooleanField(),
        "why": SentenceAnswer(),
        "plugins": nested(
            "Score",
            {
                "plugin": s.CharField(),
                "strategy": s.CharField(required=False),
                "weight": s.IntegerField(),
                "raw": Calculation(),
                "normalized": Calculation(allow_null=True),
                "weighted": formula("Weighted"),
            },
            many=True,
            required=False,
        ),
        "skipped": texts(required=False),
        "extenders": nested(
            "ExtenderScore", {"extender": s.CharField(), "value": s.IntegerField()}, many=True, required=False
        ),
        "total": formula("Total", required=False, allow_null=True),
        "best": s.IntegerField(required=False),
        "rank": s.IntegerField(required=False),
        "ties": texts(required=False),
    },
)


class SideAnswer(s.Serializer):
    raw = s.IntegerField()
    normalized = s.IntegerField()
    weighted = s.IntegerField()


Comparison = nested(
    "Comparison",
    {
        "a": s.CharField(),
        "b": s.CharField(),
        "why": SentenceAnswer(),
        "decided": nested(
            "Decided",
            {
                "by": s.ChoiceField(["score", "extenders", "draw", "filter", "nothing"]),
                "plugin": s.CharField(allow_null=True),
            },
        ),
        "rejected": by_name(nested("RejectedNode", {"plugin": s.CharField(), "reasons": texts()})),
        "gap": s.IntegerField(allow_null=True),
        "plugins": nested(
            "Difference",
            {
                "plugin": s.CharField(),
                "weight": s.IntegerField(),
                "a": SideAnswer(),
                "b": SideAnswer(),
                "difference": s.IntegerField(),
            },
            many=True,
        ),
        "extenders": by_name(s.IntegerField(), allow_null=True),
    },
)
Spread = nested(
    "Spread",
    {
        "origin": s.ChoiceField(["pod", "profile", "system"]),
        "constraints": nested(
            "Constraint",
            {
                "index": s.IntegerField(),
                "hard": s.BooleanField(),
                "enforced": s.BooleanField(),
                "topologyKey": s.CharField(),
                "maxSkew": s.IntegerField(),
                "minDomains": s.IntegerField(allow_null=True),
                "selector": words(),
                "own": s.BooleanField(),
                "nodeAffinityPolicy": s.CharField(),
                "nodeTaintsPolicy": s.CharField(),
                "lowest": s.IntegerField(),
                "domainCount": s.IntegerField(),
                "weight": s.FloatField(allow_null=True),
                "nodes": by_name(s.IntegerField()),
                "domains": nested(
                    "Domain",
                    {
                        "domain": words(),
                        "pods": s.IntegerField(),
                        "nodes": s.IntegerField(),
                        "eligible": s.IntegerField(),
                        "skew": s.IntegerField(required=False),
                        "fits": s.BooleanField(required=False),
                        "score": s.FloatField(required=False),
                    },
                    many=True,
                ),
                "omitted": s.IntegerField(),
            },
            many=True,
        ),
    },
)
SpreadPods = nested(
    "SpreadPods",
    {
        "pods": nested(
            "SpreadPod",
            {"pod": s.CharField(), "node": s.CharField(), "counts": s.BooleanField(), "why": SentenceAnswer()},
            many=True,
        )
    },
)


class VictimAnswer(s.Serializer):
    pod = s.CharField()
    priority = s.IntegerField()
    started = s.CharField(allow_null=True)
    budgets = texts()


def victims() -> VictimAnswer:
    return VictimAnswer(many=True)


Preemption = nested(
    "PreemptionOrNone",
    {
        "preemption": nested(
            "Preemption",
            {
                "code": s.CharField(),
                "message": words(),
                "meaning": SentenceAnswer(allow_null=True),
                "why": SentenceAnswer(allow_null=True),
                "nodes": by_name(s.IntegerField()),
                "notHelpful": NodeRanges(),
                "withoutVictims": NodeRanges(),
                "criteria": nested(
                    "Criterion",
                    {
                        "id": s.CharField(),
                        "what": SentenceAnswer(),
                        "best": s.FloatField(allow_null=True),
                        "left": s.IntegerField(),
                        "decides": s.BooleanField(),
                    },
                    many=True,
                ),
                "candidates": nested(
                    "Candidate",
                    {
                        "node": s.CharField(),
                        "chosen": s.BooleanField(),
                        "victims": victims(),
                        "reprieved": victims(),
                        "pdbViolations": s.IntegerField(),
                        "costs": by_name(s.FloatField(allow_null=True)),
                        "outBy": s.CharField(allow_null=True),
                    },
                    many=True,
                ),
                "omitted": s.IntegerField(),
                "nominatedNode": s.CharField(allow_null=True),
                "ties": texts(),
                "clearedNominations": texts(),
            },
            allow_null=True,
        )
    },
)
Timings = nested(
    "Timings",
    {
        "measured": s.ChoiceField(["rerun"]),
        "steps": nested(
            "TimedStep",
            {"point": s.CharField(), "plugin": words(), "code": s.CharField(), "seconds": s.FloatField()},
            many=True,
        ),
    },
)


TimedPlugin = nested(
    "TimedPlugin",
    {
        "plugin": words(),
        "runs": s.IntegerField(),
        "skips": s.IntegerField(),
        "seconds": s.FloatField(),
        "longest": s.FloatField(),
    },
    many=True,
)
ClusterTimings = nested(
    "ClusterTimings",
    {
        "measured": s.ChoiceField(["run"]),
        "attempts": s.IntegerField(),
        "seconds": s.FloatField(),
        "points": nested(
            "TimedPoint",
            {"point": s.CharField(), "seconds": s.FloatField(), "plugins": TimedPlugin},
            many=True,
        ),
    },
)


class DecodedPart(s.Serializer):
    text = words()
    count = s.IntegerField(allow_null=True)
    reason = words()
    known = s.BooleanField()
    plugin = words()
    point = words()
    meaning = SentenceAnswer(allow_null=True)
    look = look()
    evicting = words()
    versions = words()
    details = by_name(Anything())


Decoded = nested(
    "Decoded",
    {
        "text": words(),
        "kind": s.ChoiceField(["noFit", "scaleUp", "other"]),
        "total": s.IntegerField(allow_null=True),
        "fit": s.IntegerField(allow_null=True),
        "parts": DecodedPart(many=True),
        "postFilter": DecodedPart(many=True),
        "preemption": nested(
            "DecodedPreemption",
            {"total": s.IntegerField(allow_null=True), "parts": DecodedPart(many=True)},
            allow_null=True,
        ),
        "notes": SentenceAnswer(many=True),
        "recognised": s.BooleanField(),
    },
)
Plain = nested("PlainWords", {"pattern": s.CharField(), "plain": s.CharField()}, many=True)
Glossary = nested(
    "Word", {"kind": s.CharField(), "name": s.CharField(), "text": SentenceAnswer(), "url": s.CharField()}, many=True
)
