"""`--feature-gates`, wherever `--config` is taken; and those that a file of kind or kubeadm says."""

import json
from pathlib import Path

import pytest

from playground.__main__ import main
from tests.core.cycle.test_group import gang, node, pod
from tests.core.gates.test_in_place import CLUSTER_FILES, GANGS

FLAG = f"--feature-gates={GANGS}"
OF_SCENARIOS: dict[str, list[str]] = {
    "run": ["gang.yaml"],
    "explain": ["--scenario=gang.yaml", "--pod=default/x"],
    "repair": ["gang.yaml", "--pod=default/x"],
    "life": ["--scenario=gang.yaml", "--pod=default/x"],
    "capacity": ["gang.yaml", "--pod=pod.yaml"],
    "validate": ["gang.yaml"],
    "config": ["config.yaml"],
    "trace": ["."],
}


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    objects = [node("a", "2"), gang("pair", 2), pod("x", "pair"), pod("y", "pair")]
    Path("gang.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    for name, text in CLUSTER_FILES.items():
        Path(f"{name}.yaml").write_text(text)
    Path("pod.yaml").write_text(json.dumps(pod("one")))
    Path("config.yaml").write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
    return "gang.yaml"


def test_half_a_gang_is_placed_without_them_only(scenario: str) -> None:
    assert main(["run", scenario, "--assert-placed=default/x"]) == 0
    assert main(["run", scenario, FLAG, "--assert-pending=default/x"]) == 0


@pytest.mark.parametrize("name", CLUSTER_FILES)
def test_a_file_that_makes_a_cluster_says_its_gates(
    name: str, scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", scenario, FLAG])
    flagged = capsys.readouterr().out
    main(["run", scenario, f"{name}.yaml"])
    printed = capsys.readouterr()
    assert printed.out == flagged
    assert f"note: the feature gates among the objects are used: {GANGS}" in printed.err
    main(["run", scenario, f"{name}.yaml", "--feature-gates=SchedulerPopFromBackoffQ=false"])
    assert "note: --feature-gates is used, not those among the objects" in capsys.readouterr().err


@pytest.mark.parametrize("command", OF_SCENARIOS)
def test_wrong_ones_are_refused_with_upstreams_text(
    command: str, scenario: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, *OF_SCENARIOS[command], "--feature-gates=NoSuchGate=true"]) == 2
    told = capsys.readouterr().err
    assert 'invalid argument "NoSuchGate=true" for "--feature-gates" flag' in told
    assert "unrecognized feature gate: NoSuchGate" in told


def test_an_export_says_the_flag(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("minimal", "full", "second-scheduler", "static-pod"):
        assert main(["config", "config.yaml", "--export", form, FLAG]) == 0
        printed = capsys.readouterr().out
        assert FLAG in printed
        assert f"v1.36.3 {GANGS}" not in printed
