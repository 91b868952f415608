"""Where each plugin, argument and setting comes from, and what differs between two configurations."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.config.types import EXTENSION_POINTS
from tests.config_v1_34 import check, default_configuration, difference, load, origins

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"


def _accepted() -> list[str]:
    with gzip.open(VECTORS, "rt") as lines:
        return [row["scenario"]["yaml"] for row in map(json.loads, lines) if row["expected"]["ok"]]


ACCEPTED = _accepted()


@pytest.mark.parametrize("text", ACCEPTED, ids=range(len(ACCEPTED)))
def test_the_plugins_in_effect_are_kube_schedulers(text: str) -> None:
    expanded = check(text)["effective"]
    for profile in origins(text)["profiles"]:
        for point in EXTENSION_POINTS:
            entries = profile["points"][point]["enabled"]
            names = [[entry["plugin"], entry["weight"]] if point == "score" else entry["plugin"] for entry in entries]
            assert names == expanded[profile["schedulerName"]][point]
            assert not {entry["plugin"] for entry in entries} & {
                entry["plugin"] for entry in profile["points"][point]["disabled"]
            }


@pytest.mark.parametrize("text", ACCEPTED, ids=range(len(ACCEPTED)))
def test_nothing_differs_from_itself(text: str) -> None:
    assert difference(load(text), load(text)) == []


def point(plugins: str, name: str) -> dict[str, list[tuple[Any, ...]]]:
    found = origins(f"{HEAD}profiles: [{{plugins: {plugins}}}]")["profiles"][0]["points"][name]
    return {
        "enabled": [(entry["plugin"], entry["origin"]) for entry in found["enabled"]],
        "disabled": [(entry["plugin"], entry["by"], entry["at"]) for entry in found["disabled"]],
    }


BIND = [("DefaultBinder", "default")]
CASES = [
    # name, plugins, point, want
    ("default", "{}", "bind", {"enabled": BIND, "disabled": []}),
    (
        "disabled by name at its point",
        "{preEnqueue: {disabled: [{name: SchedulingGates}]}}",
        "preEnqueue",
        {
            "enabled": [("DynamicResources", "default"), ("DefaultPreemption", "default")],
            "disabled": [("SchedulingGates", "SchedulingGates", "preEnqueue")],
        },
    ),
    (
        "disabled by name at all points",
        "{multiPoint: {disabled: [{name: DynamicResources}]}}",
        "postFilter",
        {
            "enabled": [("DefaultPreemption", "default")],
            "disabled": [("DynamicResources", "DynamicResources", "multiPoint")],
        },
    ),
    (
        "disabled by *, one on again",
        "{postFilter: {disabled: [{name: '*'}], enabled: [{name: DefaultPreemption}]}}",
        "postFilter",
        {"enabled": [("DefaultPreemption", "explicit")], "disabled": [("DynamicResources", "*", "postFilter")]},
    ),
    (
        "nothing but one's own",
        "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: DefaultBinder}, {name: PrioritySort}]}}",
        "bind",
        {"enabled": [("DefaultBinder", "multiPoint")], "disabled": []},
    ),
]


@pytest.mark.parametrize(("plugins", "name", "want"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_origin_of_plugins(plugins: str, name: str, want: dict[str, Any]) -> None:
    assert point(plugins, name) == want


def test_weights_say_what_the_default_is() -> None:
    text = f"{HEAD}profiles: [{{plugins: {{score: {{enabled: [{{name: TaintToleration, weight: 7}}]}}}}}}]"
    first = origins(text)["profiles"][0]["points"]["score"]["enabled"][0]
    assert first == {"plugin": "TaintToleration", "origin": "explicit", "weight": 7, "defaultWeight": 3}


def test_arguments_are_default_or_set() -> None:
    text = f"""{HEAD}
percentageOfNodesToScore: 0
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {{scoringStrategy: {{type: LeastAllocated}}}}
  - name: Unheard
    args: {{a: 1}}
extenders:
- urlPrefix: http://x.example
  managedResources: [{{name: x.example/gpu, ignoredByScheduler: true}}]
"""
    made = origins(text)
    (profile,) = made["profiles"]
    args = {entry["plugin"]: entry for entry in profile["args"]}
    fit = {field["path"]: (field["value"], field["origin"]) for field in args["NodeResourcesFit"]["fields"]}
    assert fit["scoringStrategy.type"] == ("LeastAllocated", "set")
    assert fit["scoringStrategy.resources"][1] == "default"
    assert fit["ignoredResources"] == (["x.example/gpu"], "extender")
    assert args["Unheard"] == {
        "plugin": "Unheard",
        "used": False,
        "fields": [{"path": "", "value": {"a": 1}, "default": None, "origin": "set"}],
    }
    assert args["InterPodAffinity"]["fields"][0] == {
        "path": "hardPodAffinityWeight",
        "value": 1,
        "default": 1,
        "origin": "default",
    }
    settings = {entry["path"]: entry["origin"] for entry in made["settings"]}
    assert settings["percentageOfNodesToScore"] == "set"
    assert settings["leaderElection.leaseDuration"] == "default"
    assert made["extenders"] == 1


CHANGED = f"""{HEAD}
podMaxBackoffSeconds: 30
profiles:
- schedulerName: default-scheduler
  percentageOfNodesToScore: 50
  plugins:
    multiPoint:
      disabled: [{{name: ImageLocality}}]
    filter:
      enabled: [{{name: NodeAffinity}}]
    score:
      disabled: [{{name: TaintToleration}}]
      enabled: [{{name: TaintToleration, weight: 7}}]
  pluginConfig:
  - name: NodeResourcesFit
    args: {{scoringStrategy: {{type: MostAllocated}}}}
- schedulerName: batch
extenders:
- urlPrefix: http://x.example
"""
NAME = "default-scheduler"
CHANGES = [
    {"change": "setting", "path": "podMaxBackoffSeconds", "before": 10, "after": 30},
    {
        "change": "extender",
        "path": "extenders[0]",
        "before": None,
        "after": {"urlPrefix": "http://x.example", "httpTimeout": "0s"},
    },
    {"change": "profile added", "profile": "batch"},
    {"change": "setting", "profile": NAME, "path": "percentageOfNodesToScore", "before": None, "after": 50},
    {"change": "plugin removed", "profile": NAME, "plugin": "ImageLocality", "points": ["score"]},
    {"change": "plugin moved", "profile": NAME, "plugin": "NodeAffinity", "point": "filter", "before": 4, "after": 1},
    {
        "change": "plugin moved",
        "profile": NAME,
        "plugin": "TaintToleration",
        "point": "score",
        "before": 1,
        "after": 7,
    },
    {"change": "weight", "profile": NAME, "plugin": "TaintToleration", "before": 3, "after": 7},
    {
        "change": "argument",
        "profile": NAME,
        "plugin": "NodeResourcesFit",
        "path": "scoringStrategy.type",
        "before": "LeastAllocated",
        "after": "MostAllocated",
    },
]


def test_what_differs_from_the_defaults() -> None:
    assert difference(default_configuration(), load(CHANGED)) == CHANGES


def test_the_way_back_is_the_inverse() -> None:
    back = difference(load(CHANGED), default_configuration())
    assert {"change": "profile removed", "profile": "batch"} in back
    assert {"change": "plugin added", "profile": NAME, "plugin": "ImageLocality", "points": ["score"]} in back
    assert {"change": "weight", "profile": NAME, "plugin": "TaintToleration", "before": 7, "after": 3} in back


def test_how_it_is_written_does_not_matter() -> None:
    plain = f"{HEAD}profiles: [{{plugins: {{multiPoint: {{enabled: [{{name: TaintToleration, weight: 3}}]}}}}}}]"
    assert difference(default_configuration(), load(plain)) == []
