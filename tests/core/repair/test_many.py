"""One repair for many pods: proven by running all of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.__main__ import main
from scheduler_core.edits.costs import Prices
from scheduler_core.repair.finding import Limits
from scheduler_core.repair.many import ManyRepair, repair_many
from scheduler_core.testing import make_node, make_pod
from scheduler_core.text.yaml_writer import dump_yaml
from tests.core.repair.clusters import played

KEYS = [f"default/web-{i}" for i in range(4)]


def found(objects: list[dict[str, Any]]) -> list[ManyRepair]:
    return list(repair_many(played(objects), KEYS, Prices(), lambda: 0.0, Limits(results=4)))


def sentences(repair: ManyRepair) -> set[str]:
    return {edit.sentence["text"] for edit in repair.edits}


def web(i: int, cpu: str = "1") -> dict[str, Any]:
    return make_pod(f"web-{i}").label("app", "web").cpu(cpu).manifest()


def test_a_change_of_the_template_helps_all_and_costs_once() -> None:
    objects = [make_node("a").cpu("8").taint("db").manifest(), *map(web, range(4))]
    first, second = found(objects)[:2]
    assert (sentences(first), first.cost) == ({"Tolerate db:NoSchedule"}, 10)
    assert first.placed == dict.fromkeys(KEYS, "a")
    assert sentences(second) == {"Remove the taint db:NoSchedule from a"}


def test_what_helps_one_and_not_all_is_not_told() -> None:
    """Two fit on the node that is tainted; so nodes have to be added."""
    objects = [make_node("a").cpu("2").taint("db").manifest(), *map(web, range(4))]
    repairs = found(objects)
    assert {"Tolerate db:NoSchedule"} not in map(sentences, repairs)


def test_the_fewest_nodes_for_all() -> None:
    objects = [make_node("a").cpu("2").manifest(), make_pod("full").cpu("2").node("a").manifest(), *map(web, range(4))]
    (nodes,) = [repair for repair in found(objects) if repair.nodes]
    assert (nodes.nodes, nodes.cost) == ({"a": 2}, 160)


def test_a_pattern_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "scenario.yaml"
    objects = [make_node("a").cpu("8").taint("db").manifest(), *map(web, range(4))]
    scenario.write_text("---\n".join(map(dump_yaml, objects)))
    assert main(["repair", str(scenario), "--pod", "web-*", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pods"] == KEYS
    assert told["repairs"][0]["edits"][0]["sentence"]["text"] == "Tolerate db:NoSchedule"
    assert main(["repair", str(scenario), "--pod", "web-*"]) == 0
    assert "verified for all 4 pods" in capsys.readouterr().out
    assert main(["repair", str(scenario), "--pod", "db-*"]) == 2
    assert "no pod that waits matches default/db-*" in capsys.readouterr().err
