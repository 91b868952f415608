"""The form says of every field what decoding, defaulting and validation do with it."""

from collections.abc import Iterator
from typing import Any

import pytest

from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config import export_yaml, to_dict
from scheduler_core.config.fields import wire_fields
from scheduler_core.config.types import API_VERSION, KIND
from scheduler_core.releases import HELP, IN_TREE_POINTS
from tests.config_v1_34 import check, default_configuration, form, load, survey

FORM = form()
PLUGINS = {plugin["name"]: plugin for plugin in FORM["plugins"]}
Field = dict[str, Any]


def fields(entries: list[Field], prefix: str = "") -> Iterator[tuple[str, Field]]:
    """(path, field) of all, those inside objects and lists too; lists are written [0]."""
    for entry in entries:
        path = f"{prefix}{entry['name']}"
        yield path, entry
        inner = entry.get("item", {}).get("fields")
        yield from fields(inner, f"{path}[0].") if inner else fields(entry.get("fields", []), f"{path}.")


def every_field() -> Iterator[tuple[str, str, Field]]:
    for where, entries in (("settings", FORM["settings"]), ("extender", FORM["extender"])):
        yield from ((where, path, field) for path, field in fields(entries))
    for name, plugin in PLUGINS.items():
        yield from ((name, path, field) for path, field in fields(plugin["args"] or []))


def test_every_field_of_every_type_has_its_help() -> None:
    for cls, texts in HELP.items():
        assert [field.json for field in wire_fields(cls)] == list(texts), cls
        assert all(text.text or text.hidden for text in texts.values()), cls


def test_plugins_are_the_registry() -> None:
    assert {name: frozenset(plugin["points"]) for name, plugin in PLUGINS.items()} == IN_TREE_POINTS
    assert {name for name, plugin in PLUGINS.items() if plugin["default"]} == set(IN_TREE_POINTS)
    assert PLUGINS["TaintToleration"]["weight"] == 3
    assert PLUGINS["NodePorts"]["weight"] is None
    with_rack = form({**IN_TREE_POINTS, "Rack": frozenset({"score"})})["plugins"]
    assert {"name": "Rack", "points": ["score"], "default": False, "weight": 1, "args": None} in with_rack


def test_defaults_are_those_of_kube_scheduler() -> None:
    whole = to_dict(default_configuration())
    for field in FORM["settings"]:
        assert field["default"] == whole.get(field["name"], False), field["name"]
    args = {entry["name"]: entry["args"] for entry in whole["profiles"][0]["pluginConfig"]}
    for name, plugin in PLUGINS.items():
        for field in plugin["args"] or []:
            assert field["default"] == args[name].get(field["name"]), (name, field["name"])


def written(where: str, path: str, value: Any) -> str:
    """A configuration in which this one field is given; what must stand beside it is."""
    data: Any = value
    beside: dict[str, dict[str, Any]] = {
        "scoringStrategy": {"type": "RequestedToCapacityRatio"},
        "resources[0]": {"name": "cpu"},
        "defaultConstraints[0]": {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"},
        "shape[0]": {"score": 1},
        "preferredDuringSchedulingIgnoredDuringExecution[0]": {"preference": {"matchExpressions": []}},
    }
    top: dict[str, Any] = {"defaultingType": "List"} if "defaultConstraints" in path else {}
    for step in reversed(path.split(".")):
        name, is_list, _ = step.partition("[")
        data = {name: [data] if is_list else data}
        if step == "scoringStrategy" and "requestedToCapacityRatio" not in data[name]:
            data[name] = {"requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}]}, **data[name]}
        if step in beside:
            whole = data[name][0] if is_list else data[name]
            data[name] = [{**beside[step], **whole}] if is_list else {**beside[step], **whole}
    config: dict[str, Any] = {"apiVersion": API_VERSION, "kind": KIND}
    if where == "settings":
        config |= data | ({"podMaxBackoffSeconds": 1 << 40} if path == "podInitialBackoffSeconds" else {})
        config |= {"podInitialBackoffSeconds": 1} if path == "podMaxBackoffSeconds" else {}
    elif where == "extender":
        config["extenders"] = [{"urlPrefix": "http://x.example", **data}]
    else:
        config["profiles"] = [{"pluginConfig": [{"name": where, "args": {**top, **data}}]}]
    return dump_yaml(config)


LIMITED = [
    (where, path, field)
    for where, path, field in every_field()
    if {"least", "most"} & field.keys() and (where, path) != ("extender", "weight")
]


@pytest.mark.parametrize(("where", "path", "field"), LIMITED, ids=[f"{where}.{path}" for where, path, _ in LIMITED])
def test_limits_are_those_of_validation(where: str, path: str, field: Field) -> None:
    if where == "NodeResourcesBalancedAllocation":
        return  # there a weight must be 1, which its help says
    for bound, beyond in (("least", -1), ("most", 1)):
        if bound not in field:
            continue
        texts = [problem.rule for problem in survey(written(where, path, field[bound]))]
        # The two of preemption may not both be zero, minDomains is for pods' own rules; the bound itself is fine.
        assert not [text for text in texts if "range" in text or "greater" in text], texts
        if path.endswith(("minDomains",)):
            continue
        # A weight of 0 is one that was not given, and means 1.
        outside = field[bound] + (2 * beyond if path.endswith("resources[0].weight") else beyond)
        assert survey(written(where, path, outside)), (bound, outside)


CHOICES = [(where, path, field) for where, path, field in every_field() if field["type"] == "choice"]


@pytest.mark.parametrize(("where", "path", "field"), CHOICES, ids=[f"{where}.{path}" for where, path, _ in CHOICES])
def test_choices_are_accepted(where: str, path: str, field: Field) -> None:
    # Fields of a node are matched by In and NotIn only; kube-scheduler says so to the rest.
    for choice in field["choices"][:2] if "matchFields" in path else field["choices"]:
        problems = survey(written(where, path, choice))
        assert not [problem for problem in problems if path.split(".")[-1] in problem.path], choice


def test_the_default_of_every_setting_may_be_written() -> None:
    data = {"apiVersion": API_VERSION, "kind": KIND} | {field["name"]: field["default"] for field in FORM["settings"]}
    assert load(dump_yaml(data)) == default_configuration()
    assert check(export_yaml(default_configuration()))["ok"]
