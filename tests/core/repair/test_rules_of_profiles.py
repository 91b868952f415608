"""Edits of the profile, where nothing but the profile is in the way."""

from typing import Any

import pytest

from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.edits.costs import COSTS, Prices, read_prices
from simulator.repair.commands import DEFAULT_CONFIG
from tests.conformance.testing import make_pod
from tests.core.repair.found_repairs import Manifest, found, node, pod, told
from tests.core.repair.random_clusters import ZONE, places


def profile(**plugins: Any) -> str:
    """A configuration of one profile."""
    return dump_yaml({**DEFAULT_CONFIG, "profiles": [{"schedulerName": "default-scheduler", **plugins}]})


def with_args(plugin: str, **args: Any) -> str:
    return profile(pluginConfig=[{"name": plugin, "args": args}])


WANTED = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}
ADDED = with_args("NodeAffinity", addedAffinity={"requiredDuringSchedulingIgnoredDuringExecution": WANTED})
SPREAD = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
BY_DEFAULT = with_args("PodTopologySpread", defaultingType="List", defaultConstraints=[SPREAD])
CROWDED = [
    node().zone("z1").manifest(),
    node("b").zone("z2").cordoned().manifest(),
    *(make_pod(f"x{i}").label("app", "p").node("a").manifest() for i in range(2)),
    pod().manifest(),
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "p"}, "spec": {"selector": {"app": "p"}}},
]
ALL_OFF = profile(plugins={"postFilter": {"disabled": [{"name": "*"}]}})
FULL = [node().manifest(), make_pod("x").cpu("2").node("a").manifest(), pod().cpu("1").priority(5).manifest()]
WITHOUT_FPGA = [node().manifest(), pod().request("example.com/fpga", "1").limit("example.com/fpga", "1").manifest()]

# configuration, objects, the edit of the profile that is found
OF_PROFILES = [
    (
        "added affinity",
        ADDED,
        [node().label("disk", "hdd").manifest(), pod().manifest()],
        "Let the profile default-scheduler prefer the affinity that it demands of all pods",
    ),
    (
        "default skew",
        BY_DEFAULT,
        CROWDED,
        f"Raise maxSkew of the default constraint of profile default-scheduler for {ZONE} from 1 to 3",
    ),
    (
        "default constraint",
        BY_DEFAULT,
        CROWDED,
        f"Let the profile default-scheduler spread by {ZONE} only where that is possible",
    ),
    ("ignored resource", None, WITHOUT_FPGA, "Let the profile not look at example.com/fpga"),
    (
        "preemption",
        ALL_OFF,
        FULL,
        "Enable DefaultPreemption in the profile default-scheduler, so that others are evicted; pods evicted: 1",
    ),
]


@pytest.mark.parametrize(("name", "config", "objects", "wanted"), OF_PROFILES, ids=[case[0] for case in OF_PROFILES])
def test_an_edit_of_the_profile(name: str, config: str | None, objects: list[Manifest], wanted: str) -> None:
    costs = dict.fromkeys(COSTS) | {"plugin_args": 200, "enable_plugin": 150}
    simulation, repairs = found(objects, read_prices(costs, []), config)
    assert {wanted} in [told(repair) for repair in repairs], [told(repair) for repair in repairs]
    for repair in repairs:
        assert places(simulation, repair.edits), told(repair)
        assert repair.commands[0]["kind"] == "set_config"
        assert repair.inverse[-1]["kind"] == "set_config"
    locked, _ = found(objects, Prices(read_prices(costs, []).costs, ("Plugin/*",)), config), None
    assert not locked[1]


def test_two_edits_of_the_profile_are_one_configuration() -> None:
    """What the second makes of it keeps what the first did."""
    objects = [
        node().label("disk", "hdd").manifest(),
        pod().request("example.com/fpga", "1").limit("example.com/fpga", "1").manifest(),
    ]
    costs = dict.fromkeys(COSTS) | {"plugin_args": 200}
    simulation, repairs = found(objects, read_prices(costs, []), ADDED)
    assert [repair.cost for repair in repairs] == [400]
    assert places(simulation, repairs[0].edits)
