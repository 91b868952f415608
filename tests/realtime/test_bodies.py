"""A record's JSON is the same bytes however it is put together."""

import json
from typing import Any

import pytest

from playground import limits
from playground.news import bodies
from playground.news.bodies import body_of, canonical
from playground.news.frames import brief_of
from simulator.simulation import Simulation
from tests.conformance.bench.workloads import node_manifest, pod_manifest

COMMANDS: list[dict[str, Any]] = [
    {"kind": "create", "objects": [node_manifest(i, "4", "16Gi") for i in range(12)]},
    {"kind": "create", "objects": [pod_manifest(f"pod-{i}", {"app": "one"}) for i in range(limits.BRIEF_LIST + 5)]},
    {"kind": "run", "until": "idle"},
    {"kind": "cordon", "node": "node-3"},
    {"kind": "drain", "node": "node-4"},
    {"kind": "run", "until": "idle"},
    {"kind": "reset"},
]


def test_records_are_written_as_their_bytes_are_defined() -> None:
    simulation = Simulation.create(seed=1)
    records = [record.data for command in COMMANDS for record in simulation.apply(command)]
    assert {record["kind"] for record in records} >= {"cycle", "objects", "reset"}
    for record in records:
        body = body_of(record)
        assert body.text == canonical(record) == json.dumps(record, sort_keys=True, separators=(",", ":"))
        assert body.brief == brief_of(record)
    assert any("omitted" in brief_of(record) for record in records)


VALUES = [
    # name        what is told of a step
    ("one", {"n": 1}),
    ("one point", {"n": 1.0}),
    ("true", {"n": True}),
    ("another name", {"m": 1}),
    ("nothing", {"n": None}),
    ("text", {"n": "1"}),
    ("within", {"n": [{"n": [1, 1.0, True]}]}),
    ("more than is kept", {"n": "é" * bodies.LONGEST_KNOWN}),
    ("quoted", {"n": '"steps":[]'}),
]


def _record(step: dict[str, Any]) -> dict[str, Any]:
    plain = {"point": "Filter", "plugin": "NodeName", "code": "Skip"}
    return {"kind": "cycle", "seq": 1, "cycle": {"message": '"steps":[]', "steps": [plain, step], "uid": "u"}}


@pytest.mark.parametrize("data", [case[1] for case in VALUES], ids=[case[0] for case in VALUES])
def test_steps_that_are_nearly_the_same_are_told_apart(data: dict[str, Any]) -> None:
    others = [
        body_of(_record({"point": "Score", "plugin": "P", "code": "Success", "data": case[1]})) for case in VALUES
    ]
    assert len({body.text for body in others}) == len(VALUES)
    steps = [
        {"point": "Score", "plugin": "P", "code": "Success", "data": data},
        {"code": "Success", "plugin": "P", "point": "Score", **data},
        {"point": "Score", "extender": "P", "code": "Success"},
        {"point": "Score", "code": "Success", "data": data},
    ]
    for step in steps:
        record = _record(step)
        body = body_of(record)
        assert (body.text, body.brief) == (canonical(record), brief_of(record))


NAMES = [
    # name               the nodes that were as good
    ("usual", ["node-1", "node-2", "node-3"]),
    ("one", ["node-1"]),
    ("none", []),
    ("quotes", ['a"b', "c"]),
    ("ends of lines", ["a\nb", "c"]),
    ("backslashes", ["a\\nb", "c\\"]),
    ("beyond ASCII", ["é", "node-2"]),
    ("nothing", ["", ""]),
]


@pytest.mark.parametrize("names", [case[1] for case in NAMES], ids=[case[0] for case in NAMES])
@pytest.mark.parametrize("others", [False, True], ids=["the same in the step", "others in the step"])
def test_names_are_written_at_once(names: list[str], others: bool) -> None:
    step = {"point": "SelectHost", "code": "Success", "data": {"node": "n", "ties": ["x"] if others else names}}
    record = _record(step)
    record["cycle"] |= {"ties": names}
    body = body_of(record)
    assert (body.text, body.brief) == (canonical(record), brief_of(record))
    assert "ties" not in body.brief


def test_few_steps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_KNOWN", 10)
    monkeypatch.setattr(bodies, "_known", {})
    for n in range(25):
        record = _record({"point": "Score", "plugin": "P", "code": "Success", "data": {"n": n}})
        assert body_of(record).text == canonical(record)
        assert 0 < len(bodies._known) <= 10


def test_few_shared_steps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST_KNOWN", 10)
    monkeypatch.setattr(bodies, "_shared", {})
    steps = [{"point": "Filter", "plugin": f"P{n}", "code": "Skip"} for n in range(25)]
    for step in [*steps, *steps]:
        record = _record(step)
        assert body_of(record).text == canonical(record)
        assert 0 < len(bodies._shared) <= 10
