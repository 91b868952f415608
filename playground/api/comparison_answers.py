"""What is said of comparisons, for the OpenAPI document."""

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.answers import Anything, by_name, integers
from playground.api.typed import serializer_of
from playground.problems import Problem
from playground.selectors.lease import LeaseAnswer

STATES = ["queued", "running", "done", "failed", "cancelled"]


SideAnswer = inline_serializer(
    "ComparisonSide",
    {
        "label": s.CharField(),
        "source": s.ChoiceField(["current", "default", "version", "yaml"]),
        "cluster": s.IntegerField(),
        "yaml": s.CharField(required=False),
    },
    many=True,
)


class RunAnswer(s.Serializer):
    side = s.IntegerField()
    seed = s.IntegerField()
    state = s.ChoiceField(STATES)
    cycles = s.IntegerField()
    total = s.IntegerField()
    seconds = s.FloatField(allow_null=True)
    decisions_per_second = s.FloatField(allow_null=True)
    lease = serializer_of(LeaseAnswer)(allow_null=True)
    metrics = by_name(Anything(), allow_null=True)
    problems = serializer_of(Problem)(many=True)


class ComparisonAnswer(s.Serializer):
    id = s.IntegerField()
    created = s.CharField()
    at = s.JSONField()
    sides = SideAnswer
    seeds = integers()
    state = s.ChoiceField(STATES)
    progress = s.FloatField()
    runs = RunAnswer(many=True, required=False)


class AttemptAnswer(s.Serializer):
    cycle = s.IntegerField()
    pod = s.CharField()
    node = s.CharField(allow_null=True)
    outcome = s.CharField()
    message = s.CharField(allow_blank=True)


DifferenceAnswer = inline_serializer(
    "Difference",
    {
        "a": s.IntegerField(),
        "b": s.IntegerField(),
        "seed": s.IntegerField(),
        "divergence": inline_serializer(
            "ComparedDivergence",
            {
                "index": s.IntegerField(),
                "a": AttemptAnswer(allow_null=True),
                "b": AttemptAnswer(allow_null=True),
            },
            allow_null=True,
        ),
        "moved_total": s.IntegerField(),
        "moved": inline_serializer(
            "MovedPod",
            {"pod": s.CharField(), "a": s.CharField(allow_null=True), "b": s.CharField(allow_null=True)},
            many=True,
        ),
    },
)
