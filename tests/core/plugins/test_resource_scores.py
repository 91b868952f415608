"""The scoring strategies of NodeResourcesFit, and NodeResourcesBalancedAllocation."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.args.resources import ResourceSpec, UtilizationShapePoint
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import ScorePlugin
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.balanced_allocation_args import NodeResourcesBalancedAllocationArgs
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_resources.fit_args import (
    LEAST_ALLOCATED,
    MOST_ALLOCATED,
    REQUESTED_TO_CAPACITY_RATIO,
    NodeResourcesFitArgs,
    RequestedToCapacityRatio,
    ScoringStrategy,
)
from scheduler_core.plugins.node_resources.resource_allocation import (
    Load,
    Scorer,
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
    score_balance,
)
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, scored

GPU = "example.com/gpu"
NO_HANDLE: Any = None
RISING = ((0, 0), (100, 10))


def fit(strategy: str, *resources: tuple[str, int], shape: tuple[tuple[int, int], ...] = ()) -> ScorePlugin:
    points = tuple(UtilizationShapePoint(*point) for point in shape)
    specs = tuple(ResourceSpec(*resource) for resource in resources) or (ResourceSpec("cpu"), ResourceSpec("memory"))
    ratio = RequestedToCapacityRatio(points) if points else None
    return NodeResourcesFit.create(
        NodeResourcesFitArgs(scoring_strategy=ScoringStrategy(strategy, specs, ratio)), NO_HANDLE
    )


def balance(*resources: str) -> ScorePlugin:
    args = NodeResourcesBalancedAllocationArgs(tuple(map(ResourceSpec, resources or ("cpu", "memory"))))
    return NodeResourcesBalancedAllocation.create(args, NO_HANDLE)


def three_nodes() -> Nodes:
    """Empty; half full of cpu; with two GPUs. All with 4 cores and 8000 Mi."""
    nodes = [make_node(name).cpu("4").memory("8000Mi") for name in ("empty", "half", "gpu")]
    nodes[2].resource(GPU, "2")
    return cluster(nodes, [make_pod("r").cpu("2").memory("800Mi").node("half")])


ASKS = make_pod("p").cpu("1").memory("2000Mi")
NOTHING = make_pod("p")
WITH_GPU = make_pod("p").cpu("1").memory("2000Mi").extended(GPU, 1)


@pytest.mark.parametrize(
    ("name", "plugin", "pod", "want"),
    [
        ("least", fit(LEAST_ALLOCATED), ASKS, [75, 45, 75]),
        ("least, defaults for missing requests", fit(LEAST_ALLOCATED), NOTHING, [97, 67, 97]),
        ("most", fit(MOST_ALLOCATED), ASKS, [25, 55, 25]),
        ("weights", fit(LEAST_ALLOCATED, ("cpu", 3), ("memory", 1)), ASKS, [75, 35, 75]),
        ("a resource that is not asked for is left out", fit(MOST_ALLOCATED, ("cpu", 1), (GPU, 9)), ASKS, [25, 75, 25]),
        ("nodes without it are scored by the rest", fit(MOST_ALLOCATED, ("cpu", 1), (GPU, 3)), WITH_GPU, [25, 75, 43]),
        ("a resource that nobody has", fit(LEAST_ALLOCATED, ("ephemeral-storage", 1)), ASKS, [0, 0, 0]),
        ("a name that is no resource", fit(LEAST_ALLOCATED, ("pods", 1), ("cpu", 1)), ASKS, [75, 25, 75]),
        ("more than there is: least", fit(LEAST_ALLOCATED, ("cpu", 1)), make_pod("p").cpu("5"), [0, 0, 0]),
        ("more than there is: most", fit(MOST_ALLOCATED, ("cpu", 1)), make_pod("p").cpu("5"), [100, 100, 100]),
        ("init containers count", fit(LEAST_ALLOCATED, ("cpu", 1)), make_pod("p").init_container("i", cpu="2"),
         [50, 0, 50]),
        ("pod-level resources do not", fit(LEAST_ALLOCATED, ("cpu", 1)), make_pod("p").cpu("1").pod_level(cpu="3"),
         [75, 25, 75]),
        ("ratio", fit(REQUESTED_TO_CAPACITY_RATIO, shape=RISING), ASKS, [25, 55, 25]),
        ("ratio rounds", fit(REQUESTED_TO_CAPACITY_RATIO, ("cpu", 1), ("memory", 2), shape=RISING),
         make_pod("p").cpu("1").memory("2080Mi"), [26, 49, 26]),
        ("what scores 0 has no weight", fit(REQUESTED_TO_CAPACITY_RATIO, shape=((0, 0), (50, 0), (100, 10))), ASKS,
         [0, 50, 0]),
        ("ratio, too much", fit(REQUESTED_TO_CAPACITY_RATIO, ("cpu", 1), shape=RISING), make_pod("p").cpu("5"),
         [100, 100, 100]),
        ("balanced", balance(), ASKS, [100, 80, 100]),
        ("balanced, without one of two", balance("cpu", GPU), WITH_GPU, [100, 100, 87]),
        ("balanced, of three", balance("cpu", "memory", GPU), WITH_GPU, [100, 80, 88]),
        ("balanced, of one", balance("cpu"), ASKS, [100, 100, 100]),
        ("balanced takes true requests", balance(), make_pod("p").cpu("1"), [87, 67, 87]),
    ],
)  # fmt: skip
def test_scores(name: str, plugin: ScorePlugin, pod: PodBuilder, want: list[int]) -> None:
    assert scored(plugin, pod.build(), three_nodes()) == want


def test_balance_is_skipped_for_a_pod_that_asks_for_nothing() -> None:
    plugin, nodes, state = NodeResourcesBalancedAllocation((ResourceSpec("cpu"),)), three_nodes(), CycleState()
    for pod in (NOTHING.build(), make_pod("p").memory("1Gi").build()):
        assert plugin.pre_score(state, pod, nodes).is_skip
        assert plugin.score(state, pod, nodes).tolist() == [0, 0, 0], "where a profile disables PreScore"


@pytest.mark.parametrize(
    ("name", "shape", "want"),
    [
        ("rising", RISING, {0: 0, 37: 37, 100: 100}),
        ("falling, truncated towards zero", ((0, 10), (30, 0)), {0: 100, 1: 97, 10: 67, 29: 4, 30: 0, 100: 0}),
        ("flat before the first point and after the last", ((20, 3), (40, 7)), {0: 30, 20: 30, 30: 50, 40: 70, 90: 70}),
        ("one point", ((50, 4),), {0: 40, 50: 40, 100: 40}),
        ("up and down", ((0, 0), (50, 10), (100, 0)), {25: 50, 50: 100, 75: 50}),
    ],
)
def test_shape(name: str, shape: tuple[tuple[int, int], ...], want: dict[int, int]) -> None:
    score = requested_to_capacity_ratio([UtilizationShapePoint(*point) for point in shape])
    used = np.array(list(want), np.int64)
    load = Load(used, np.full(len(used), 100, np.int64), 1)
    assert score([load], len(used)).tolist() == list(want.values())


SHAPE = [UtilizationShapePoint(0, 2), UtilizationShapePoint(100, 9)]


@pytest.mark.parametrize(
    ("name", "scorer", "used", "want"),
    [
        ("least", least_allocated, 0, -1),
        ("most", most_allocated, 3 << 60, -1),
        ("ratio", requested_to_capacity_ratio(SHAPE), 3 << 60, 20),
    ],
)
def test_products_beyond_int64_wrap_around_as_in_go(name: str, scorer: Scorer, used: int, want: int) -> None:
    """100 times the capacity wraps to -4/3 of it, and Go divides towards zero."""
    assert scorer([Load(np.array([used]), np.array([3 << 60]), 1)], 1).tolist() == [want]


AMOUNT = st.integers(0, 1 << 45)


@given(st.lists(st.tuples(AMOUNT, AMOUNT, st.integers(1, 100)), min_size=1, max_size=4))
def test_columns_agree_with_the_rule_for_one_node(loads: list[tuple[int, int, int]]) -> None:
    columns = [Load(np.array([used]), np.array([capacity]), weight) for used, capacity, weight in loads]
    counted = [load for load in loads if load[1]]
    weights = sum(weight for _, _, weight in counted) or 1
    least = sum(max(capacity - used, 0) * 100 // capacity * weight for used, capacity, weight in counted) // weights
    most = sum(min(capacity, used) * 100 // capacity * weight for used, capacity, weight in counted) // weights
    assert least_allocated(columns, 1).tolist() == [least]
    assert most_allocated(columns, 1).tolist() == [most]
    shares = [min(used / capacity, 1.0) for used, capacity, _ in counted]
    deviation = 0.0
    if len(shares) == 2:
        deviation = abs((shares[0] - shares[1]) / 2)
    elif len(shares) > 2:
        # One by one: the built-in sum of floats is more exact than Go's loop in newer Pythons.
        total, squares = 0.0, 0.0
        for share in shares:
            total += share
        mean = total / len(shares)
        for share in shares:
            squares += (share - mean) * (share - mean)
        deviation = math.sqrt(squares / len(shares))
    assert score_balance(columns, 1).tolist() == [int((1 - deviation) * 100)]
