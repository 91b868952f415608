"""What is told of devices and claims, for the OpenAPI document; in words: docs/explain.md."""

from rest_framework import serializers as s

from playground.api.answers import by_name, texts
from playground.explanations.answers import SentenceAnswer, nested, words

STATES = ["free", "taken", "shared", "blocked"]


class CellAnswer(s.Serializer):
    device = s.CharField()
    state = s.ChoiceField(STATES)
    tainted = s.BooleanField()
    partition = s.BooleanField()
    by = texts()


Devices = nested(
    "Devices",
    {
        "nodes": nested(
            "DevicesOfNode",
            {
                "node": s.CharField(),
                "total": s.IntegerField(),
                "counts": by_name(s.IntegerField()),
                "tainted": s.IntegerField(),
                "devices": CellAnswer(many=True),
                "omitted": s.IntegerField(),
            },
            many=True,
        )
    },
)


class DeviceAnswer(CellAnswer):
    attributes = by_name(words())
    capacity = nested("Capacity", {"name": s.CharField(), "total": s.CharField(), "used": words()}, many=True)
    consumes = nested("Consumes", {"set": s.CharField(), "counter": s.CharField(), "amount": s.CharField()}, many=True)
    taints = texts()
    holders = nested(
        "Holder",
        {
            "claim": s.CharField(),
            "request": s.CharField(),
            "pods": texts(),
            "admin": s.BooleanField(),
            "consumed": by_name(s.CharField()),
        },
        many=True,
    )


NodeDevices = nested(
    "NodeDevices",
    {
        "node": s.CharField(),
        "pools": nested(
            "Pool",
            {
                "driver": s.CharField(),
                "pool": s.CharField(),
                "problem": words(),
                "counters": nested(
                    "Counter",
                    {"set": s.CharField(), "counter": s.CharField(), "total": s.CharField(), "left": s.CharField()},
                    many=True,
                ),
                "devices": DeviceAnswer(many=True),
            },
            many=True,
        ),
        "omitted": s.IntegerField(),
    },
)


class GivenAnswer(s.Serializer):
    request = s.CharField()
    device = s.CharField()
    admin = s.BooleanField()
    consumed = by_name(s.CharField())


class AlternativeAnswer(s.Serializer):
    name = words()
    # `class` is a word of Python's.
    mode = s.CharField()
    count = s.IntegerField()
    selectors = texts()
    admin = s.BooleanField()
    capacity = by_name(s.CharField())

    def get_fields(self) -> dict[str, s.Field]:
        return {**super().get_fields(), "class": words()}


class RequestAnswer(AlternativeAnswer):
    alternatives = AlternativeAnswer(many=True)


OUTCOMES = ["fits", "refused", "error", "elsewhere", "nothing"]

Claims = nested(
    "Claims",
    {
        "why": SentenceAnswer(allow_null=True),
        "problem": words(),
        "claims": nested(
            "Claim",
            {
                "claim": s.CharField(),
                "entry": words(),
                "template": words(),
                "allocated": s.BooleanField(),
                "inFlight": s.BooleanField(),
                "devices": GivenAnswer(many=True),
                "reservedFor": texts(),
                "requests": RequestAnswer(many=True),
                "constraints": nested(
                    "ClaimConstraint", {"requests": texts(), "match": words(), "distinct": words()}, many=True
                ),
            },
            many=True,
        ),
        "nodes": nested(
            "ClaimsOnNode",
            {
                "node": s.CharField(),
                "outcome": s.ChoiceField(OUTCOMES),
                "text": SentenceAnswer(),
                "message": words(),
                "refused": by_name(s.IntegerField()),
            },
            many=True,
        ),
        "omitted": s.IntegerField(),
    },
)
STEP = {
    "device": s.CharField(),
    "kind": s.CharField(allow_null=True),
    "why": SentenceAnswer(allow_null=True),
}
DID = ["taken", "givenBack", "refused"]
Allocation = nested(
    "Allocation",
    {
        "node": s.CharField(),
        "outcome": s.ChoiceField(OUTCOMES),
        "text": SentenceAnswer(),
        "message": words(),
        "claims": nested(
            "SearchedClaim",
            {
                "claim": s.CharField(),
                "requests": nested(
                    "SearchedRequest",
                    {
                        "request": s.CharField(),
                        "devices": nested("SearchedDevice", {**STEP, "state": s.ChoiceField(DID)}, many=True),
                        "omitted": s.IntegerField(),
                    },
                    many=True,
                ),
                "given": GivenAnswer(many=True),
            },
            many=True,
        ),
        "steps": nested(
            "SearchStep",
            {**STEP, "did": s.ChoiceField(DID), "claim": s.CharField(), "request": s.CharField()},
            many=True,
        ),
        "omitted": s.IntegerField(),
    },
)
