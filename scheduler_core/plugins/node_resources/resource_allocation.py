"""Resource use of each node with the pod on it, and the scoring strategies.

Source: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, least_allocated.go, most_allocated.go,
requested_to_capacity_ratio.go, balanced_allocation.go.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kube_objects.names import STANDARD_CONTAINER_RESOURCES, is_scalar_resource
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.args.resources import ResourceSpec, UtilizationShapePoint
from scheduler_core.framework.interface import MAX_NODE_SCORE

MAX_SHAPE_SCORE = 10
WITH_AND_WITHOUT = np.array([[1], [0]])

Shares = NDArray[np.float64]


@dataclass(slots=True, frozen=True)
class Load:
    """One resource over the nodes: the amount requested with the pod there, and the allocatable amount.

    A node with 0 allocatable is not scored by this resource.
    """

    requested: IntColumn
    allocatable: IntColumn
    weight: int
    resource: str = ""


Scorer = Callable[[Sequence[Load], int], IntColumn]
"""(loads, number of nodes) → score of each node, 0…100."""


def resource_loads(
    nodes: Nodes, resources: Iterable[ResourceSpec], request: Mapping[str, int], nonzero: bool, compared: bool = False
) -> list[Load]:
    """Return the loads of the resources that count; an extended resource counts only if the pod requests it.

    `nonzero` counts cpu and memory with defaults for containers that request none. `compared` returns two rows of
    requested amounts: with the pod, and without it.
    """
    counted = []
    for spec in resources:
        amount = request.get(spec.name, 0)
        standard = spec.name in STANDARD_CONTAINER_RESOURCES
        if not standard and not (amount and is_scalar_resource(spec.name)):
            continue
        if nonzero and spec.name in ("cpu", "memory"):
            requested = nodes.nonzero_requested(spec.name)
        else:
            requested = nodes.requested(spec.name)
        added = WITH_AND_WITHOUT * amount if compared else amount
        counted.append(Load(requested + added, nodes.allocatable(spec.name), spec.weight, spec.name))
    return counted


def least_allocated(loads: Sequence[Load], size: int) -> IntColumn:
    """Score the weighted mean of the free shares; a resource that is overcommitted scores 0."""
    return _weighted_mean(loads, size, _free)


def most_allocated(loads: Sequence[Load], size: int) -> IntColumn:
    """Score the weighted mean of the used shares."""
    return _weighted_mean(loads, size, _utilization)


def requested_to_capacity_ratio(shape: Sequence[UtilizationShapePoint]) -> Scorer:
    """Return a scorer by a function of the used share, linear between the points of `shape`."""
    score_of = np.array([piecewise_linear(shape, percent) for percent in range(MAX_NODE_SCORE + 1)], np.int64)

    def score(loads: Sequence[Load], size: int) -> IntColumn:
        total, weights = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for load in loads:
            points = score_of[np.clip(_utilization(load, _divisor(load)), 0, MAX_NODE_SCORE)]
            # Unlike in the other strategies, a resource that scores 0 doesn't count in the mean.
            weight = load.weight * ((points > 0) & (load.allocatable != 0))
            total += points * weight
            weights += weight
        mean = total / np.maximum(weights, 1)
        return np.floor(mean + 0.5).astype(np.int64)

    return score


def score_balance(loads: Sequence[Load], shape: int | tuple[int, int]) -> IntColumn:
    """Score 100 if all resources have the same used share, less by the standard deviation of the shares.

    `shape`: the number of nodes, or (rows of requested amounts, number of nodes).
    """
    if len(loads) == 2 and all(load.allocatable.all() for load in loads):
        deviation = _half_difference(*(np.minimum(load.requested / load.allocatable, 1.0) for load in loads))
    else:
        shares = [np.minimum(load.requested / _divisor(load), 1.0) for load in loads]
        deviation = _deviation(shares, [load.allocatable != 0 for load in loads], shape)
    with np.errstate(invalid="ignore"):  # amounts beyond int64 have wrapped around
        scores: IntColumn = ((1 - deviation) * MAX_NODE_SCORE).astype(np.int64)
    return scores


def _deviation(shares: Sequence[Shares], present: Sequence[BoolColumn], shape: int | tuple[int, int]) -> Shares:
    """Return the nodes' standard deviation over the resources that they have; 0 with fewer than two."""
    count = sum((there.astype(np.int64) for there in present), np.zeros(shape, np.int64))
    divisor = np.maximum(count, 1)
    mean = sum((share * there for share, there in zip(shares, present, strict=True)), np.zeros(shape)) / divisor
    squares = np.zeros(shape)
    # For nodes with exactly two resources, `low` and `high` are their shares.
    low, high = np.full(shape, 1.0), np.zeros(shape)
    for share, there in zip(shares, present, strict=True):
        squares += (share - mean) * (share - mean) * there
        low, high = np.minimum(low, share, out=low, where=there), np.maximum(high, share, out=high, where=there)
    return np.select([count == 2, count > 2], [_half_difference(high, low), np.sqrt(squares / divisor)], 0.0)


def _half_difference(first: Shares, second: Shares) -> Shares:
    """Return the standard deviation of two shares as upstream computes it; the general formula may differ in the
    last bit.
    """
    return np.abs((first - second) / 2)


def _weighted_mean(loads: Sequence[Load], size: int, points: Callable[[Load, IntColumn], IntColumn]) -> IntColumn:
    total = np.zeros(size, np.int64)
    weights: int | IntColumn = 0
    for load in loads:
        everywhere = np.count_nonzero(load.allocatable) == size
        weight = load.weight if everywhere else load.weight * (load.allocatable != 0)
        total += points(load, load.allocatable if everywhere else _divisor(load)) * weight
        weights = weights + weight
    # If every node has every resource, the weights are one number, which divides faster than a column.
    return divide_columns_like_go(total, np.maximum(weights, 1))


def _divisor(load: Load) -> IntColumn:
    """Return the allocatable amounts with 1 in place of 0.

    Amounts beyond int64 have wrapped around to negative ones.
    """
    return np.where(load.allocatable == 0, 1, load.allocatable)


def _free(load: Load, capacity: IntColumn) -> IntColumn:
    """Return the free share in percent."""
    return _percent(np.maximum(capacity - load.requested, 0), capacity)


def _utilization(load: Load, capacity: IntColumn) -> IntColumn:
    """Return the used share in percent; it is capped, because defaults for missing requests may exceed the capacity."""
    return _percent(np.minimum(load.requested, capacity), capacity)


def _percent(part: IntColumn, whole: IntColumn) -> IntColumn:
    return divide_columns_like_go(part * MAX_NODE_SCORE, whole)


def divide_columns_like_go(dividend: IntColumn, divisor: IntColumn | np.int64) -> IntColumn:
    """Divide as Go does, towards zero. Only amounts that overflowed int64 are negative here."""
    quotient: IntColumn = dividend // divisor
    negative = (dividend < 0) != (divisor < 0)
    if np.count_nonzero(negative):
        quotient += negative & (quotient * divisor != dividend)
    return quotient


def piecewise_linear(shape: Sequence[UtilizationShapePoint], utilization: int) -> int:
    """Return a piecewise linear function's value. Source: pkg/scheduler/framework/plugins/helper/shape_score.go."""
    points = [(point.utilization, point.score * (MAX_NODE_SCORE // MAX_SHAPE_SCORE)) for point in shape]
    for i, (right, score) in enumerate(points):
        if utilization <= right:
            if i == 0:
                return score
            left, before = points[i - 1]
            rise, run = (score - before) * (utilization - left), right - left
            # Go's division truncates towards zero, also on a falling segment.
            return before + (rise // run if rise >= 0 else -(-rise // run))
    return points[-1][1]
