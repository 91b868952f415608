"""What a profile runs: order, weights, and where each entry comes from."""

import dataclasses

import pytest

from scheduler_core.config import BuildError, EffectivePlugin, effective, export_yaml, to_dict, with_extender_resources
from scheduler_core.config.types import PluginConfig, PluginRef, Plugins, PluginSet, Profile
from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs
from scheduler_core.releases import IN_TREE_POINTS
from tests.config_v1_34 import decode, default_configuration, load

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
POINTS = {**IN_TREE_POINTS, "Rack": frozenset({"filter", "score", "permit"}), "Rack2": frozenset({"score"})}


def expand(plugins: str, point: str) -> list[tuple[str, int, str]]:
    config = decode(f"{HEAD}profiles: [{{plugins: {plugins}}}]").config
    entries = effective(config.profiles[0], POINTS).plugins_at(point)
    return [(entry.name, entry.weight, entry.origin) for entry in entries]


DEFAULT_SCORE = [
    ("TaintToleration", 3, "default"),
    ("NodeAffinity", 2, "default"),
    ("NodeResourcesFit", 1, "default"),
    ("VolumeBinding", 1, "default"),
    ("PodTopologySpread", 2, "default"),
    ("InterPodAffinity", 2, "default"),
    ("NodeResourcesBalancedAllocation", 1, "default"),
    ("ImageLocality", 1, "default"),
]

CASES = [
    # name, plugins, point, want
    ("defaults", "{}", "score", DEFAULT_SCORE),
    (
        "an extra one runs last",
        "{score: {enabled: [{name: Rack, weight: 4}]}}",
        "score",
        [*DEFAULT_SCORE, ("Rack", 4, "explicit")],
    ),
    (
        "one that overrides runs first, without a weight it weighs 1",
        "{score: {enabled: [{name: TaintToleration}]}}",
        "score",
        [("TaintToleration", 1, "explicit"), *DEFAULT_SCORE[1:]],
    ),
    (
        "a default re-weighted for all points stays in its place",
        "{multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}}",
        "score",
        [DEFAULT_SCORE[0], ("NodeAffinity", 9, "multiPoint"), *DEFAULT_SCORE[2:]],
    ),
    (
        "everything off, a handful on, in that order",
        "{score: {disabled: [{name: '*'}], enabled: [{name: Rack2, weight: 2}, {name: NodeAffinity}]}}",
        "score",
        [("Rack2", 2, "explicit"), ("NodeAffinity", 1, "explicit")],
    ),
    (
        "an own plugin at all its points",
        "{multiPoint: {enabled: [{name: Rack, weight: 7}]}}",
        "permit",
        [("Rack", 0, "multiPoint")],
    ),
    ("off at one point", "{multiPoint: {enabled: [{name: Rack}]}, permit: {disabled: [{name: Rack}]}}", "permit", []),
    (
        "an explicit weight beats that of multiPoint",
        "{multiPoint: {disabled: [{name: '*'}], "
        "enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: Rack, weight: 7}]}, "
        "score: {enabled: [{name: Rack, weight: 3}]}}",
        "score",
        [("Rack", 3, "explicit")],
    ),
    (
        "moved to the end: disabled and enabled again",
        "{multiPoint: {disabled: [{name: SchedulingGates}], enabled: [{name: SchedulingGates}]}}",
        "preEnqueue",
        [
            ("DynamicResources", 0, "default"),
            ("DefaultPreemption", 0, "default"),
            ("SchedulingGates", 0, "multiPoint"),
        ],
    ),
]


@pytest.mark.parametrize(("plugins", "point", "want"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_effective(plugins: str, point: str, want: list[tuple[str, int, str]]) -> None:
    assert expand(plugins, point) == want


def test_total_score_must_not_overflow() -> None:
    heavy = PluginSet(tuple(PluginRef(f"Heavy{n}", (1 << 31) - 1) for n in range(3)))
    points = {**IN_TREE_POINTS, **{f"Heavy{n}": frozenset({"score"}) for n in range(3)}}
    base = default_configuration().profiles[0].plugins
    heaviest = PluginSet((PluginRef("Heavy0", 1 << 62),))
    effective(Profile("a", plugins=Plugins(score=heavy, multi_point=base.multi_point)), points)
    with pytest.raises(BuildError, match="total score of Score plugins could overflow"):
        effective(Profile("a", plugins=Plugins(score=heaviest, multi_point=base.multi_point)), points)


def test_all_plugins_to_build_are_listed() -> None:
    """Also one that is disabled wherever it could run: its events still count."""
    config = load(f"{HEAD}profiles: [{{plugins: {{filter: {{disabled: [{{name: NodeName}}]}}}}}}]")
    expanded = effective(config.profiles[0], IN_TREE_POINTS)
    assert EffectivePlugin("NodeName", 0, "default") not in expanded.plugins_at("filter")
    assert expanded.plugins == tuple(IN_TREE_POINTS)


def test_default_configuration_is_that_of_an_empty_file() -> None:
    assert load(HEAD) == default_configuration()
    assert load(export_yaml(default_configuration())) == default_configuration()
    assert to_dict(default_configuration())["parallelism"] == 16


@pytest.mark.parametrize(
    "name", ["y", "N", "off", "08", "0o17", "1_0", "1e3", "~", "", "a: b", "é", "<<", "2001-01-01", "'"]
)
def test_names_survive_the_export(name: str) -> None:
    profiles = (Profile(name), Profile("other"))
    text = export_yaml(dataclasses.replace(default_configuration(), profiles=profiles))
    assert [profile.scheduler_name for profile in decode(text).config.profiles] == [name, "other"]


def test_extender_resources_replace_those_of_the_args() -> None:
    config = load(
        f"{HEAD}extenders:\n- urlPrefix: x\n"
        "  managedResources: [{name: x.io/y, ignoredByScheduler: true}, {name: x.io/z}]\n"
        "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a.io/b]}}]}]"
    )
    assert config.profiles[0].plugin_args["NodeResourcesFit"] == NodeResourcesFitArgs(ignored_resources=("a.io/b",))
    built = with_extender_resources(config)
    assert built.profiles[0].plugin_config[0] == PluginConfig(
        "NodeResourcesFit", NodeResourcesFitArgs(ignored_resources=("x.io/y",))
    )
