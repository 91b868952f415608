"""The table of commands: what it says of each is what is checked, documented, undone and named."""

from typing import Any

import pytest
from jsonschema import Draft4Validator

from simulator.simulation import CommandError, Simulation
from simulator.simulation.commands.command import Command, restore
from simulator.simulation.commands.fields import Text
from simulator.simulation.commands.scheduling import MAX_ADVANCE_SECONDS, MAX_SECONDS
from simulator.simulation.commands.table import COMMANDS, check, label_of, schema
from tools import commands as documents

Payload = dict[str, Any]

POD: Payload = {"kind": "Pod", "metadata": {"namespace": "shop", "name": "web"}}
LABELS: list[tuple[Payload, str]] = [
    ({"kind": "create", "objects": [POD]}, "create Pod shop/web"),
    ({"kind": "create", "objects": [POD, POD]}, "create 2 objects"),
    ({"kind": "update", "objects": [{"kind": "Node", "metadata": {"name": "{n}"}}]}, "update Node {n}"),
    ({"kind": "recreate", "objects": [{"kind": "Pod", "metadata": "x"}]}, "recreate an object"),
    ({"kind": "delete", "objects": [{"kind": "Pod", "namespace": "shop", "name": "web"}]}, "delete Pod shop/web"),
    ({"kind": "restore", "objects": [POD], "delete": [POD]}, "restore 2 objects"),
    ({"kind": "set_config", "yaml": ""}, "set the configuration"),
    ({"kind": "set_gates", "gates": "A=true"}, "restart kube-scheduler with --feature-gates=A=true"),
    ({"kind": "set_gates", "gates": ""}, "restart kube-scheduler with its default feature gates"),
    ({"kind": "fail_node", "node": "a"}, "fail node a"),
    ({"kind": "finish_pod", "pod": "shop/web", "phase": "Failed"}, "finish pod shop/web"),
    ({"kind": "schedule_one"}, ""),
    ({"kind": "activate", "pod": "shop/web"}, ""),
]


@pytest.mark.parametrize(("payload", "label"), LABELS, ids=[label or case["kind"] for case, label in LABELS])
def test_the_label_says_what_is_changed(payload: Payload, label: str) -> None:
    assert label_of(payload) == label


def test_what_can_be_taken_back_has_a_label_and_a_record() -> None:
    for command in COMMANDS.values():
        assert command.is_change == (command.label is not None) == bool(command.record), command.kind


@pytest.mark.parametrize("name", ["key", "kind"])
def test_a_field_may_not_be_called_as_what_the_api_puts_beside_it(name: str) -> None:
    with pytest.raises(ValueError, match=f"label: a field may not be called {name}"):
        Command(kind="label", about="", optional={name: Text()}, prepare=lambda *_: iter(()))


def test_an_inverse_is_a_command() -> None:
    found = [["Pod", "shop/web", POD], ["Pod", "shop/new", None], ["Node", "a", None]]
    inverse = restore({"objects": found})
    assert inverse == {
        "kind": "restore",
        "objects": [POD],
        "delete": [{"kind": "Pod", "name": "new", "namespace": "shop"}, {"kind": "Node", "name": "a"}],
    }
    before: dict[str, dict[str, Any]] = {
        "config": {"yaml": "x"},
        "actors": {"actors": ["deployment"]},
        "gates": {"gates": ""},
    }
    for command in COMMANDS.values():
        if command.inverse is not None:
            check(command.inverse(before.get(command.record, {"objects": found})))


VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.5, 1e9, 2**63, "", "idle", "allow", "Failed", "x" * 1025, [], {}, [1]),
    *(
        [{}],
        ["cordons"],
        ["other"],
        "all",
        ["deployment"],
        {"cycles": 1},
        {"cycles": 0},
        {"pod": "a/b"},
        {"breakpoint": True},
    ),
    *({"breakpoint": False}, {"cycles": 1, "pod": "a/b"}, [{"kind": "pod", "pod": "a/b"}], [{"kind": "pod"}]),
    *([{"kind": "failure", "point": "Bind"}], [{"kind": "failure", "point": "x"}], [{"kind": "preemption"}] * 51),
]
FIELDS = {(name, str(field)): (name, field) for one in COMMANDS.values() for name, field in one.fields.items()}


@pytest.mark.parametrize(("name", "field"), FIELDS.values(), ids=[name for name, _ in FIELDS])
def test_a_value_is_refused_where_the_schema_does_not_allow_it(name: str, field: Any) -> None:
    validator = Draft4Validator(field.schema())
    for value in VALUES:
        problems = field.check(name, value)
        assert bool(problems) != validator.is_valid(value), value
        assert all(problem.path.startswith(name) for problem in problems)


def test_the_schema_has_every_command_and_allows_no_other_field() -> None:
    alternatives = {one["title"]: one for one in schema()["oneOf"]}
    assert list(alternatives) == list(COMMANDS)
    for kind, one in alternatives.items():
        assert set(one["required"]) == {"kind", *COMMANDS[kind].required}
        with pytest.raises(CommandError, match=f"is not a field of {kind}"):
            check({"kind": kind, **dict.fromkeys(COMMANDS[kind].required), "other": 1})


def test_a_breakpoint_belongs_to_a_run_until_one() -> None:
    with pytest.raises(CommandError) as caught:
        check({"kind": "run", "until": "idle", "breakpoints": [{"kind": "preemption"}]})
    assert [problem.path for problem in caught.value.problems] == ["breakpoints"]


def test_the_documented_table_is_that_of_the_code() -> None:
    assert documents.DOCUMENT.read_text(encoding="utf-8") == documents.text(), "run make docs"
    assert all(f"| `{kind}` |" in documents.table() for kind in COMMANDS)


def test_virtual_time_ends_before_timestamps_do() -> None:
    simulation = Simulation.create(seed=1)
    year = {"kind": "advance_clock", "seconds": MAX_ADVANCE_SECONDS}
    for _ in range(MAX_SECONDS // MAX_ADVANCE_SECONDS):
        assert list(simulation.apply(year))
    for command in (year, {"kind": "run", "until": {"seconds": 1}}):
        with pytest.raises(CommandError, match=f"its maximum is {MAX_SECONDS}"):
            simulation.apply(command)
    assert list(simulation.apply({"kind": "run", "until": "idle"})) == []
    assert list(simulation.apply({"kind": "reset"}))
    assert list(simulation.apply(year))
