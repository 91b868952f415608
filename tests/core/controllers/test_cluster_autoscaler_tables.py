"""The cluster autoscaler, held against upstream's own tables: `tables/cluster_autoscaler.json` names their files."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kube_controllers.cluster_autoscaler import expanders
from kube_controllers.cluster_autoscaler.drainability import DrainRules, pods_to_move
from kube_controllers.cluster_autoscaler.estimator import estimate
from kube_controllers.cluster_autoscaler.expanders import Option, Settings
from kube_controllers.cluster_autoscaler.utilization import utilization
from kube_objects.manifests import parse_time
from simulator.simulation import Simulation
from simulator.simulation.trial import Trial
from tests.core.controllers.upstream_cases import differences, families_of, view_of

SETTINGS = Settings(1, random.Random(0), {})


def node(named: str, cpu: int, memory: int, pods: int = 10, zone: str = "zone-mars") -> dict[str, Any]:
    """`memory` in bytes."""
    has = {"cpu": f"{cpu}m", "memory": str(memory), "pods": str(pods)}
    labels = {"kubernetes.io/hostname": named, "topology.kubernetes.io/zone": zone}
    about = {"name": named, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": about, "status": {"capacity": has, "allocatable": has}}


def pods_of(asked: Any, count: int, named: str) -> list[dict[str, Any]]:
    about = {"namespace": "universe", "labels": {"app": "estimatee"}}
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**about, "name": f"{named}-{at}", "uid": f"{named}-{at}"},
            "spec": asked,
        }
        for at in range(count)
    ]


def snapshot() -> Trial:
    """With a node in another zone, as upstream's tests have it."""
    simulation = Simulation.create(seed=0, record_steps=False)
    old = node("oldnode", 100, 100 << 20, zone="zone-jupiter")
    assert list(simulation.apply({"kind": "create", "objects": [old]}))
    return Trial(simulation.cluster)


def estimated(given: Any) -> Any:
    groups = [pods_of(asked, count, f"g{at}") for at, (asked, count) in enumerate(given["groups"])]
    found = estimate(groups, node("template", given["cpu"], given["memory"] << 20), snapshot(), given["most"])
    return [found.nodes, len(found.pods)]


def price(given: Any) -> Any:
    """Prices are given, here: the score alone is upstream's."""
    scores: dict[str, float] = {}
    for name, cpu, count, pods in given["options"]:
        worth = sum(given["pods"].get(pod, 0.0) for pod in pods)
        option = Option(name, count, (), node(name, cpu, 1000), given["nodes"].get(name, 0.0), name != "ng3")
        found = expanders.score(option, 1, worth, given["pods"]["stabilize"], given["preferred"])
        if found is not None:
            scores[name] = found
    return min(scores, key=lambda name: scores[name], default=None)


def priority(given: Any) -> Any:
    options = [Option(name, 1, (), {}) for name in given["groups"]]
    priorities = {int(rank): patterns for rank, patterns in given["priorities"].items()}
    return [one.group for one in expanders.priority(options, SETTINGS._replace(priorities=priorities))]


def least_waste(given: Any) -> Any:
    cpu, memory = given["pod"]
    asked = {"containers": [{"resources": {"requests": {"cpu": f"{cpu}m", "memory": str(memory)}}}]}
    options = [
        Option(name, 1, [{"spec": asked}] * count, node(name, cores, size))
        for name, cores, size, count in given["options"]
    ]
    (found,) = expanders.least_waste(options, SETTINGS)
    return found.group


def used(given: Any) -> Any:
    now = parse_time(given["now"])
    assert now is not None
    skips = {"skip_daemons": given["daemons"], "skip_mirrors": given["mirrors"]}
    return utilization(given["node"], given["pods"], now, **skips)


def drained(given: Any) -> Any:
    pod = given["pod"]
    found = pods_to_move([pod], view_of(pod, *given["budgets"]), DrainRules())
    return [bool(found.blocked), len(found.pods)]


FAMILIES: Mapping[str, Callable[[Any], Any]] = {
    "estimate": estimated,
    "price": price,
    "priority": priority,
    "least_waste": least_waste,
    "utilization": used,
    "leaving": drained,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_upstreams_cases(family: str) -> None:
    assert differences("cluster_autoscaler", family, FAMILIES[family]) == []


def test_every_case_has_a_family() -> None:
    assert families_of("cluster_autoscaler") == set(FAMILIES)


def test_the_case_of_upstreams_benchmark_a_tenth_of_it() -> None:
    """Whole, it is 51,000 pods on 2,595 nodes, which `python -m tests.core.controllers.controller_speed` plays."""
    groups = []
    for cpu, memory, count in ((50, 100, 5000), (95, 190, 100)):
        requests = {"cpu": f"{cpu}m", "memory": str(memory)}
        asked = {"containers": [{"name": "main", "image": "i", "resources": {"requests": requests}}]}
        groups.append(pods_of(asked, count, f"of-{cpu}"))
    found = estimate(groups, node("template", 1000, 5000 << 20, pods=100), snapshot(), 3000)
    assert (found.nodes, len(found.pods)) == (260, 5100)
