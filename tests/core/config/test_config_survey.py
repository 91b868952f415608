"""All problems at once: of every stage, by path and line, and none for what kube-scheduler accepts."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.config_v1_34 import survey

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"


def _rows() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: str(row["scenario"]["name"]))
def test_it_agrees_with_kube_scheduler(row: dict[str, Any]) -> None:
    problems = survey(row["scenario"]["yaml"])
    assert (not problems) == row["expected"]["ok"]
    assert all(problem.rule for problem in problems)


MANY = """\
parallelism: 0
paralellism: 3
podInitialBackoffSeconds: "x"
profiles:
- schedulerName: a
  percentageOfNodesToScore: 300
  plugins:
    score:
      enabled:
      - name: NodeResourceFit
        weight: x
      - name: NodeName
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: Most, resources: [{name: cpu, weight: 400}]}
  - name: InterPodAffinity
    args: {hardPodAffinityWeight: 101, foo: 1}
  - name: DynamicResources
    args: {filterTimeout: 5}
- schedulerName: a
"""


def test_every_stage_speaks_at_once() -> None:
    assert [(problem.path, problem.line) for problem in survey(HEAD + MANY)] == [
        ("parallelism", 3),
        ("paralellism", 4),
        ("podInitialBackoffSeconds", 5),
        ("profiles[0].percentageOfNodesToScore", 8),
        ("profiles[0].plugins.score.enabled[0]", 12),
        ("profiles[0].plugins.score.enabled[0].weight", 13),
        ("profiles[0].plugins.score.enabled[1]", 14),
        ("profiles[0].pluginConfig[0].args.scoringStrategy.type", 18),
        ("profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight", 18),
        ("profiles[0].pluginConfig[1].args.foo", 20),
        ("profiles[0].pluginConfig[1].args.hardPodAffinityWeight", 20),
        ("profiles[0].pluginConfig[2].args.filterTimeout", 22),
        ("profiles[1].schedulerName", 23),
    ]


CASES = [
    # name                 text                                               path            hint
    ("not YAML", "a: [", "", ""),
    ("a misspelt plugin", HEAD + "profiles: [{plugins: {score: {enabled: [{name: NodeResourceFit}]}}}]",
     "profiles[0].plugins.score.enabled[0]", 'did you mean "NodeResourcesFit"?'),
    ("a misspelt field", HEAD + "paralellism: 3", "paralellism", 'did you mean "parallelism"?'),
    ("unknown at all points", HEAD + "profiles: [{plugins: {multiPoint: {enabled: [{name: NodeNam}]}}}]",
     "profiles[0].plugins.multiPoint.enabled[0]", 'did you mean "NodeName"?'),
    ("no queue sort", HEAD + "profiles: [{plugins: {queueSort: {disabled: [{name: '*'}]}}}]",
     "profiles[0].plugins.queueSort", ""),
    ("no kind", "apiVersion: kubescheduler.config.k8s.io/v1\n", "kind", "add kind: KubeSchedulerConfiguration"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "hint"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_path_and_likely_fix(text: str, path: str, hint: str) -> None:
    first = survey(text)[0]
    assert (first.path, first.hint) == (path, hint)


def test_the_text_is_not_repeated() -> None:
    assert survey("kind: KubeSchedulerConfiguration\n")[0].rule == "Object 'apiVersion' is missing"
