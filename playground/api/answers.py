"""What answers say, for the OpenAPI document. Views return the selectors' data as it is; a test holds both together."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s

from playground.api.past_answers import Translated


class Anything(s.JSONField):
    """A Kubernetes object, or a record of docs/trace_format.md."""


class ProblemAnswer(s.Serializer):
    path = s.CharField(allow_blank=True)
    value = s.JSONField(required=False)
    rule = s.CharField()
    hint = s.CharField(required=False)
    document = s.IntegerField(required=False)
    line = s.IntegerField(required=False)
    file = s.CharField(required=False)


class Problems(s.Serializer):
    """`offers`: options with which the same request would be carried out; `lost`: what that loses."""

    problems = ProblemAnswer(many=True)
    offers = s.ListField(child=s.CharField(), required=False)
    lost = s.ListField(child=s.CharField(), required=False)


def integers(**options: Any) -> s.ListField:
    return s.ListField(child=s.IntegerField(), **options)


def texts(**options: Any) -> s.ListField:
    return s.ListField(child=s.CharField(allow_blank=True, **options))


def by_name(child: s.Field, **options: Any) -> s.DictField:
    return s.DictField(child=child, **options)


class Running(s.Serializer):
    number = s.IntegerField()
    kind = s.CharField()
    records = s.IntegerField()
    cycles = s.IntegerField()
    total = s.IntegerField(required=False)


class LeaseAnswer(s.Serializer):
    holder = s.CharField()
    expires_in = s.FloatField()
    lost = s.BooleanField()


class Fork(s.Serializer):
    seq = s.IntegerField()
    cycle = s.IntegerField()
    t = s.FloatField()


class Change(s.Serializer):
    number = s.IntegerField()
    what = s.CharField()


class ClusterAnswer(s.Serializer):
    id = s.IntegerField()
    name = s.CharField()
    created = s.DateTimeField()
    example = s.CharField(allow_null=True)
    lesson = s.CharField(allow_null=True)
    owner = s.CharField()
    emulates = s.CharField()
    seed = s.IntegerField()
    revision = s.IntegerField()
    t = s.FloatField()
    cycle = s.IntegerField()
    first_cycle = s.IntegerField()
    counts = by_name(s.IntegerField())
    lanes = by_name(s.IntegerField())
    state = s.ChoiceField(["idle", "queued", "running", "paused"])
    running = Running(allow_null=True)
    lease = LeaseAnswer(allow_null=True)
    config_version = s.IntegerField()
    pace = s.FloatField()
    branch = inline_serializer(
        "BranchOf",
        {"name": s.CharField(), "parent": s.IntegerField(allow_null=True), "fork": Fork(allow_null=True)},
    )
    breakpoints = s.IntegerField()
    stopped_by = Anything(allow_null=True)
    can_undo = Change(allow_null=True)
    can_redo = Change(allow_null=True)


class CommandAccepted(s.Serializer):
    number = s.IntegerField()
    state = s.CharField()


CommandAnswer = inline_serializer(
    "Command",
    {
        "number": s.IntegerField(),
        "kind": s.CharField(),
        "state": s.ChoiceField(["queued", "running", "done", "failed", "stopped"]),
        "records": s.IntegerField(),
        "progress": inline_serializer(
            "Progress", {"cycles": s.IntegerField(), "total": s.IntegerField(required=False)}, required=False
        ),
        "problems": ProblemAnswer(many=True, required=False),
        "stopped_by": Anything(required=False),
        "undoes": s.IntegerField(required=False),
    },
)
Branches = inline_serializer(
    "Branch",
    {
        "id": s.IntegerField(),
        "name": s.CharField(),
        "parent": s.IntegerField(allow_null=True),
        "fork": Fork(allow_null=True),
        "revision": s.IntegerField(),
        "t": s.FloatField(),
        "cycle": s.IntegerField(),
        "created": s.DateTimeField(),
        "current": s.BooleanField(),
    },
    many=True,
)
BranchCycle = inline_serializer(
    "BranchCycle",
    {
        "number": s.IntegerField(),
        "pod": s.CharField(),
        "outcome": s.CharField(),
        "node": s.CharField(allow_null=True),
        "message": s.CharField(allow_blank=True),
    },
    allow_null=True,
)
Place = inline_serializer("Place", {"node": s.CharField(allow_null=True), "lane": s.CharField()}, allow_null=True)
Comparison = inline_serializer(
    "Comparison",
    {
        "common": inline_serializer("Common", {"seq": s.IntegerField(), "cycle": s.IntegerField()}),
        "divergence": inline_serializer(
            "Divergence", {"cycle": s.IntegerField(), "a": BranchCycle, "b": BranchCycle}, allow_null=True
        ),
        "moved": inline_serializer("Moved", {"pod": s.CharField(), "a": Place, "b": Place}, many=True),
        "moved_total": s.IntegerField(),
        "counts": inline_serializer("BothCounts", {"a": by_name(s.IntegerField()), "b": by_name(s.IntegerField())}),
    },
)
Records = inline_serializer("Records", {"records": s.ListField(child=Anything()), "last": s.IntegerField()})
Timeline = inline_serializer(
    "Timeline",
    {
        "from": s.IntegerField(),
        "to": s.IntegerField(),
        "seq": integers(),
        "t": s.ListField(child=s.FloatField()),
        "pod": texts(),
        "node": texts(allow_null=True),
        "outcome": texts(),
        "stopped": inline_serializer("Stopped", {"cycle": s.IntegerField(), "by": Anything()}, many=True),
    },
)
MatrixAnswer = inline_serializer(
    "Matrix",
    {
        "epoch": s.IntegerField(),
        "names": texts(),
        "status": integers(),
        "statuses": s.ListField(child=Anything()),
        "filterPlugins": texts(),
        "feasible": integers(),
        "scorePlugins": texts(),
        "weights": integers(),
        "raw": s.ListField(child=integers()),
        "normalized": s.ListField(child=integers()),
        "totals": integers(),
        "complete": s.BooleanField(required=False),
        "evaluated": s.IntegerField(required=False),
        "verdicts": s.ListField(child=integers(), required=False),
    },
)
Nodes = inline_serializer(
    "Nodes",
    {
        "revision": s.IntegerField(),
        "cycle": s.IntegerField(required=False),
        "names": texts(),
        "labels": by_name(texts()),
        "resources": texts(),
        "allocatable": by_name(integers()),
        "requested": by_name(integers()),
        "pods": integers(),
        "unschedulable": s.ListField(child=s.BooleanField()),
        "taints": s.ListField(child=texts()),
    },
)
NodeChanges = inline_serializer(
    "NodeChanges",
    {
        "revision": s.IntegerField(),
        "cycle": s.IntegerField(required=False),
        "whole": s.BooleanField(),
        "names": texts(),
        "requested": by_name(integers()),
        "pods": integers(),
    },
)
Placed = inline_serializer(
    "Placed",
    {"revision": s.IntegerField(), "cycle": s.IntegerField(required=False), "pods": by_name(texts())},
)
NodeAnswer = inline_serializer(
    "Node",
    {
        "manifest": Anything(),
        "pods": inline_serializer(
            "NodePod",
            {"pod": s.CharField(), "priority": s.IntegerField(), "requests": by_name(s.IntegerField())},
            many=True,
        ),
    },
)
Queue = inline_serializer(
    "Queue",
    {
        "revision": s.IntegerField(),
        "cycle": s.IntegerField(required=False),
        "counts": by_name(s.IntegerField()),
        "lanes": by_name(
            inline_serializer(
                "QueuedPod",
                {
                    "pod": s.CharField(),
                    "uid": s.CharField(allow_blank=True),
                    "priority": s.IntegerField(),
                    "attempts": s.IntegerField(),
                    "since": s.FloatField(),
                    "backoff_until": s.FloatField(required=False),
                    "plugins": texts(),
                    "gate": s.CharField(required=False),
                    "moved": by_name(s.CharField(), required=False),
                },
                many=True,
            )
        ),
    },
)
PodAnswer = inline_serializer(
    "Pod",
    {
        "manifest": Anything(allow_null=True),
        "requests": by_name(s.IntegerField()),
        "node": s.CharField(allow_null=True),
        "lane": s.CharField(),
        "cycles": inline_serializer(
            "PodCycle",
            {
                "number": s.IntegerField(),
                "attempt": s.IntegerField(),
                "outcome": s.CharField(),
                "node": s.CharField(allow_null=True),
                "message": s.CharField(allow_blank=True),
            },
            many=True,
        ),
        "events": inline_serializer(
            "PodEvent",
            {
                "seq": s.IntegerField(),
                "t": s.FloatField(),
                "type": s.CharField(),
                "reason": s.CharField(),
                "message": s.CharField(allow_blank=True),
            },
            many=True,
        ),
    },
)
PodMovesAnswer = inline_serializer(
    "PodMoves",
    {
        "moves": s.ListField(child=Anything()),
        "omitted": s.IntegerField(),
    },
)
Objects = inline_serializer(
    "Objects",
    {
        "total": s.IntegerField(),
        "objects": inline_serializer(
            "ObjectEntry",
            {
                "kind": s.CharField(),
                "key": s.CharField(),
                "node": s.CharField(allow_null=True, required=False),
                "lane": s.CharField(required=False),
            },
            many=True,
        ),
    },
)
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
                "problems": ProblemAnswer(many=True),
                "offers": texts(),
                "lost": texts(),
                "past": Translated(allow_null=True),
            },
            allow_null=True,
        ),
        "problems": ProblemAnswer(many=True),
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
Examples = inline_serializer(
    "Example",
    {
        "slug": s.CharField(),
        "title": s.CharField(),
        "story": s.CharField(),
        "nodes": s.IntegerField(),
        "pods": s.IntegerField(),
    },
    many=True,
)
Conformance = inline_serializer(
    "Conformance",
    {
        "emulates": s.CharField(),
        "families": inline_serializer(
            "Family", {"family": s.CharField(), "passed": s.IntegerField(), "total": s.IntegerField()}, many=True
        ),
    },
)
