"""The upgrade command: any version to any other, and an exit status for a pipeline."""

import json
from itertools import product
from pathlib import Path

import pytest

from playground.__main__ import main
from scheduler_core.emulations import EMULATIONS
from simulator.upgrade.changes import KINDS
from simulator.upgrade.report import VERSIONS

# From this version on NodeDeclaredFeatures looks at what a node declares.
KNOWING = VERSIONS[VERSIONS.index("v1.36.3") :]
# The first pod needs a feature that the node does not declare, which v1.36 looks at; the second fits nowhere.
SCENARIO = """apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: needs, namespace: default}
spec:
  hostNetwork: true
  hostUsers: false
  containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: big, namespace: default}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "9"}}}]}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    file = tmp_path / "cluster.yaml"
    file.write_text(SCENARIO)
    return str(file)


@pytest.mark.parametrize(("old", "new"), list(product(EMULATIONS, repeat=2)))
def test_any_version_to_any_other(scenario: str, old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", scenario, "--from", old, "--to", new]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"{old} → {new}"
    moves = (old in KNOWING) != (new in KNOWING)
    told = "1 of your 2 pods gets another node" if moves else "all of your 2 pods get the same node"
    assert any(line.startswith(told) for line in others), others
    if old == new:
        assert others == [told]


DEVICES = """apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: a
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1, taints: [{key: ecc-errors, effect: NoSchedule}]}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: two, namespace: default}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 2}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: trains, namespace: default}
spec:
  containers: [{name: c, image: x, resources: {requests: {cpu: "1"}, claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: two}]
---
"""
GANG = """apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: default}
spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: x}]}
---
"""
GATES = "GenericWorkload=true,GangScheduling=true"
POLICY = '{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}], "priorities": []}'
OF_TODAY = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
RELEASES = ("v1.20.2", "v1.34.1", "v1.36.3")
# Objects beside SCENARIO, a configuration, the versions that read it, and the pods that it is about.
SITUATIONS: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "devices": (DEVICES, "", RELEASES, "default/trains"),
    "gang": (GANG, "", RELEASES, "default/alone"),
    "policy": ("", POLICY, ("v1.20.2",), "default/needs"),
    "configuration of today": ("", OF_TODAY, ("v1.34.1", "v1.36.3"), "default/needs"),
}
# What becomes of the pod where the newest version is one side: it knows device taints, and the gates of gangs.
VERDICTS = {
    ("devices", "v1.20.2"): "placed",
    ("devices", "v1.34.1"): "placed",
    ("devices", "v1.36.3"): "unschedulable",
    ("gang", "v1.20.2"): "placed",
    ("gang", "v1.34.1"): "placed",
    ("gang", "v1.36.3"): "gated",
    ("policy", "v1.20.2"): "placed",
    ("policy", "v1.34.1"): "placed",
    ("policy", "v1.36.3"): "placed",
    ("configuration of today", "v1.34.1"): "placed",
    ("configuration of today", "v1.36.3"): "unschedulable",
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize(("old", "new"), list(product(RELEASES, repeat=2)))
def test_situations_of_every_kind(
    situation: str, old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    objects, config, reading, pod = SITUATIONS[situation]
    (tmp_path / "cluster.yaml").write_text(objects + SCENARIO)
    (tmp_path / "config").write_text(config)
    command = ["upgrade", str(tmp_path / "cluster.yaml"), "--from", old, "--to", new, "--fail-on", "verdict", "--json"]
    command += ["--config", str(tmp_path / "config")] if config else []
    for side, version in (("from", old), ("to", new)):
        command += [f"--{side}-feature-gates", GATES] if situation == "gang" and version == "v1.36.3" else []
    status = main(command)
    if config and old not in reading:
        assert status == 2
        return
    found = json.loads(capsys.readouterr().out)
    # A configuration of before is translated for the newer one; of today's the older one reads nothing.
    refused = situation == "configuration of today" and new not in reading
    assert bool(found["errors"]) == refused
    before, after = VERDICTS[situation, old], VERDICTS.get((situation, new))
    assert status == (1 if refused or before != after else 0)
    differences = [each for group in found["groups"] for each in group["examples"] if each["kind"] == "verdict"]
    told = {each["pod"]: (each["old"]["outcome"], each["new"]["outcome"]) for each in differences}
    if not refused:
        assert told.get(pod) == (None if before == after else (before, after))
    for group in found["groups"]:
        assert group["changes"] and not any("answers otherwise" in change["sentence"] for change in group["changes"])


@pytest.mark.parametrize(
    ("kinds", "status"),
    [((), 0), (("placement",), 1), (("verdict",), 1), (("score",), 0), (("score", "placement"), 1), (KINDS, 1)],
)
def test_a_pipeline_fails_on_the_differences_that_it_asks_about(
    scenario: str, kinds: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [option for kind in kinds for option in ("--fail-on", kind)]
    assert main(["upgrade", scenario, "--from", "v1.34.1", "--to", "v1.36.3", *options]) == status
    assert "needs" in capsys.readouterr().out


def test_it_does_not_fail_where_nothing_moves(scenario: str) -> None:
    assert main(["upgrade", scenario, "--from", "v1.36.3", "--to", "v1.36.3", "--fail-on", "placement"]) == 0


def test_a_configuration_that_the_new_version_cannot_read_is_a_difference(
    scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
    command = ["upgrade", scenario, "--config", str(config), "--to", "v1.20.2"]
    assert main([*command, "--from", "v1.34.1", "--fail-on", "placement"]) == 1
    assert "v1.20.2 does not start with this configuration" in capsys.readouterr().out
    assert main([*command, "--from", "v1.20.2"]) == 2, "nor could the old one"
