"""The table of a draft: for a valid text it is what the engine builds, and a text with mistakes still has one."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.config.types import EXTENSION_POINTS
from tests.config_v1_34 import origins, table

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
VECTORS = Path(__file__).parents[2] / "conformance" / "config.jsonl.gz"


def _texts() -> list[tuple[bool, str]]:
    with gzip.open(VECTORS, "rt") as lines:
        return [(row["expected"]["ok"], row["scenario"]["yaml"]) for row in map(json.loads, lines)]


TEXTS = _texts()


def _shown(entries: Sequence[Mapping[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(entry.get(name) for name in names) for entry in entries]


def test_what_runs_is_what_the_engine_builds() -> None:
    looked_at = 0
    for text in (text for accepted, text in TEXTS if accepted):
        made, built = table(text), origins(text)["profiles"]
        assert made is not None
        for profile, want in zip(made, built, strict=True):
            for point in EXTENSION_POINTS:
                found = profile["points"][point]
                names = ("plugin", "origin", "weight")
                assert _shown(found["enabled"], *names) == _shown(want["points"][point]["enabled"], *names), text
                off = ("plugin", "by", "at")
                assert _shown(found["disabled"], *off) == _shown(want["points"][point]["disabled"], *off), text
                looked_at += 1
    assert looked_at > 500


def test_what_is_refused_has_a_table_too() -> None:
    """Whatever kube-scheduler says to it: only what is no YAML at all has nothing to show."""
    tables = [table(text) for accepted, text in TEXTS if not accepted]
    assert len([made for made in tables if made]) > 0.9 * len(tables) > 50


def at(plugins: str, point: str) -> Any:
    made = table(f"{HEAD}profiles: [{{plugins: {plugins}}}]")
    assert made is not None
    return made[0]["points"][point]


BINDER = ("DefaultBinder", "default", None, True)
ENABLED = [
    # name, plugins, point, want: plugin, origin, index, multi
    ("default", "{}", "bind", [BINDER]),
    ("a plugin that is not there", "{bind: {enabled: [{name: Nobody}]}}", "bind",
     [BINDER, ("Nobody", "explicit", 0, False)]),
    ("in its place", "{bind: {enabled: [{name: DefaultBinder}]}}", "bind", [("DefaultBinder", "explicit", 0, True)]),
    ("instead of all", '{bind: {enabled: [{name: DefaultBinder}], disabled: [{name: "*"}]}}', "bind",
     [("DefaultBinder", "explicit", 0, False)]),
    ("twice", "{bind: {enabled: [{name: DefaultBinder}, {name: DefaultBinder}]}}", "bind",
     [("DefaultBinder", "explicit", 0, True), ("DefaultBinder", "explicit", 1, True)]),
    ("twice for all points", "{multiPoint: {enabled: [{name: DefaultBinder}, {name: DefaultBinder}]}}", "bind",
     [("DefaultBinder", "multiPoint", None, True)]),
    ("one for all points", "{multiPoint: {enabled: [{name: NodePorts}], disabled: [{name: '*'}]}}", "multiPoint",
     [("NodePorts", "explicit", 0, True)]),
    ("nothing for all points", '{multiPoint: {disabled: [{name: "*"}]}}', "bind", []),
    ("a name that is a number", "{bind: {enabled: [{name: 7}]}}", "bind", [BINDER, ("", "explicit", 0, False)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("plugins", "point", "want"), [case[1:] for case in ENABLED], ids=[case[0] for case in ENABLED]
)
def test_rows(plugins: str, point: str, want: list[tuple[Any, ...]]) -> None:
    assert _shown(at(plugins, point)["enabled"], "plugin", "origin", "index", "multi") == want


RETURNS = [
    ("by its name", "{filter: {disabled: [{name: NodePorts}]}}", True),
    ("by all names", '{filter: {disabled: [{name: "*"}]}}', False),
    ("by both", '{filter: {disabled: [{name: NodePorts}, {name: "*"}]}}', False),
    ("at all points", "{multiPoint: {disabled: [{name: NodePorts}]}}", False),
    ("twice", "{filter: {disabled: [{name: NodePorts}]}, multiPoint: {disabled: [{name: NodePorts}]}}", False),
]


@pytest.mark.parametrize(("plugins", "returns"), [case[1:] for case in RETURNS], ids=[case[0] for case in RETURNS])
def test_what_runs_again_once_its_name_is_gone(plugins: str, returns: bool) -> None:
    assert [each["returns"] for each in at(plugins, "filter")["disabled"] if each["plugin"] == "NodePorts"] == [returns]


WEIGHTS = [
    ("nowhere", "{}", 2, None),
    ("at score", "{score: {enabled: [{name: NodeName}, {name: NodeAffinity, weight: 9}]}}", 9, ("score", 1)),
    ("for all points", "{multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}}", 9, ("multiPoint", 0)),
    ("by both", "{score: {enabled: [{name: NodeAffinity}]}, multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}}",
     1, ("score", 0)),
    ("no number", "{score: {enabled: [{name: NodeAffinity, weight: heavy}]}}", 1, ("score", 0)),
]  # fmt: skip


@pytest.mark.parametrize(("plugins", "weight", "where"), [case[1:] for case in WEIGHTS], ids=[c[0] for c in WEIGHTS])
def test_the_weight_is_that_of_its_first_entry(plugins: str, weight: int, where: tuple[str, int] | None) -> None:
    row = next(each for each in at(plugins, "score")["enabled"] if each["plugin"] == "NodeAffinity")
    entry = row["weightAt"] and (row["weightAt"]["point"], row["weightAt"]["index"])
    assert (row["weight"], entry) == (weight, where)


def test_no_profile_is_the_default_one() -> None:
    made = table(HEAD)
    assert made == table(f"{HEAD}profiles: [{{}}]")
    assert made is not None and made[0]["points"]["multiPoint"]["enabled"][0]["plugin"] == "SchedulingGates"
    assert table("profiles: [") is None


def test_a_default_plugin_returns_to_all_points_unless_all_are_off() -> None:
    def off(names: str) -> dict[str, tuple[str, bool]]:
        found = at(f"{{multiPoint: {{disabled: [{names}]}}}}", "multiPoint")["disabled"]
        return {each["plugin"]: (each["by"], each["returns"]) for each in found}

    assert off("{name: NodePorts}") == {"NodePorts": ("NodePorts", True)}
    both = off('{name: "*"}, {name: NodePorts}')
    assert (both["NodePorts"], both["NodeName"]) == (("NodePorts", False), ("*", False))
