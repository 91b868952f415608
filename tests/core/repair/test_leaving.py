"""Other pods that leave: not to where they are in the way as well."""

from typing import Any

import pytest

from simulator.repair.finder import MINIMUM
from tests.conformance.testing import make_pod
from tests.core.repair.random_clusters import ZONE
from tests.core.repair.test_evictions import only
from tests.core.repair.test_rules import found, node, pod, told


def running() -> Any:
    return make_pod("r").node("a").label("app", "r").toleration("t", operator="Exists")


CASES: dict[str, tuple[Any, Any]] = {
    "refused": (running().anti_affinity(ZONE, {"app": "p"}), pod()),
    "away": (running(), pod().anti_affinity(ZONE, {"app": "r"})),
    "spread": (running(), pod().label("app", "r").spread(ZONE, {"app": "r"}, 1)),
}


@pytest.mark.parametrize(("other", "wanted"), CASES.values(), ids=CASES)
def test_a_pod_moves_out_of_the_zone(other: Any, wanted: Any) -> None:
    """`b` comes first, and is in the same zone; the pod itself may go to neither."""
    nodes = [node("a").zone("x"), node("b").zone("x").taint("t"), node("c").zone("y").taint("t")]
    _, repairs = found([one.manifest() for one in (*nodes, other, wanted)], only("move_pod", "delete_pod"))
    assert told(repairs[0]) == {"Move default/r from a to c"}
    assert repairs[0].claim == MINIMUM
