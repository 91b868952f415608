"""A pod that has to leave for several reasons: by a way that does for all of them."""

from typing import Any

import pytest

from scheduler_core.edits.edit import total_cost
from simulator.repair.finder import MINIMUM
from tests.conformance.testing import make_pod
from tests.core.repair.exhaustive import few_edits
from tests.core.repair.found_repairs import found, node, pod, told
from tests.core.repair.random_clusters import ZONE, Forks, cheaper, cluster, config, emulation, places, played, pool
from tests.core.repair.test_evictions import only

APP = {"app": "r"}
LEAVING = only("move_pod", "delete_pod")


def there(name: str, zone: str, cpu: str = "2") -> Any:
    return node(name).zone(zone).taint("t").cpu(cpu)


def running(name: str, where: str, cpu: str) -> Any:
    return make_pod(name).node(where).label("app", "r").cpu(cpu).toleration("t", operator="Exists")


AWAY = pod().cpu("1").anti_affinity(ZONE, APP)
CASES: dict[str, tuple[list[Any], int, set[str]]] = {
    "deleted": ([there("b", "x"), AWAY], 50, {"Delete default/r from a"}),
    "elsewhere": ([there("b", "x"), there("c", "y"), AWAY], 40, {"Move default/r from a to c"}),
    "in turn": (
        [there("b", "x"), there("c", "y", "1"), running("q", "b", "100m"), pod().cpu("1").label("app", "r")],
        80,
        {"Move default/q from b to c", "Move default/r from a to b"},
    ),
}
CASES["in turn"][0][-1].spread(ZONE, APP, 1)


@pytest.mark.parametrize(("around", "cost", "edits"), CASES.values(), ids=CASES)
def test_it_leaves_for_the_room_and_for_its_zone(around: list[Any], cost: int, edits: set[str]) -> None:
    """For the room alone it would go to `b`, the first that takes it, where it is in the way as before."""
    big = running("r", "a", "1500m")
    _, repairs = found([one.manifest() for one in (node("a").zone("x"), big, *around)], LEAVING)
    assert (told(repairs[0]), repairs[0].cost, repairs[0].claim) == (edits, cost, MINIMUM)
    assert total_cost(repairs[0].edits) == cost


def test_the_exhaustive_check_tries_in_forks_what_comes_to_the_same_from_scratch() -> None:
    seed = 170
    simulation = played(cluster(seed), config(seed), emulation(seed))
    forks = Forks(simulation)
    sets = list(cheaper(pool(simulation, few_edits(simulation, seed, 9)), None))[::4]
    tried = [forks.places(edits) for edits in sets]
    assert tried == [places(simulation, edits) for edits in sets]
    assert {True, False} == set(tried)
