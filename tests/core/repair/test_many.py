"""One repair for many pods: proven by running all of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kube_objects.text.yaml_writer import dump_yaml
from playground.__main__ import main
from scheduler_core.edits.costs import COSTS, Prices, read_prices
from simulator.repair.finder import Limits
from simulator.repair.multi_pod_finder import MultiPodRepair, repair_many
from simulator.simulation import Simulation
from simulator.simulation.fork import fork
from tests.conformance.testing import make_node, make_pod
from tests.core.repair.random_clusters import played
from tests.core.repair.test_undo import objects_of

KEYS = [f"default/web-{i}" for i in range(4)]


def found(objects: list[dict[str, Any]]) -> list[MultiPodRepair]:
    return list(repair_many(played(objects), KEYS, Prices(), lambda: 0.0, Limits(results=4)))


def places(simulation: Simulation) -> Iterator[tuple[str, str]]:
    for key in KEYS:
        pod = simulation.cluster.find_pod(key)
        yield key, pod.node_name if pod is not None else ""


def sentences(repair: MultiPodRepair) -> set[str]:
    return {edit.sentence["text"] for edit in repair.edits}


def web(i: int, cpu: str = "1") -> dict[str, Any]:
    return make_pod(f"web-{i}").label("app", "web").cpu(cpu).manifest()


def test_a_change_of_the_template_helps_all_and_costs_once() -> None:
    objects = [make_node("a").cpu("8").taint("db").manifest(), *map(web, range(4))]
    first, second = found(objects)[:2]
    assert (sentences(first), first.cost) == ({"Tolerate db:NoSchedule"}, 10)
    assert first.placed == dict.fromkeys(KEYS, "a")
    assert (first.claim, second.claim) == ("minimum", "minimal")
    assert sentences(second) == {"Remove the taint db:NoSchedule from a"}


def test_what_helps_one_and_not_all_is_not_told() -> None:
    """Two fit on the node that is tainted; so nodes have to be added."""
    objects = [make_node("a").cpu("2").taint("db").manifest(), *map(web, range(4))]
    repairs = found(objects)
    assert {"Tolerate db:NoSchedule"} not in map(sentences, repairs)


def test_several_changes_where_no_single_one_does() -> None:
    """Each node takes two of the four, so both have to be uncordoned; nobody else is touched."""
    nodes = [make_node(name).cpu("2").cordoned().manifest() for name in "ab"]
    costs = dict.fromkeys(COSTS) | {"uncordon": 20}
    (both,) = repair_many(played([*nodes, *map(web, range(4))]), KEYS, read_prices(costs, []), lambda: 0.0)
    assert (sentences(both), both.cost, both.claim) == ({"Uncordon a", "Uncordon b"}, 40, "minimal")
    assert sorted(both.placed.values()) == ["a", "a", "b", "b"]


def test_pods_of_two_templates_have_each_their_own_change() -> None:
    other = make_pod("db-0").cpu("1").node_selector("disk", "ssd").manifest()
    objects = [make_node("a").cpu("8").taint("db").manifest(), *map(web, range(4)), other]
    costs = dict.fromkeys(COSTS) | {"untaint": 24, "label": 22, "drop_selector": 100}
    (found,) = repair_many(played(objects), [*KEYS, "default/db-0"], read_prices(costs, []), lambda: 0.0)
    assert sentences(found) == {"Remove the taint db:NoSchedule from a", "Label a with disk=ssd"}


def test_the_fewest_nodes_for_all() -> None:
    objects = [make_node("a").cpu("2").manifest(), make_pod("full").cpu("2").node("a").manifest(), *map(web, range(4))]
    (nodes,) = [repair for repair in found(objects) if repair.nodes]
    assert (nodes.nodes, nodes.cost) == ({"a": 2}, 160)
    assert sorted(nodes.placed.values()) == ["a-new-1", "a-new-1", "a-new-2", "a-new-2"]


def test_nodes_that_others_take_are_not_enough() -> None:
    """Who waits besides, and comes first, would get the room."""
    objects = [make_node("a").cpu("2").taint("db").manifest(), *map(web, range(4))]
    objects.append(make_pod("first").cpu("2").priority(5).manifest())
    costs = dict.fromkeys(COSTS) | {"add_node": 80}
    assert not list(repair_many(played(objects), KEYS, read_prices(costs, []), lambda: 0.0))


def test_undone_all_is_as_it_was() -> None:
    full = make_pod("full").cpu("2").node("a").priority(-1).manifest()
    objects = [make_node("a").cpu("2").manifest(), make_node("b").cpu("4").taint("db").manifest(), full]
    simulation = played([*objects, *map(web, range(4))])
    before = objects_of(simulation)
    repairs = list(repair_many(simulation, KEYS, Prices(), lambda: 0.0, Limits(results=4)))
    assert {"Tolerate db:NoSchedule"} in map(sentences, repairs)
    assert any(repair.nodes for repair in repairs)
    for repair in repairs:
        trial = fork(simulation)
        for command in (*repair.commands, {"kind": "run", "until": "idle"}):
            list(trial.apply(command))
        assert dict(places(trial)) == repair.placed
        for command in repair.inverse:
            list(trial.apply(command))
        assert objects_of(trial) == before, sentences(repair)


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
    assert main(["repair", str(scenario), "--pod", "web-*", "--apply", "1"]) == 0
    (tmp_path / "repaired.yaml").write_text(capsys.readouterr().out)
    assert main(["run", str(tmp_path / "repaired.yaml"), "--table"]) == 0
    assert capsys.readouterr().out.count("Placed") == 4
    assert main(["repair", str(scenario), "--pod", "db-*"]) == 2
    assert "no pending Pod matches default/db-*" in capsys.readouterr().err
