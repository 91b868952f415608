"""A tape gives again what was answered, and asks nobody for it."""

import json
from functools import partial
from itertools import chain
from typing import Any

import pytest

from scheduler_core.extender import Response, Tape, TapeError, TransportError, build_extenders
from scheduler_core.simulation import Record, Simulation
from scheduler_core.testing import make_node, make_pod
from tests.core.extender.rig import Answers, configuration

ANSWERS = [
    Response(200, b'{"a": 1}\n\x00\xff'),
    Response(200, b"", "unexpected EOF"),
    Response(503, b""),
    TransportError('Post "http://x/f": EOF'),
]


def ask(tape: Tape) -> Response | str:
    try:
        return tape.post("http://x/f", b"{}", 5.0, None)
    except TransportError as error:
        return str(error)


def test_the_same_answers_again() -> None:
    left = iter(ANSWERS)
    live = Answers({"f": lambda request: next(left)})
    tape = Tape(live)
    given = [ask(tape) for _ in ANSWERS]
    kept = tape.take()
    assert kept is not None
    tape.replay(lambda: kept)
    assert [ask(tape) for _ in ANSWERS] == given
    assert len(live.requests) == len(ANSWERS)


def test_nothing_asked_nothing_kept() -> None:
    tape = Tape(Answers({"f": {}}))
    assert tape.take() is None
    ask(tape)
    assert tape.take() is not None
    assert tape.take() is None


@pytest.mark.parametrize("asked_before", [0, 1])
def test_a_replay_never_asks_anybody(asked_before: int) -> None:
    live = Answers({"f": {}})
    tape = Tape(live)
    for _ in range(asked_before):
        ask(tape)
    kept = tape.take()
    tape.replay(lambda: kept)
    for _ in range(asked_before):
        ask(tape)
    with pytest.raises(TapeError):
        ask(tape)
    assert len(live.requests) == asked_before


def test_after_a_replay_it_is_live_again() -> None:
    live = Answers({"f": {}})
    tape = Tape(live)
    tape.replay(lambda: None)
    assert tape.take() is None
    assert ask(tape) == Response(200, b"{}")


def test_a_run_is_done_again_to_the_same_bytes() -> None:
    """Though the extender would answer otherwise by now."""
    config = configuration("filterVerb: f, bindVerb: b, nodeCacheCapable: true")
    live = Answers({"f": lambda request: {"NodeNames": request["NodeNames"][-1:]}, "b": {}})
    tape = Tape(live)
    objects = [make_node("a"), make_node("b"), *(make_pod(f"web-{i}") for i in range(3))]
    commands: list[dict[str, Any]] = [
        {"kind": "create", "objects": [builder.manifest() for builder in objects]},
        {"kind": "run", "until": "idle"},
    ]
    simulation = Simulation.create(config=config, make_extenders=lambda config: build_extenders(config, tape))
    made = [(as_bytes(record), tape.take()) for command in commands for record in simulation.apply(command)]
    assert sum(kept is not None for _, kept in made) == 3

    nobody = Tape(Answers({}))
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
