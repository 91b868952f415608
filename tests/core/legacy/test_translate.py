"""Translations of past configurations. The golden files were read line by line when they were made; to make one again:

python -m playground config FILE --translate > FILE.translated
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from playground.__main__ import main
from scheduler_core.emulations import EMULATIONS
from scheduler_core.legacy.translation.successors import SUCCESSORS
from scheduler_core.legacy.translation.translate import translate
from scheduler_core.releases import IN_TREE_POINTS
from tests.config_v1_34 import check

FOLDER = Path(__file__).parent / "translations"
SOURCES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".translated")
VECTORS = Path(__file__).parents[2] / "conformance" / "legacy"
HEAD = "apiVersion: kubescheduler.config.k8s.io/{}\nkind: KubeSchedulerConfiguration\n"


def policies() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in ("policy_config", "policy_table"):
        with gzip.open(VECTORS / f"{name}.jsonl.gz", "rt") as lines:
            rows += map(json.loads, lines)
    return [row for row in rows if row["scenario"]["policy"] and not row["scenario"]["config"]]


POLICIES = policies()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_golden(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", str(source), "--translate"]) == 0
    assert capsys.readouterr().out == source.with_name(f"{source.name}.translated").read_text()


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_value_has_a_line(source: Path) -> None:
    text = source.read_text()
    translation = translate(text)
    assert all(line.explanation for line in translation.lines)
    told = {(line.line, line.value) for line in translation.lines if line.path}
    written = text.splitlines()
    for number, value in told:
        assert number is not None
        assert value in written[number - 1].replace("'", "").replace('"', "") or value == ""
    assert {number for number, line in enumerate(written, 1) if _says_something(line)} <= {number for number, _ in told}


def _says_something(line: str) -> bool:
    content = line.split("#")[0].strip().strip("{}[], ")
    return bool(content) and not content.endswith((":", ": |"))


@pytest.mark.parametrize("row", POLICIES, ids=lambda row: str(row["scenario"]["name"]))
def test_policies_of_v1_20(row: dict[str, Any]) -> None:
    """What v1.20.2 accepts is translated, what it refuses is not; what still exists still runs, with its weight."""
    policy = row["scenario"]["policy"]
    translation = translate(policy if isinstance(policy, str) else json.dumps(policy))
    if not row["expected"]["ok"]:
        assert translation.problems and not translation.config_text
        return
    assert not translation.problems
    today = check(translation.config_text)["effective"]["default-scheduler"]
    then = row["expected"]["profiles"]["default-scheduler"]["effective"]
    for name in then["filter"]:
        assert name in SUCCESSORS or name in today["filter"]
    for name, weight in then["score"]:
        assert name in SUCCESSORS or [name, weight] in today["score"]
    old = [*then["filter"], *(name for name, _ in then["score"])]
    allowed = {*old, *(SUCCESSORS[name].plugin for name in old if name in SUCCESSORS), "DynamicResources"}
    allowed |= {"PodTopologySpread"} if "ServiceAffinity" in old else set()
    assert {*today["filter"], *(name for name, _ in today["score"])} <= allowed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("kind: Policy\npredicates: []\n", "add apiVersion: v1"),
        (
            '{"kind": "Policy", "apiVersion": "v1",\n "priorities": [{"name": "LeastRequestedPriorty", "weight": 1}]}',
            "did you",
        ),
        (HEAD.format("v1alpha3"), "use apiVersion"),
        (HEAD.format("v1beta2") + "parallellism: 3\n", "did you mean"),
        (HEAD.format("v1beta3") + "profiles: 3\n", ""),
        ("--algorithm-provider=DefaultProvidr\n", "did you mean"),
        ("--algorithm-providr=DefaultProvider\n", "did you mean"),
        ("a: [", ""),
    ],
)
def test_what_is_wrong_is_not_translated(text: str, problem: str) -> None:
    translation = translate(text)
    assert not translation.config_text
    assert any(problem in each.hint for each in translation.problems)


def test_problems_tell_their_line() -> None:
    policy = "kind: Policy\n    apiVersion: v1\n    priorities:\n    - name: LeastRequestedPriority\n      weight: 0\n"
    (problem,) = translate(f"kind: ConfigMap\napiVersion: v1\ndata:\n  policy.cfg: |\n    {policy}").problems
    assert problem.line == 9


def test_a_result_that_today_refuses_says_so() -> None:
    text = HEAD.format("v1beta1") + "leaderElection: {leaderElect: true, renewDeadline: 15s}\n"
    translation = translate(text)
    assert translation.config_text
    assert [problem.path for problem in translation.problems] == ["leaderElection.leaseDuration"]


def test_every_plugin_of_then_has_a_place_today() -> None:
    for name, successor in SUCCESSORS.items():
        assert name not in IN_TREE_POINTS
        assert successor.plugin in ("", *IN_TREE_POINTS)
        assert successor.explanation


@pytest.mark.parametrize(("version", "part"), [("v1.34.1", ""), ("v1.36.3", "requestedToCapacityRatio.")])
def test_what_is_wrong_afterwards_is_said_in_the_words_of_the_version_that_reads_it(version: str, part: str) -> None:
    emulation = EMULATIONS[version]
    assert emulation.rules is not None
    shape = "[{utilization: 50, score: 1}, {utilization: 20, score: 5}]"
    strategy = f"{{type: RequestedToCapacityRatio, requestedToCapacityRatio: {{shape: {shape}}}}}"
    args = f"[{{name: NodeResourcesFit, args: {{scoringStrategy: {strategy}}}}}]"
    text = HEAD.format("v1beta3") + f"profiles: [{{pluginConfig: {args}}}]\n"
    (problem,) = translate(text, emulation.rules, emulation.registry.points()).problems
    assert problem.path == f"profiles[0].pluginConfig[0].args.scoringStrategy.{part}shape[1].utilization"
