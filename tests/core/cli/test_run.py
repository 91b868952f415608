"""`run` and `validate` from outside: files in, tables, traces and exit statuses out."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from playground.__main__ import main
from scheduler_core.emulations import DEFAULT, V1_34_1
from scheduler_core.framework.emulation import Emulation
from simulator.simulation import Simulation
from tests.config_v1_34 import check

ROOT = Path(__file__).parents[3]
SHOP = str(ROOT / "examples" / "scenarios" / "shop.yaml")
PACKING = str(ROOT / "examples" / "scenarios" / "packing.yaml")

NODE = """
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
"""
PREEMPTION = f"""{NODE}---
apiVersion: v1
kind: Pod
metadata: {{name: low, namespace: default, uid: low}}
spec: {{nodeName: a, priority: 0, containers: [{{name: c, image: i, resources: {{requests: {{cpu: "2"}}}}}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: high, namespace: default}}
spec: {{priority: 10, containers: [{{name: c, image: i, resources: {{requests: {{cpu: "2"}}}}}}]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        "node.yaml": NODE,
        "preemption.yaml": PREEMPTION,
        "broken.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\nspec: {containers: 7}\n",
        "class.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
        "spec: {priorityClassName: gold, containers: [{name: c, image: i}]}\n",
        "empty.yaml": "",
        "kubeconfig.yaml": "apiVersion: v1\nkind: Config\n",
        "nothing.yaml": "profiles: []\n",
        "latin1.yaml": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin1.yaml").write_bytes(b"apiVersion: \xe9\n")
    return tmp_path


ASSERTIONS = [
    # name                        arguments                                                            status  said
    ("placed", ["--assert-placed", "shop/web-0"], 0, "1 assertions, 0 failed"),
    ("placed there", ["--assert-placed", "shop/web-0=node-b"], 0, ""),
    ("placed elsewhere", ["--assert-placed", "shop/web-0=node-a"], 1, "shop/web-0 is on node-b"),
    ("a pattern", ["--assert-placed", "shop/web-?"], 0, ""),
    ("a pattern, one fails", ["--assert-placed", "shop/*"], 1, "shop/batch-0 has no node: gated by SchedulingGates"),
    ("a pattern of nothing", ["--assert-placed", "shop/db-*"], 1, "no such Pod in the scenario"),
    ("the other namespace", ["--assert-placed", "web-0"], 1, "default/web-0: no such Pod"),
    ("not placed", ["--assert-placed", "shop/report"], 1, "has no node: 0/3 nodes are available"),
    ("pending", ["--assert-pending", "shop/report"], 0, ""),
    ("pending, by text", ["--assert-pending", "shop/report=Insufficient cpu"], 0, ""),
    ("pending, by plugin", ["--assert-pending", "shop/report=NodeUnschedulable"], 0, ""),
    ("pending for another reason", ["--assert-pending", "shop/report=Insufficient memory"], 1, "2 Insufficient cpu"),
    ("not pending", ["--assert-pending", "shop/web-1"], 1, "shop/web-1 is on node-"),
    ("gated", ["--assert-pending", "shop/batch-0=SchedulingGates"], 0, ""),
    ("all placed", ["--assert-all-placed"], 1, "1 assertions, 1 failed"),
    ("one of two", ["--assert-placed", "shop/web-0", "--assert-all-placed"], 1, "2 assertions, 1 failed"),
    ("a pod as no pod", ["--assert-placed", "shop/"], 2, "names no pod"),
    ("no time for it", ["--until", "1", "--assert-placed", "shop/web-1"], 1, "has no node: not tried yet"),
]


@pytest.mark.parametrize(("arguments", "status", "said"), [c[1:] for c in ASSERTIONS], ids=[c[0] for c in ASSERTIONS])
def test_assertions(arguments: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["run", SHOP, *arguments]) == status
    assert said in "".join(capsys.readouterr())


BAD_INPUT = [
    # name                 arguments                          said
    ("no file", ["run", "nosuch.yaml"], ["nosuch.yaml: No such file or directory"]),
    (
        "mistakes in a folder",
        ["run", "."],
        ["./broken.yaml: document 1, line 3", "./latin1.yaml: line 1: must be UTF-8"],
    ),
    ("no scenario", ["run"], ["SCENARIO: name at least one file"]),
    ("nothing in it", ["run", "empty.yaml"], ["empty.yaml: there is no object in this text"]),
    ("nothing of use", ["run", "kubeconfig.yaml"], ["kubeconfig.yaml: contains nothing that scheduling uses"]),
    ("all problems of a file", ["run", "broken.yaml"], ["broken.yaml: document 1, line 3", "metadata.name", "line 4"]),
    ("problems of all files", ["run", "nosuch", "broken.yaml"], ["nosuch: No such file", "broken.yaml: document 1"]),
    (
        "twice",
        ["run", "node.yaml", "node.yaml"],
        ['node.yaml: document 1, line 4: metadata.name: "a": there is already a Node'],
    ),
    ("refused by admission", ["run", "node.yaml", "class.yaml"], ["class.yaml: Pod default/p: spec.priorityClassName"]),
    ("no UTF-8", ["validate", "--config", "latin1.yaml"], ["latin1.yaml: must be UTF-8 text, but byte 12 is not"]),
    ("no configuration", ["validate", "--config", "nothing.yaml"], ["nothing.yaml: decode: "]),
    ("both", ["validate", "--config", "nosuch", "broken.yaml"], ["nosuch: No such file", "broken.yaml: document 1"]),
    ("nothing to validate", ["validate"], ["nothing to validate"]),
    ("a number beyond", ["run", SHOP, "--until", "0"], ["'0' must be a whole number from 1"]),
    ("a seed beyond", ["run", SHOP, "--seed", str(1 << 63)], ["must be a whole number from 0"]),
    ("a trace nowhere", ["run", SHOP, "--trace", "no/such/file"], ["no/such/file: No such file or directory"]),
    ("no such module", ["run", SHOP, "--plugins", "no.such"], ["--plugins no.such: No module named 'no'"]),
    ("a module without", ["run", SHOP, "--plugins", "json"], ["has no attribute 'PLUGINS'"]),
]


@pytest.mark.parametrize(("arguments", "said"), [c[1:] for c in BAD_INPUT], ids=[c[0] for c in BAD_INPUT])
def test_bad_input(arguments: list[str], said: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(arguments) == 2
    printed = "".join(capsys.readouterr())
    assert [part for part in said if part not in printed] == []


def test_an_evicted_pod_is_gone_and_not_placed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["run", "preemption.yaml", "--assert-placed", "high=a"]) == 0
    printed = capsys.readouterr().out
    assert "2 pods: 1 placed, 0 pending, 1 evicted" in printed
    assert "Gone" in printed and "Preempted by pod" in printed
    for arguments in (["--assert-all-placed"], ["--assert-pending", "low"], ["--assert-placed", "low"]):
        assert _status(["run", "preemption.yaml", *arguments]) == 1
        assert "default/low is gone: Preempted by pod" in capsys.readouterr().out


def test_running_pods_are_counted_and_not_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["run", "preemption.yaml", "--table", "--until", "1"]) == 0
    (folder / "low.yaml").write_text(PREEMPTION.rpartition("---")[0])
    capsys.readouterr()
    assert _status(["run", "low.yaml", "--table", "--assert-placed", "low=a", "--assert-all-placed"]) == 0
    assert capsys.readouterr().out == "1 pods: 0 placed, 0 pending, 1 already running\n2 assertions, 0 failed\n"


DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 12, selector: {matchLabels: {a: b}}, template: {spec: {containers: [{name: c}]}}}
"""
GANGS = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: Coscheduling}]}}}]
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"


def test_nothing_placed_is_no_success(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "apps.yaml").write_text(f"{NODE}---{DEPLOYMENT}")
    assert _status(["run", "apps.yaml", "--assert-all-placed", "--assert-placed", "web-*"]) == 1
    said = capsys.readouterr().out
    assert "1 Deployment: no Pods are created from these; only Pods in the input are scheduled\n" in said
    assert "FAILED --assert-all-placed: the scenario has no Pod to place\n" in said
    assert "FAILED --assert-placed default/web-*: no such Pod in the scenario\n" in said
    assert _status(["validate", "apps.yaml"]) == 0
    assert capsys.readouterr().out == (
        "apps.yaml: ok\nnot used by scheduling: 1 Deployment\n"
        "1 Deployment: no Pods are created from these; only Pods in the input are scheduled\n"
    )


def test_a_folder_is_a_scenario(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "all" / "k").mkdir(parents=True)
    (folder / "all" / "node.yaml").write_text(NODE)
    (folder / "all" / "values.yaml").write_text("replicas: 3\n")
    (folder / "all" / "k" / "kustomization.yaml").write_text("resources: [pod.yaml]\n")
    (folder / "all" / "k" / "pod.yaml").write_text(POD)
    assert _status(["run", "all", "--assert-placed", "p=a"]) == 0
    assert "note: all/values.yaml: holds no object of the API\n" in capsys.readouterr().err
    (folder / "all" / "k" / "kustomization.yaml").write_text("resources: [pod.yaml]\nnamePrefix: x-\n")
    assert _status(["run", "all"]) == 2
    assert "kustomization.yaml: changes the files that it lists (namePrefix)" in capsys.readouterr().err


def test_a_configuration_among_objects_is_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packing = Path(PACKING).read_text()
    held = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": packing}})
    (folder / "mixed.yaml").write_text(f"{NODE}---\n{held}---\n{POD}")
    assert _status(["run", "mixed.yaml", "--assert-placed", "p"]) == 0
    assert capsys.readouterr().err == "note: the configuration in mixed.yaml, ConfigMap c, data.k is used\n"
    assert _status(["config", "mixed.yaml", "--export", "minimal"]) == 0
    assert "MostAllocated" in capsys.readouterr().out
    assert _status(["run", "mixed.yaml", "--config", PACKING]) == 0
    assert "is used, not that in mixed.yaml, ConfigMap c, data.k" in capsys.readouterr().err


def test_other_peoples_plugins_can_be_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "gangs.yaml").write_text(GANGS)
    assert _status(["run", "node.yaml", "--config", "gangs.yaml"]) == 2
    assert "it is out of tree, of kubernetes-sigs/scheduler-plugins: leave it out" in capsys.readouterr().err
    for command in (["run", "node.yaml", "--config"], ["config"]):
        assert _status([*command, "gangs.yaml", "--without-plugins"]) == 0
        said = "note: gangs.yaml: without Coscheduling (of kubernetes-sigs/scheduler-plugins) at multiPoint: the pods"
        assert capsys.readouterr().err.startswith(said)
    (folder / "old.yaml").write_text(GANGS.replace("/v1", "/v1beta3").replace("multiPoint", "permit"))
    assert _status(["config", "old.yaml", "--translate"]) == 0
    assert "note: old.yaml: without Coscheduling" in capsys.readouterr().err


def test_the_trace_is_the_simulations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _status(["run", SHOP, "--seed", "5", "--config", PACKING, "--trace", str(tmp_path / "out.jsonl")]) == 0
    simulation = Simulation.create(seed=5, config=Path(PACKING).read_text(), emulation=DEFAULT)
    objects = list(yaml.safe_load_all(Path(SHOP).read_text()))
    records = [
        *simulation.apply({"kind": "create", "objects": objects}),
        *simulation.apply({"kind": "run", "until": "idle"}),
    ]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert lines == [json.dumps(record.data, sort_keys=True, separators=(",", ":")) for record in records]


def test_the_same_seed_gives_the_same_bytes_and_several_files_are_one_scenario(tmp_path: Path) -> None:
    documents = Path(SHOP).read_text().split("---\n")
    (tmp_path / "nodes.yaml").write_text("---\n".join(documents[:3]))
    (tmp_path / "pods.yaml").write_text("---\n".join(documents[3:]))
    whole, again, parts = (tmp_path / name for name in ("whole", "again", "parts"))
    for target, scenario in (
        (whole, [SHOP]),
        (again, [SHOP]),
        (parts, [tmp_path / "nodes.yaml", tmp_path / "pods.yaml"]),
    ):
        assert _status(["run", *map(str, scenario), "--trace", str(target)]) == 0
    assert whole.read_bytes() == again.read_bytes() == parts.read_bytes() != b""


@pytest.mark.parametrize(("emulation", "flags"), [(DEFAULT, []), (V1_34_1, ["--emulate", "v1.34.1"])])
@pytest.mark.parametrize("given", [None, PACKING], ids=["the default", "a file"])
def test_the_written_configuration_is_the_given_one_in_full(
    given: str | None, emulation: Emulation, flags: list[str], tmp_path: Path
) -> None:
    flags = flags if given is None else [*flags, "--config", given]
    assert _status(["run", *flags, "--write-config-to", str(tmp_path / "full.yaml")]) == 0
    text = (tmp_path / "full.yaml").read_text()
    points = emulation.registry.points()
    assert emulation.load(text, points) == emulation.load(given and Path(given).read_text(), points)
    assert emulation.rules is not None
    assert check(text, points, rules=emulation.rules)["defaulted"] == yaml.safe_load(text)


def test_plugins_of_a_module_can_be_used(folder: Path) -> None:
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {"schedulerName": "default-scheduler", "plugins": {"multiPoint": {"enabled": [{"name": "Rack"}]}}}
        ],
    }
    (folder / "rack.yaml").write_text(json.dumps(config))
    assert _status(["validate", "--config", "rack.yaml"]) == 2
    assert _status(["validate", "--config", "rack.yaml", "--plugins", "examples.plugins"]) == 0
    assert _status(["run", SHOP, "--config", "rack.yaml", "--plugins", "examples.plugins"]) == 0


def test_extenders_are_not_called_and_that_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(PACKING).read_text() + "extenders:\n- {urlPrefix: http://127.0.0.1:1, filterVerb: filter}\n"
    (folder / "extender.yaml").write_text(text)
    assert _status(["run", SHOP, "--config", "extender.yaml"]) == 0
    assert "1 extenders are not called" in capsys.readouterr().err


def test_a_reader_that_leaves_is_no_failure_of_ours(tmp_path: Path) -> None:
    pod = PREEMPTION.rpartition("---")[2]
    (tmp_path / "many.yaml").write_text("---".join(pod.replace("high", f"p{i}") for i in range(500)))
    command = f"{sys.executable} -m playground run many.yaml --trace - | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (141, False)


def test_a_broken_engine_is_not_taken_for_a_failed_assertion(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Simulation, "attempt", broken)
    assert _status(["run", SHOP]) == 3
    assert "ZeroDivisionError" in capsys.readouterr().err


def _status(arguments: Sequence[str]) -> int:
    """The exit status, as the shell sees it."""
    try:
        return main(arguments)
    except SystemExit as error:
        assert isinstance(error.code, int)
        return error.code


STORIES = [
    # name, story, status, said
    ("nothing happens", "[]", 0, "6 pods: 0 placed, 6 pending"),
    (
        "a pod ends",
        "[{kind: schedule_one}, {kind: finish_pod, pod: shop/web-0, phase: Failed}]",
        0,
        "5 pending, 1 ended",
    ),
    ("refused on the way", "[{kind: schedule_one}, {kind: cordon, node: x}]", 2, '[1].node: "x": no such Node'),
    ("no list", "{kind: schedule_one}", 2, "story.yaml: must be one list of commands"),
    ("no YAML", "[{", 2, "story.yaml:2: is not valid YAML"),
    ("no commands", "[run, {kind: run}]", 2, "[0]: must be an object"),
    ("JSON", '[\n  {"kind": "run", "until": {"cycles": 1}}\n]', 0, "1 placed, 5 pending"),
]


@pytest.mark.parametrize(("story", "status", "said"), [case[1:] for case in STORIES], ids=[case[0] for case in STORIES])
def test_a_story_of_commands(
    story: str, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "story.yaml").write_text(story)
    assert main(["run", SHOP, "--commands", "story.yaml"]) == status
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


TYPOS = """
apiVersion: v1
kind: Pod
metadata: {name: p1}
spec:
  nodeSelctor: {gpu: "yes"}
  containers: [{name: c, image: c, resource: {requests: {cpu: 8}}}]
---
apiVersion: v1
kind: Node
metadata: {name: n1}
\u00a0 status: {phase: x}
"""


@pytest.mark.parametrize("command", ["validate", "run"])
def test_unknown_fields_are_warned_of(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "typos.yaml").write_text(TYPOS)
    main([command, str(tmp_path / "typos.yaml")])
    assert capsys.readouterr().err.splitlines()[:3] == [
        'warning: Node n1: unknown field "\\u00a0 status"; its indentation has no-break spaces, which are part of the '
        "name; replace them with plain spaces",
        'warning: Pod default/p1: unknown field "spec.containers[].resource"; did you mean "resources"?',
        'warning: Pod default/p1: unknown field "spec.nodeSelctor"; did you mean "nodeSelector"?',
    ]


OWNED = """
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: wide, uid: u-1}
spec:
  replicas: 1
  selector: {matchLabels: {app: wide}}
  template: {metadata: {labels: {app: wide}}, spec: {containers: [{name: c, image: c}]}}
---
apiVersion: v1
kind: Pod
metadata:
  name: wide-0
  labels: {app: wide}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: wide, uid: u-1, controller: true}]
spec: {containers: [{name: c, image: c}]}
"""


def test_owners_without_a_namespace_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "owned.yaml").write_text(OWNED)
    main(["run", str(tmp_path / "owned.yaml"), "--actors", "all", "--until", "1m"])
    assert "owners are missing" not in capsys.readouterr().err


@pytest.mark.parametrize(("actors", "says"), [("none", True), ("all", False)])
def test_controllers_of_a_command_file_make_pods(
    actors: str, says: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "owned.yaml").write_text(OWNED.partition("---")[0])
    (tmp_path / "story.yaml").write_text(f"[{{kind: set_actors, actors: {actors}}}, {{kind: run, until: idle}}]")
    main(["run", str(tmp_path / "owned.yaml"), "--commands", str(tmp_path / "story.yaml")])
    assert ("1 ReplicaSet: no Pods are created from these" in capsys.readouterr().out) is says
