"""NodeResourcesFit's score by the profile's strategy.

The computation is independent of the engine's columns, so that tests can compare the two.
Source: pkg/scheduler/framework/plugins/noderesources/least_allocated.go, most_allocated.go,
requested_to_capacity_ratio.go.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from kube_objects.sentences import Data, Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.config.args.resources import ResourceSpec, UtilizationShapePoint
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, divide_like_go, format_number, wrap_int64
from scheduler_core.facts.quantities import format_amount
from scheduler_core.plugins.node_resources.arithmetic import Use, used_resources
from scheduler_core.plugins.node_resources.fit_args import LEAST_ALLOCATED, MOST_ALLOCATED, NodeResourcesFitArgs

FREE = Template("free share with this pod there, in percent: {used} of {total} would be requested")
FULL = Template("{used} would be requested of {total}: nothing would be free")
USED = Template("used share with this pod there, in percent: {used} of {total} would be requested")
POINTS = Template("points for that share, by the profile's shape")
NO_POINTS = Template("points for that share, by the profile's shape: a resource with 0 points does not count")
MEAN = Template("weighted mean over the resources")
ROUNDED_MEAN = Template("weighted mean over the resources, rounded")
NOTHING = Template("no resource counts")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    args = context.args("NodeResourcesFit", NodeResourcesFitArgs)
    strategy = args.scoring_strategy
    assert strategy is not None  # the plugin is not built without
    counted, left_out = used_resources(node, strategy.resources, context.pod.scoring_requests, nonzero=True)
    if strategy.type == LEAST_ALLOCATED:
        return _mean(counted, left_out, _free)
    if strategy.type == MOST_ALLOCATED:
        return _mean(counted, left_out, _used)
    ratio = strategy.requested_to_capacity_ratio
    return _rounded_mean(counted, left_out, (ratio.shape if ratio is not None else None) or ())


def strategy_name(context: AttemptContext) -> str:
    """Return `LeastAllocated`, `MostAllocated` or `RequestedToCapacityRatio`."""
    args = context.args("NodeResourcesFit", NodeResourcesFitArgs)
    return "" if args.scoring_strategy is None else args.scoring_strategy.type


def _sentence(template: Template, use: Use) -> Data:
    return template(
        used=format_amount(use.spec.name, use.requested), total=format_amount(use.spec.name, use.allocatable)
    )


def _free(use: Use) -> CalculationLine:
    name, requested, total = use.spec.name, use.requested, use.allocatable
    if requested > total:
        return CalculationLine(_sentence(FULL, use), "0", 0, name)
    formula = f"({format_number(total)} − {format_number(requested)}) × 100 / {format_number(total)}"
    return CalculationLine(
        _sentence(FREE, use), formula, divide_like_go(wrap_int64((total - requested) * 100), total), name
    )


def _used(use: Use) -> CalculationLine:
    name, requested, total = use.spec.name, use.requested, use.allocatable
    used = f"min({format_number(requested)}, {format_number(total)})" if requested > total else format_number(requested)
    value = divide_like_go(wrap_int64(min(requested, total) * 100), total)
    return CalculationLine(_sentence(USED, use), f"{used} × 100 / {format_number(total)}", value, name)


def _mean(
    counted: Sequence[Use], left_out: list[CalculationLine], points: Callable[[Use], CalculationLine]
) -> Calculation:
    lines = [points(use) for use in counted]
    weights = sum(use.spec.weight for use in counted)
    if not weights:
        return Calculation([*left_out, CalculationLine(NOTHING(), "0", 0)], 0)
    weighted = [wrap_int64(int(line.value or 0) * use.spec.weight) for line, use in zip(lines, counted, strict=True)]
    value = divide_like_go(wrap_int64(sum(weighted)), weights)
    formula = f"({_weighted(counted, lines)}) / {weights}"
    return Calculation([*left_out, *lines, CalculationLine(MEAN(), formula, value)], value)


def _rounded_mean(
    counted: Sequence[Use], left_out: list[CalculationLine], shape: Sequence[UtilizationShapePoint]
) -> Calculation:
    lines = list(left_out)
    scoring: list[tuple[Use, CalculationLine]] = []
    for use in counted:
        share = _used(use)
        points = _on_shape(shape, max(int(share.value or 0), 0), use.spec)
        lines += [share, points]
        if points.value:
            scoring.append((use, points))
    weights = sum(use.spec.weight for use, _ in scoring)
    if not weights:
        return Calculation([*lines, CalculationLine(NOTHING(), "0", 0)], 0)
    total = sum(int(points.value or 0) * use.spec.weight for use, points in scoring)
    value = math.floor(total / weights + 0.5)
    formula = f"round(({_weighted([use for use, _ in scoring], [line for _, line in scoring])}) ÷ {weights})"
    return Calculation([*lines, CalculationLine(ROUNDED_MEAN(), formula, value)], value)


def _weighted(counted: Sequence[Use], lines: Sequence[CalculationLine]) -> str:
    return " + ".join(
        f"{format_number(line.value or 0)} × {use.spec.weight}" for line, use in zip(lines, counted, strict=True)
    )


def _on_shape(shape: Sequence[UtilizationShapePoint], share: int, spec: ResourceSpec) -> CalculationLine:
    """Interpolate linearly between the points; outside of them the line is level. Shape scores are multiplied by 10."""
    formula, value = _interpolated([(point.utilization, point.score * 10) for point in shape], share)
    return CalculationLine(POINTS() if value else NO_POINTS(), formula, value, spec.name)


def _interpolated(points: Sequence[tuple[int, int]], share: int) -> tuple[str, int]:
    for (left, low), (right, high) in pairwise(points):
        if left < share <= right:
            formula = f"{low} + ({high} − {low}) × ({share} − {left}) / ({right} − {left})"
            return formula, low + divide_like_go((high - low) * (share - left), right - left)
    level = points[0][1] if share <= points[0][0] else points[-1][1]
    return str(level), level
