"""The command line says what the API says, of the same cluster and the same cycles."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playground.__main__ import main
from tests.core.dra.devices import claim, device, device_class, resource_slice
from tests.web import Api, node, pod

SPREAD = {
    "maxSkew": 1,
    "topologyKey": "topology.kubernetes.io/zone",
    "whenUnsatisfiable": "DoNotSchedule",
    "labelSelector": {"matchExpressions": [{"key": "no", "operator": "DoesNotExist"}]},
}
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
# More nodes than an attempt looks at, some of them wrong for more than one reason.
NODES = [
    *(node(f"node-{i}", zone=f"zone-{i % 3}") for i in range(110)),
    node("gpu-1", zone="zone-0", taints=[TAINT]),
    node("gpu-2", zone="zone-1", taints=[TAINT], unschedulable=True),
]
PODS = [
    *(pod(f"web-{i}") for i in range(3)),
    *(pod(f"even-{i}", topologySpreadConstraints=[SPREAD]) for i in range(3)),
    pod("large", cpu="64"),
]
# Two nodes that are full, and a pod that is worth more than those on them.
FULL = [node("a", cpu="2"), node("b", cpu="2"), pod("low-0", cpu="2"), pod("low-1", cpu="2")]
HIGH = pod("high", cpu="1", priority=100)
RUN = {"kind": "run", "until": "idle"}

Say = Callable[..., Any]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """What a command says of a scenario with these objects and commands; JSON, unless it is to be text."""

    def run(command: str, objects: list[Any], name: str, *options: str, story: Any = None, text: bool = False) -> Any:
        (tmp_path / "scenario.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
        (tmp_path / "story.json").write_text(json.dumps(story))
        given = ["--scenario", str(tmp_path / "scenario.json"), "--pod", name, "--seed", "3", *options]
        given += ["--commands", str(tmp_path / "story.json")] if story is not None else []
        status = main([command, *given, *([] if text else ["--json"])])
        out, err = capsys.readouterr()
        assert status < 2, err
        return out if text else json.loads(out)

    return run


@pytest.fixture
def wide(api: Api, questions: None) -> int:
    cluster = api.cluster([*NODES, *PODS], seed=3)
    api.command(cluster, **RUN)
    return cluster


def first_attempts(api: Api, cluster: int) -> Iterator[tuple[int, str]]:
    """Number and pod of the cycles that are a pod's first one."""
    cycles = api.get(f"clusters/{cluster}/cycles/")
    seen: set[str] = set()
    for number, name in enumerate(cycles["pod"], cycles["from"]):
        if name not in seen:
            yield number, name
        seen.add(name)


def test_why_is_the_same(api: Api, wide: int, say: Say) -> None:
    for number, name in first_attempts(api, wide):
        at = f"clusters/{wide}/cycles/{number}"
        told = say("explain", [*NODES, *PODS], name, "--node", "gpu-2", "--against", "node-1")
        assert told["tree"] == api.get(f"{at}/reasons/")
        assert told["spread"] == api.get(f"{at}/spread/")
        assert told["node"] == api.get(f"{at}/nodes/gpu-2/")
        assert told["compare"] == api.get(f"{at}/compare/", a="node-1", b="gpu-2")
        chosen = api.get(f"{at}/")["cycle"]["node"]
        assert told["ledger"] == (api.get(f"{at}/nodes/{chosen}/ledger/") if chosen else None)
        assert {"preemption": told["preemption"]} == api.get(f"{at}/preemption/")


def test_the_pods_of_a_domain_are_the_same(api: Api, wide: int, say: Say) -> None:
    (number,) = (number for number, name in first_attempts(api, wide) if name == "default/even-2")
    (found,) = say("explain", [*NODES, *PODS], "even-2", "--domain", "zone-1")["domain"]["constraints"]
    answer = api.get(f"clusters/{wide}/cycles/{number}/spread/{found['index']}/pods/", domain="zone-1")
    assert found["pods"] == answer["pods"] != []


def test_claims_and_devices_are_the_same(api: Api, questions: None, say: Say) -> None:
    broken = device("b", taints=[{"key": "broken", "effect": "NoSchedule"}])
    claims = [{"name": "gpu", "resourceClaimName": "c"}]
    wants = [
        pod("first", resourceClaims=claims),
        pod("second", resourceClaims=[{"name": "gpu", "resourceClaimName": "d"}]),
    ]
    objects = [node("n"), node("m"), resource_slice("n", ["a", broken]), device_class(), claim("c"), claim("d"), *wants]
    cluster = api.cluster(objects, seed=3, emulates="v1.36.3")
    api.command(cluster, **RUN)
    for number, name in ((1, "default/first"), (2, "default/second")):
        told = say("explain", objects, name, "--node", "n", "--devices", "--emulate", "v1.36.3")
        at = f"clusters/{cluster}/cycles/{number}"
        assert told["claims"] == api.get(f"{at}/claims/") and told["claims"]["claims"]
        assert told["allocation"] == api.get(f"{at}/nodes/n/claims/")
        assert told["devices"] == api.get(f"clusters/{cluster}/nodes/n/devices/", cycle=number)
    kinds = [step["kind"] for step in told["allocation"]["steps"]]
    assert kinds == ["taken", "taint"] and told["claims"]["nodes"][0]["refused"] == {"taken": 1, "taint": 1}
    # Not told of a node are those of all nodes.
    cells = say("explain", objects, "second", "--devices", "--emulate", "v1.36.3")["devices"]
    assert cells == api.get(f"clusters/{cluster}/devices/", nodes="m,n", cycle=2)
    assert api.get(f"clusters/{cluster}/devices/", nodes="m")["nodes"] == []
    text = say("explain", objects, "second", "--node", "n", "--devices", "--emulate", "v1.36.3", text=True)
    assert "gpu.example.com/n/a: claim default/c has it" in text and "taken by default/c" in text


def test_preemption_is_the_same(api: Api, questions: None, say: Say) -> None:
    story: list[Any] = [RUN, {"kind": "create", "objects": [HIGH]}]
    cluster = api.cluster(FULL, seed=3)
    for command in [*story, {"kind": "schedule_one"}]:
        api.command(cluster, **command)
    told = say("explain", FULL, "high", story=story)["preemption"]
    assert {"preemption": told} == api.get(f"clusters/{cluster}/cycles/3/preemption/")
    assert len(told["candidates"]) == 2


def test_every_plugin_on_every_node_is_the_same(api: Api, wide: int, say: Say) -> None:
    left = []
    for number, name in first_attempts(api, wide):
        answer = api.get(f"clusters/{wide}/cycles/{number}/matrix/", complete=1)
        assert say("explain", [*NODES, *PODS], name, "--complete")["complete"] == answer
        table = say("explain", [*NODES, *PODS], name, "--complete", text=True)
        assert cells_of(table) == cells_of_page(answer)
        left.append(len(answer["names"]) - answer["evaluated"])
    assert min(left) == 0 < max(left)


def cells_of(text: str) -> dict[str, list[str]]:
    """Node → its cells in the table of the command."""
    table = re.search(r"^  NODE .*?\n(.*?)^✓ pass ", text, re.MULTILINE | re.DOTALL)
    assert table is not None
    found = {}
    for line in table[1].splitlines():
        parts = re.fullmatch(
            r". (.+?)(?: \(\d+\))?(?:, not evaluated)?  +((?:(?:\(?[✓✕!]\)?|–|\(?\d+\)?)(?:  +|$))+).*", line
        )
        assert parts is not None, line
        for name in parts[1].split(", "):
            first, _, last = name.partition(" … ")
            stem, low = first.rsplit("-", 1)
            for i in range(int(low), int((last or first).rsplit("-", 1)[1]) + 1):
                found[f"{stem}-{i}"] = parts[2].split()
    return found


def cells_of_page(matrix: Any) -> dict[str, list[str]]:
    """The same by the rule of the page: what comes after a node's first failure, or the search's end, did not run."""
    found = {}
    for row, name in enumerate(matrix["names"]):
        verdicts = [column[row] for column in matrix["verdicts"]]
        stop = next((i for i, verdict in enumerate(verdicts) if verdict), len(verdicts))
        seen = row < matrix["evaluated"]
        marks = ["✕" if verdict else "✓" for verdict in verdicts]
        cells = [mark if seen and i <= stop else f"({mark})" for i, mark in enumerate(marks)]
        if row in matrix["feasible"]:
            at = matrix["feasible"].index(row)
            pairs = zip(matrix["normalized"], matrix["weights"], strict=True)
            numbers = [*(column[at] * weight for column, weight in pairs), matrix["totals"][at]]
            cells += [str(number) if seen else f"({number})" for number in numbers]
        elif matrix["scorePlugins"]:
            cells += ["–"] * (len(matrix["scorePlugins"]) + 1)
        found[name] = cells
    return found


def test_the_steps_that_are_timed_are_the_same(api: Api, wide: int, say: Say) -> None:
    def shown(timings: Any) -> list[list[str]]:
        return [[step["point"], step["plugin"], step["code"]] for step in timings["steps"]]

    for number, name in first_attempts(api, wide):
        told = say("explain", [*NODES, *PODS], name, "--timings")["timings"]
        answer = api.get(f"clusters/{wide}/cycles/{number}/timings/")
        assert shown(told) == shown(answer) and told["measured"] == answer["measured"]


# commands after the scenario, whose life, with how many attempts
LIVES: list[tuple[str, list[Any], list[Any], str, int]] = [
    ("placed at once", [*NODES, *PODS], [RUN], "web-1", 1),
    ("never fits", [*NODES, *PODS], [RUN], "large", 1),
    ("evicted", FULL, [RUN, {"kind": "create", "objects": [HIGH]}, RUN], "low-0", 1),
    ("evicts", FULL, [RUN, {"kind": "create", "objects": [HIGH]}, RUN], "high", 2),
    (
        "deleted",
        [*NODES[:1], PODS[0]],
        [RUN, {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "web-0"}]}],
        "web-0",
        1,
    ),
    (
        "ended",
        [*NODES[:1], PODS[0]],
        [RUN, {"kind": "finish_pod", "pod": "default/web-0", "phase": "Succeeded"}],
        "web-0",
        1,
    ),
    (
        "woken by a hint",
        [*NODES[:1], *PODS],
        [RUN, {"kind": "create", "objects": [node("big", cpu="96")]}, {"kind": "advance_clock", "seconds": 9}, RUN],
        "large",
        2,
    ),
    ("binding fails", [*NODES[:1], PODS[0]], [{"kind": "fail_binding"}, RUN], "web-0", 1),
    ("gated", [*NODES[:1], pod("held", schedulingGates=[{"name": "x/y"}])], [RUN], "held", 0),
]


@pytest.mark.parametrize(
    ("objects", "story", "name", "attempts"), [life[1:] for life in LIVES], ids=[x[0] for x in LIVES]
)
def test_a_life_is_the_same(api: Api, say: Say, objects: list[Any], story: list[Any], name: str, attempts: int) -> None:
    cluster = api.cluster(objects, seed=3)
    for command in story:
        assert api.command(cluster, **command)["state"] == "done"
    told = say("life", objects, name, story=story)
    whole = api.get(f"clusters/{cluster}/pods/default/{name}/")
    moves = api.get(f"clusters/{cluster}/pods/default/{name}/moves/")
    assert told == {"pod": f"default/{name}", **whole, "moves": moves["moves"]}
    assert (len(told["cycles"]), moves["omitted"]) == (attempts, 0)


def test_words_are_the_same(api: Api, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--what", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == api.get("explain/glossary/")
    text = "0/3 nodes are available: 2 Insufficient cpu, 1 the moon is full."
    assert main(["explain", "--decode", text, "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == api.post("explain/decode/", {"text": text})
