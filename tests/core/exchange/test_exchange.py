"""Files to take along: golden texts, every valid configuration there and back, scenarios to the same bytes.

To make a golden file again: python -m playground config tests/core/exchange/golden/profiles.yaml --export FORM
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.__main__ import main
from scheduler_core.emulations import EMULATIONS
from simulator.exchange.applicable import applicable, count_ended_pods, left_out_comment
from simulator.exchange.deploy import CONFIG_KEY, NAME
from simulator.exchange.scenario import Scenario, ScenarioError, looks_like_scenario, read, write
from simulator.simulation import Simulation
from tests.config_v1_34 import check, load, second_scheduler
from tests.conformance.testing import make_node, make_pod

GOLDEN = Path(__file__).parent / "golden"
VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"
FORMS = ("minimal", "full", "second-scheduler", "static-pod")


def valid_configurations() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt") as lines:
        return [row for row in map(json.loads, lines) if row["expected"]["ok"]]


@pytest.mark.parametrize("form", FORMS)
def test_golden(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", str(GOLDEN / "profiles.yaml"), "--export", form, "--emulate", "v1.34.1"]) == 0
    assert capsys.readouterr().out == (GOLDEN / f"profiles.{form}.yaml").read_text()


def test_every_valid_configuration_runs_as_a_second_scheduler() -> None:
    """The same profiles in effect, under a name that the cluster's own scheduler does not have."""
    for row in valid_configurations():
        text = second_scheduler(load(row["scenario"]["yaml"]), "v1.34.1")
        documents = {each["kind"]: each for each in yaml.safe_load_all(text)}
        held = documents["ConfigMap"]["data"][CONFIG_KEY]
        found = check(held)
        assert found["ok"], row["scenario"]["name"]
        assert found["defaulted"]["leaderElection"]["leaderElect"] is False
        want = {
            NAME if name == "default-scheduler" else name: each for name, each in row["expected"]["effective"].items()
        }
        assert found["effective"] == want


# What may not reach a real API server

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "web",
        "namespace": "shop",
        "uid": "1",
        "resourceVersion": "7",
        "creationTimestamp": "2025-01-01T00:00:00Z",
        "deletionTimestamp": "2025-01-01T00:00:00Z",
        "managedFields": [],
        "ownerReferences": [{"kind": "ReplicaSet", "name": "web", "uid": "2", "apiVersion": "apps/v1"}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "kept": "yes"},
    },
    "spec": {"priority": 1000, "preemptionPolicy": "Never", "nodeName": "a", "containers": []},
    "status": {"phase": "Running"},
}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "a"},
    "status": {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}, "conditions": [], "nodeInfo": {}},
}


def test_as_kubectl_applies_it() -> None:
    items = applicable([POD, NODE])["items"]
    assert [item["kind"] for item in items] == ["Namespace", "PriorityClass", "Node", "Pod"]
    namespace, priority, node, pod = items
    assert namespace["metadata"] == {"name": "shop"}
    assert (priority["metadata"]["name"], priority["value"]) == ("priority-1000-never", 1000)
    assert priority["preemptionPolicy"] == "Never"
    assert node["status"] == {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}}
    assert pod["metadata"] == {"name": "web", "namespace": "shop", "annotations": {"kept": "yes"}}
    assert pod["spec"] == {"nodeName": "a", "containers": [], "priorityClassName": "priority-1000-never"}
    assert "status" not in pod


def test_pods_that_have_ended_are_left_out_and_that_is_said() -> None:
    phases = ("Succeeded", "Running", "Failed", "Succeeded", "Pending")
    pods = [{**POD, "metadata": {"name": f"p{i}"}, "status": {"phase": phase}} for i, phase in enumerate(phases)]
    kept = [item["metadata"]["name"] for item in applicable(pods)["items"] if item["kind"] == "Pod"]
    assert (kept, count_ended_pods(pods)) == (["p1", "p4"], {"Failed": 1, "Succeeded": 2})
    assert left_out_comment(count_ended_pods(pods)).endswith("run once more: 1 Failed, 2 Succeeded.\n")
    assert left_out_comment(count_ended_pods([NODE, POD])) == ""


def test_what_every_cluster_has_is_left_out() -> None:
    system = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}}
    critical = {"kind": "PriorityClass", "metadata": {"name": "system-node-critical"}, "value": 2000001000}
    assert applicable([system, critical])["items"] == []
    volume = {"kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": {"claimRef": {"name": "c", "uid": "3"}}}
    assert applicable([volume])["items"][0]["spec"] == {"claimRef": {"name": "c"}}


# Scenarios


def played(scenario: Scenario) -> list[str]:
    return [json.dumps(record.data, sort_keys=True) for record in scenario.play()]


NODES = [make_node(f"n{i}").cpu("2").manifest() for i in range(3)]
OBJECTS = st.lists(
    st.tuples(st.sampled_from(["100m", "1", "3"]), st.sampled_from([0, 5, -2])), min_size=1, max_size=6
).map(
    lambda pods: [
        *NODES,
        *(make_pod(f"p{i}").cpu(cpu).priority(priority).manifest() for i, (cpu, priority) in enumerate(pods)),
    ]
)
COMMANDS = st.one_of(
    st.just({"kind": "schedule_one"}),
    st.builds(lambda n: {"kind": "run", "until": {"cycles": n}}, st.integers(1, 5)),
    st.just({"kind": "run", "until": "idle"}),
    st.builds(lambda s: {"kind": "advance_clock", "seconds": s}, st.integers(1, 400)),
    st.builds(lambda s: {"kind": "seed", "seed": s}, st.integers(0, 2**63 - 1)),
    st.builds(lambda name: {"kind": "cordon", "node": name}, st.sampled_from(["n0", "n1", "none"])),
    st.just({"kind": "fail_binding", "message": "no – luck"}),
    st.just({"kind": "reset"}),
)


@settings(max_examples=40)
@given(
    emulates=st.sampled_from(list(EMULATIONS)),
    seed=st.integers(0, 2**63 - 1),
    objects=OBJECTS,
    commands=st.lists(COMMANDS, max_size=6),
)
def test_there_and_back_to_the_same_bytes(emulates: str, seed: int, objects: Any, commands: Any) -> None:
    scenario = Scenario("wörld", emulates, seed, "", [{"kind": "create", "objects": objects}, *commands])
    text = write(scenario)
    again = read(text)
    assert looks_like_scenario(text)
    assert write(again) == text
    assert played(again) == played(scenario)


def test_replay_writes_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands: list[dict[str, Any]] = [
        {"kind": "create", "objects": [*NODES, make_pod("web").manifest()]},
        {"kind": "run", "until": "idle"},
    ]
    file, trace = tmp_path / "scenario.json", tmp_path / "trace.jsonl"
    file.write_text(write(Scenario("small", seed=4, commands=commands)))
    assert main(["replay", str(file), "--trace", str(trace)]) == 0
    assert "1 pods: 1 placed, 0 pending" in capsys.readouterr().out
    simulation = Simulation.create(seed=4)
    want = [
        json.dumps(record.data, sort_keys=True, separators=(",", ":"))
        for command in commands
        for record in simulation.apply(command)
    ]
    assert trace.read_text().splitlines() == want


REFUSED = [
    # name               change                                     said
    ("no JSON", "{", "must be JSON"),
    ("no object", "[]", "must be an object"),
    ("another kind", {"kind": "Story"}, 'kind: "Story": must be "Scenario"'),
    ("unknown field", {"speed": 1}, "speed: is not a field of a scenario"),
    ("unknown version", {"emulates": "v9"}, "must be one of v1.34.1"),
    ("seed", {"seed": -1}, "must be a whole number"),
    ("commands", {"commands": {}}, "must be a list"),
    ("no command", {"commands": [3]}, "commands[0]: 3: must be an object"),
    ("wrong command", {"commands": [{"kind": "dance"}]}, "commands[0].kind"),
]


@pytest.mark.parametrize(("name", "change", "said"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(name: str, change: Any, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = change if isinstance(change, str) else json.dumps(json.loads(write(Scenario("x"))) | change)
    with pytest.raises(ScenarioError) as raised:
        read(text)
    assert said in str(raised.value)
    file = tmp_path / "scenario.json"
    file.write_text(text)
    assert main(["replay", str(file)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("version", EMULATIONS)
def test_any_version_runs_on_the_command_line(version: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text(yaml.safe_dump_all([*NODES, make_pod("web").manifest()]))
    trace = tmp_path / "trace.jsonl"
    assert main(["run", str(file), "--emulate", version, "--trace", str(trace)]) == 0
    assert "1 placed" in capsys.readouterr().out
    said = {json.loads(line).get("emulates", "v1.34.1") for line in trace.read_text().splitlines()}
    assert said == {version}


@pytest.mark.parametrize("version", EMULATIONS)
def test_a_version_can_be_told_what_it_does_untold(version: str) -> None:
    emulation = EMULATIONS[version]
    points = emulation.registry.points()
    assert emulation.load(emulation.default_text, points) == emulation.load(None, points)
