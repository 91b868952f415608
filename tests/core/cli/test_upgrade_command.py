"""The upgrade command: any version to any other, and an exit status for a pipeline."""

from itertools import product
from pathlib import Path

import pytest

from scheduler_core.__main__ import main
from scheduler_core.emulations import EMULATIONS
from scheduler_core.upgrade.changes import KINDS

VERSIONS, NEWEST = tuple(EMULATIONS), "v1.36.3"
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


@pytest.mark.parametrize(("old", "new"), list(product(VERSIONS, repeat=2)))
def test_any_version_to_any_other(scenario: str, old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", scenario, "--from", old, "--to", new]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"{old} → {new}"
    moves = (old == NEWEST) != (new == NEWEST)
    told = "1 of your 2 pods land elsewhere" if moves else "none of your 2 pods lands elsewhere"
    assert any(line.startswith(told) for line in others), others
    if old == new:
        assert others == [told]


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
