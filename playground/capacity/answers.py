"""What capacity looks like, for the OpenAPI document; in words: docs/capacity.md."""

from rest_framework import serializers as s

from playground.api.answers import by_name, nested, texts
from playground.api.forms import numbered

_SO_FAR: dict[str, s.Field] = {"finished": s.BooleanField(), "seconds": s.FloatField()}


class Moment(s.Serializer):
    """`cycle`: just before that cycle; without it the cluster is as it is now."""

    cycle = numbered(required=False)


class CopiesQuery(Moment):
    """`pod`: the one whose copies are placed."""

    pod = s.CharField(max_length=317)


class NodesQuery(Moment):
    """`groups`: `NODE=PRICE,…`, nodes that can be had; without it each shape that is there, for 1."""

    groups = s.CharField(max_length=4000, required=False, default="")

    def validate_groups(self, text: str) -> dict[str, float]:
        found = {}
        for part in filter(None, text.split(",")):
            name, _, price = part.partition("=")
            try:
                found[name] = float(price or 1)
            except ValueError:
                found[name] = 0.0
            if not 0 < found[name] < 1e12:
                raise s.ValidationError(f"{part}: the price must be a number above 0")
        return found


class FailuresQuery(Moment):
    """`by`: a topology key, each of its values fails by itself; without it each node."""

    by = s.CharField(max_length=317, required=False, default="")


CopiesAnswer = nested(
    "Copies",
    {"placed": s.IntegerField(), "nodes": by_name(s.IntegerField()), "stopped": s.CharField(), **_SO_FAR},
)
NodesAnswer = nested(
    "NodesToAdd",
    {
        "groups": texts(),
        "runs": s.IntegerField(),
        "addition": nested(
            "Addition",
            {
                "nodes": by_name(s.IntegerField()),
                "price": s.FloatField(),
                "placed": s.IntegerField(),
                "pending": texts(),
            },
            allow_null=True,
        ),
        **_SO_FAR,
    },
)
DrainAnswer = nested(
    "DrainOrder",
    {
        "drained": nested(
            "Drained", {"node": s.CharField(), "moved": by_name(s.CharField()), "stays": texts()}, many=True
        ),
        "of": s.IntegerField(),
        **_SO_FAR,
    },
)
FailuresAnswer = nested(
    "Failures",
    {
        "failures": nested(
            "Failure",
            {
                "what": s.CharField(),
                "nodes": s.IntegerField(),
                "lost": s.IntegerField(),
                "pending": texts(),
                "names": texts(),
            },
            many=True,
        ),
        "of": s.IntegerField(),
        "keys": texts(),
        **_SO_FAR,
    },
)
