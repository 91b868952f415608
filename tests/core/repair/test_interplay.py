"""Edits that only help together, or only show once another one is made: found by the exhaustive check, each once."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from scheduler_core.edits.costs import Prices
from simulator.repair.finder import ANYWAY, MINIMUM, Finder, Limits
from tests.conformance.testing import make_pod
from tests.core.repair.found_repairs import found, node, pod, told
from tests.core.repair.random_clusters import POD, ZONE, played
from tests.core.repair.test_evictions import only

TAINTS = [f"team-{i}" for i in range(7)]
LABELS = ("label", "relabel")


def running(name: str, where: str, app: str, cpu: str = "500m") -> Any:
    return make_pod(name).node(where).label("app", app).cpu(cpu).toleration("t", operator="Exists")


def tainted() -> Any:
    made = node("a")
    for key in TAINTS:
        made.taint(key)
    return made


CASES: dict[str, tuple[list[Any], tuple[str, ...], set[str]]] = {
    "three leave, and it asks for less": (
        [
            node("a"),
            running("big", "a", "b", "2"),
            running("r0", "a", "r", "2"),
            running("r1", "a", "r", "2"),
            running("q", "a", "q", "100m"),
            pod().cpu("2").anti_affinity("kubernetes.io/hostname", {"app": "r"}),
        ],
        ("delete_pod", "lower_request"),
        {*(f"Delete default/{name} from a" for name in ("big", "r0", "r1")), "Ask for 1.9 of cpu instead of 2"},
    ),
    "who moves is not in its own way": (
        [
            node("a").zone("x"),
            node("b").zone("x").taint("t"),
            running("r", "a", "r", "2").anti_affinity(ZONE, {"app": "r"}),
            pod(),
        ],
        ("delete_pod", "move_pod"),
        {"Move default/r from a to b"},
    ),
    "its neighbour's node gets the zone": (
        [node("a").zone("x"), node("b").taint("t"), running("r", "b", "r"), pod().affinity(ZONE, {"app": "r"})],
        LABELS,
        {f"Label b with {ZONE}=x"},
    ),
    "its neighbour's node is its own": (
        [node("a").zone("x").taint("t"), node("b"), running("r", "b", "r"), pod().affinity(ZONE, {"app": "r"})],
        LABELS,
        {f"Label b with {ZONE}=x"},
    ),
    "both nodes get a zone": (
        [
            node("a"),
            node("b").taint("t"),
            node("c").zone("x").taint("u"),
            running("r", "b", "r"),
            pod().affinity(ZONE, {"app": "r"}),
        ],
        LABELS,
        {f"Label a with {ZONE}=x", f"Label b with {ZONE}=x"},
    ),
    "a label, and an affinity that takes it": (
        [node("a"), pod().node_selector("disk", "nvme").node_affinity("disk", "In", "hdd")],
        ("label", "widen"),
        {"Label a with disk=nvme", "Also allow disk=nvme in the node affinity: disk=hdd"},
    ),
    "a label that the selector and the affinity want": (
        [node("a").label("disk", "ssd"), pod().node_selector("disk", "nvme").node_affinity("disk", "NotIn", "ssd")],
        ("relabel", "drop_selector"),
        {"Change the label of a to disk=nvme"},
    ),
    "as many as it takes": ([tainted(), pod()], ("tolerate",), {f"Tolerate {key}:NoSchedule" for key in TAINTS}),
}


@pytest.mark.parametrize(("objects", "kinds", "edits"), CASES.values(), ids=CASES)
def test_what_is_found_is_the_least(objects: list[Any], kinds: tuple[str, ...], edits: set[str]) -> None:
    _, repairs = found([one.manifest() for one in objects], only(*kinds))
    assert (told(repairs[0]), repairs[0].claim) == (edits, MINIMUM)


def test_a_pod_that_nobody_wakes_needs_no_repair() -> None:
    """Who kept it away was evicted for it; that an anti-affinity went with a pod wakes nobody."""
    hater = make_pod("r").node("a").anti_affinity(ZONE, {"app": "p"})
    simulation = played([one.manifest() for one in (node("a").zone("x"), hater, pod().priority(1))])
    waiting = simulation.cluster.find_pod(POD)
    assert waiting is not None
    assert not waiting.node_name
    finder = Finder(simulation, POD, only("tolerate"), lambda: 0.0)
    assert not list(finder.find())
    assert finder.outcome.why == ANYWAY(pod=POD, node="a")


def test_who_could_move_is_counted_where_it_is() -> None:
    """Trying out that a pod leaves changed the table's own counts, and priority seemed to help without an eviction."""
    example = Path(__file__).parents[3] / "playground" / "examples" / "2_three_zones.yaml"
    _, *objects = yaml.safe_load_all(example.read_text())
    finder = Finder(played(objects), "shop/checkout-v2-6", Prices(), lambda: 0.0, Limits(results=6))
    counts = {edit.sentence["args"].get("count") for one in finder.find() for edit in one.edits}
    assert counts == {None, 1}
