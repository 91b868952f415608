"""What was saved without a version, when there was only v1.34.1, plays as that whatever new clusters start with."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from scheduler_core.emulations import DEFAULT
from simulator.exchange import scenario, share_file
from simulator.lessons.load import read_lesson
from simulator.lessons.walk import create_simulation
from simulator.simulation import Simulation
from tests.core.lessons.test_lessons import files

# The two versions say a taint in different words.
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "gpu-1"},
    "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default", "uid": "web"},
    "spec": {"containers": [{"name": "c", "image": "i"}]},
}
COMMANDS: list[dict[str, Any]] = [{"kind": "create", "objects": [NODE, POD]}, {"kind": "schedule_one"}]
SAVED = {"apiVersion": scenario.API_VERSION, "kind": scenario.KIND, "name": "of yesterday", "commands": COMMANDS}


def a_scenario() -> list[dict[str, Any]]:
    return [record.data for record in scenario.read(json.dumps(SAVED)).play()]


def a_share() -> list[dict[str, Any]]:
    cursor: dict[str, Any] = {}
    found = share_file.parse_share({"share": 1, "trace": 1, "title": "Look", "scenario": SAVED, "cursor": cursor})
    return [record.data for record in found.scenario.play()]


def a_lesson() -> list[dict[str, Any]]:
    objects = yaml.safe_dump_all([NODE, POD])
    simulation = create_simulation(read_lesson("one", files(scenario__yaml=objects)).scenario)
    return [record.data for record in simulation.apply(COMMANDS[1])]


def a_call() -> list[dict[str, Any]]:
    simulation = Simulation.create()
    return [record.data for command in COMMANDS for record in simulation.apply(command)]


@pytest.mark.parametrize("play", [a_scenario, a_share, a_lesson, a_call])
def test_it_is_of_then(play: Callable[[], list[dict[str, Any]]]) -> None:
    records = play()
    assert "1 node(s) had untolerated taint {gpu: }." in records[-1]["cycle"]["message"]
    # So do traces: a record without the field is of v1.34.1.
    assert not any("emulates" in record for record in records)


def test_new_ones_are_of_today() -> None:
    simulation = Simulation.create(emulation=DEFAULT)
    records = [record.data for command in COMMANDS for record in simulation.apply(command)]
    assert "1 node(s) had untolerated taint(s)." in records[-1]["cycle"]["message"]
    assert {record["emulates"] for record in records} == {"v1.36.3"}
