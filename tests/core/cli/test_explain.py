"""`explain` from outside: scenarios and pasted texts in, reasons and exit statuses out."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from playground.__main__ import main

ROOT = Path(__file__).parents[3]
SHOP = str(ROOT / "examples" / "scenarios" / "shop.yaml")
PACKING = str(ROOT / "examples" / "scenarios" / "packing.yaml")
PREEMPTION = """
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: low, namespace: default}
spec: {nodeName: a, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: high, namespace: default}
spec: {priority: 10, containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
"""


def explain(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    status = main(["explain", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


# arguments, status, texts of the output in their order
CASES: list[tuple[list[str], int, list[str]]] = [
    (
        ["--scenario", SHOP, "--pod", "shop/report"],
        1,
        [
            "shop/report: 0/3 nodes are available",
            "2 Insufficient cpu: node-a, node-b",
            "node(s) were unschedulable: node-c",
        ],
    ),
    (
        ["--scenario", SHOP, "--pod", "shop/report", "--node", "node-a"],
        1,
        ["NodeResourcesFit rejected node-a; evicting pods cannot help", "✕ cpu: requests 6, but the node has only 4"],
    ),
    (
        ["--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-a"],
        0,
        ["shop/web-2: node-b was chosen", "(4000 − 1000) × 100 / 4000 = 75", "node-a could take the pod"],
    ),
    (
        ["--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-a"],
        0,
        ["node-a could take the pod", "node-b and node-a have the same total; node-b was drawn"],
    ),
    (
        ["--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-c", "--against", "node-a"],
        0,
        ["node-a could take the pod; NodeUnschedulable rejected node-c: node(s) were unschedulable"],
    ),
    (
        ["--scenario", SHOP, "--config", PACKING, "--pod", "shop/web-2"],
        0,
        ["NodeResourcesFit (MostAllocated)"],
    ),
    (["--scenario", SHOP, "--pod", "shop/batch-0"], 1, ["shop/batch-0: is gated by SchedulingGates"]),
    (
        ["--scenario", SHOP, "--pod", "shop/web-2", "--domain", "zone-a"],
        0,
        ["pods in topology.kubernetes.io/zone=zone-a that the selector matches", "✓ shop/web-1 on node-a: counts"],
    ),
    (["--what", "NodePorts"], 0, ["NodePorts (plugin)", "https://kubernetes.io/docs/"]),
    (["--decode", "0/2 nodes are available: 2 Too many pods."], 0, ["- 2 nodes: Too many pods  [NodeResourcesFit]"]),
    (
        ["--decode", "0/2 nodes are available: 2 the moon is full."],
        1,
        ["not a known message of kube-scheduler"],
    ),
]


@pytest.mark.parametrize(("arguments", "status", "texts"), CASES, ids=[" ".join(case[0])[-50:] for case in CASES])
def test_it_explains(arguments: list[str], status: int, texts: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    got, out, err = explain(capsys, *arguments)
    assert (got, err) == (status, "")
    places = [out.find(text) for text in texts]
    assert -1 not in places and places == sorted(places), out


def test_preemption_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.yaml").write_text(PREEMPTION)
    status, out, _ = explain(capsys, "--scenario", str(tmp_path / "p.yaml"), "--pod", "high")
    assert status == 1
    assert "DefaultPreemption nominated a, where 1 pod is evicted" in out
    assert "◆ a: evicts default/low; spares none" in out


SPREAD = """
apiVersion: v1
kind: Node
metadata: {name: a, labels: {zone: east}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {app: web}}
spec:
  containers: [{name: c, image: i}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
"""


def test_spread_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.yaml").write_text(SPREAD)
    status, out, _ = explain(capsys, "--scenario", str(tmp_path / "s.yaml"), "--pod", "web")
    assert status == 0
    assert "spread over zone, maxSkew 1, DoNotSchedule: app=web\n  east: 0 of its pods count, skew 1, fits\n" in out


def test_a_pod_that_runs_already_needs_no_explanation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.yaml").write_text(PREEMPTION)
    status, out, _ = explain(capsys, "--scenario", str(tmp_path / "p.yaml"), "--pod", "low")
    assert (status, out) == (0, "default/low: already runs on a, so there is nothing to schedule\n")


def test_json_has_the_shapes_of_the_functions(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = explain(capsys, "--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-a", "--json")
    told: dict[str, Any] = json.loads(out)
    assert status == 0
    assert told.keys() == {
        *("pod", "profile", "tree", "preemption", "spread", "claims", "ledger"),
        *("node", "allocation", "nodeLedger", "compare"),
    }
    assert told["tree"]["outcome"] == "scheduled" and told["ledger"]["total"]["value"] == 454
    _, out, _ = explain(capsys, "--json", "--decode", "0/1 nodes are available: 1 Insufficient cpu.")
    assert json.loads(out)["parts"][0]["plugin"] == "NodeResourcesFit"


def test_standard_input_is_decoded(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0/1 nodes are available: 1 Insufficient cpu.\n"))
    status, out, _ = explain(capsys, "--decode", "-")
    assert status == 0 and "less cpu left" in out


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        (["--scenario", SHOP], "--pod: is required with --scenario"),
        (["--scenario", SHOP, "--pod", "shop/web-2", "--against", "node-a"], "--against: needs --node"),
        (
            ["--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-a", "--against", "node-x"],
            "--against: there is no node 'node-x'; did you mean",
        ),
        (["--scenario", SHOP, "--pod", "shop/wep-2"], 'no pod shop/wep-2 in the scenario; did you mean "shop/web-'),
        (
            ["--scenario", SHOP, "--pod", "shop/web-2", "--node", "node-x"],
            "there is no node 'node-x'; did you mean",
        ),
        (["--scenario", "nowhere.yaml", "--pod", "x"], "nowhere.yaml: No such file"),
        (
            ["--scenario", SHOP, "--pod", "shop/web-2", "--domain", "zone-x"],
            """--domain: no spread constraint of the pod has the domain 'zone-x'; did you mean "zone-""",
        ),
        (["--decode", "x", "--complete"], "--complete: needs --scenario"),
        (["--what", "NodePort"], """--what: unknown name 'NodePort'; did you mean "NodePorts"?"""),
        (["--scenario", SHOP, "--config", "nowhere.yaml", "--pod", "x"], "nowhere.yaml: No such file"),
    ],
)
def test_unusable_input(arguments: list[str], want: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = explain(capsys, *arguments)
    assert (status, out) == (2, "")
    assert want in err


@pytest.mark.parametrize("arguments", [[], ["--scenario", SHOP, "--decode", "x"], ["--seed", "x", "--decode", "y"]])
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        explain(capsys, *arguments)
    assert ended.value.code == 2
