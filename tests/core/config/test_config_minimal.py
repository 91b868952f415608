"""The minimal configuration means the same, and says nothing that need not be said."""

import dataclasses
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.config import SchedulerConfiguration
from tests.config_v1_34 import check, default_configuration, load, minimal_yaml

VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"


def _accepted() -> list[dict[str, Any]]:
    with gzip.open(VECTORS, "rt") as lines:
        return [row for row in map(json.loads, lines) if row["expected"]["ok"]]


ACCEPTED = _accepted()
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def _by_plugin(config: SchedulerConfiguration) -> SchedulerConfiguration:
    """The order of pluginConfig means nothing."""
    profiles = (
        dataclasses.replace(profile, plugin_config=tuple(sorted(profile.plugin_config, key=lambda entry: entry.name)))
        for profile in config.profiles
    )
    return dataclasses.replace(config, profiles=tuple(profiles))


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: str(row["scenario"]["name"]))
def test_it_is_read_back_as_the_same(row: dict[str, Any]) -> None:
    config = load(row["scenario"]["yaml"])
    text = minimal_yaml(config)
    assert _by_plugin(load(text)) == _by_plugin(config)
    assert check(text)["effective"] == row["expected"]["effective"]


def test_the_default_configuration_says_nothing() -> None:
    assert minimal_yaml(default_configuration()) == HEAD


def test_only_what_differs_is_left() -> None:
    text = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 16
podMaxBackoffSeconds: 30
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      enabled:
      - name: NodeAffinity
        weight: 2
      - name: TaintToleration
        weight: 5
  pluginConfig:
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 1
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: 1
        - name: memory
          weight: 1
"""
    assert minimal_yaml(load(text)) == (
        f"{HEAD}podMaxBackoffSeconds: 30\n"
        "profiles:\n"
        "- plugins:\n"
        "    multiPoint:\n"
        "      enabled:\n"
        "      - name: TaintToleration\n"
        "        weight: 5\n"
        "  pluginConfig:\n"
        "  - name: NodeResourcesFit\n"
        "    args:\n"
        "      scoringStrategy:\n"
        "        type: MostAllocated\n"
    )
