"""A recorder gives again what was answered, and asks nobody for it."""

import json
from functools import partial
from itertools import chain
from typing import Any

import pytest

from scheduler_core.extender import Recorder, RecorderError, Response, TransportError, build_extenders
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.extender.scripted_transport import Answers, configuration

ANSWERS = [
    Response(200, b'{"a": 1}\n\x00\xff'),
    Response(200, b"", "unexpected EOF"),
    Response(503, b""),
    TransportError('Post "http://x/f": EOF'),
]


def ask(recorder: Recorder) -> Response | str:
    try:
        return recorder.post("http://x/f", b"{}", 5.0, None)
    except TransportError as error:
        return str(error)


def test_the_same_answers_again() -> None:
    left = iter(ANSWERS)
    live = Answers({"f": lambda request: next(left)})
    recorder = Recorder(live)
    given = [ask(recorder) for _ in ANSWERS]
    kept = recorder.take()
    assert kept is not None
    recorder.replay(lambda: kept)
    assert [ask(recorder) for _ in ANSWERS] == given
    assert len(live.requests) == len(ANSWERS)


def test_nothing_asked_nothing_kept() -> None:
    recorder = Recorder(Answers({"f": {}}))
    assert recorder.take() is None
    ask(recorder)
    assert recorder.take() is not None
    assert recorder.take() is None


@pytest.mark.parametrize("asked_before", [0, 1])
def test_a_replay_never_asks_anybody(asked_before: int) -> None:
    live = Answers({"f": {}})
    recorder = Recorder(live)
    for _ in range(asked_before):
        ask(recorder)
    kept = recorder.take()
    recorder.replay(lambda: kept)
    for _ in range(asked_before):
        ask(recorder)
    with pytest.raises(RecorderError):
        ask(recorder)
    assert len(live.requests) == asked_before


def test_after_a_replay_it_is_live_again() -> None:
    live = Answers({"f": {}})
    recorder = Recorder(live)
    recorder.replay(lambda: None)
    assert recorder.take() is None
    assert ask(recorder) == Response(200, b"{}")


def test_a_run_is_done_again_to_the_same_bytes() -> None:
    """Though the extender would answer otherwise by now."""
    config = configuration("filterVerb: f, bindVerb: b, nodeCacheCapable: true")
    live = Answers({"f": lambda request: {"NodeNames": request["NodeNames"][-1:]}, "b": {}})
    recorder = Recorder(live)
    objects = [make_node("a"), make_node("b"), *(make_pod(f"web-{i}") for i in range(3))]
    commands: list[dict[str, Any]] = [
        {"kind": "create", "objects": [builder.manifest() for builder in objects]},
        {"kind": "run", "until": "idle"},
    ]
    simulation = Simulation.create(config=config, make_extenders=lambda config: build_extenders(config, recorder))
    made = [(as_bytes(record), recorder.take()) for command in commands for record in simulation.apply(command)]
    assert sum(kept is not None for _, kept in made) == 3

    nobody = Recorder(Answers({}))
    again = Simulation.create(config=config, make_extenders=lambda config: build_extenders(config, nobody))
    records = chain.from_iterable(again.apply(command) for command in commands)
    for want, kept in made:
        nobody.replay(partial(return_, kept))
        assert as_bytes(next(records)) == want
        nobody.take()
    assert next(records, None) is None


def as_bytes(record: Record) -> str:
    return json.dumps(record.data, sort_keys=True)


def return_(kept: bytes | None) -> bytes | None:
    return kept
