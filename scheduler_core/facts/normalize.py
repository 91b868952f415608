"""Normalization that several plugins share: each score as a share of the highest.

Source: pkg/scheduler/framework/plugins/helper/normalize_score.go.
"""

from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_number

SHARE = Template("share of the highest raw score of all nodes, {highest}")
REVERSED = Template("100 less the share of the highest raw score of all nodes, {highest}: the lowest is best")
ALL_ZERO = Template("no node has a raw score above 0")


def explain_share_of_highest(raw: int, scores: IntColumn) -> Calculation:
    highest = int(scores.max(initial=0))
    if not highest:
        return Calculation([CalculationLine(ALL_ZERO(), "0", 0)], 0)
    value = 100 * raw // highest
    return Calculation(
        [CalculationLine(SHARE(highest=highest), f"100 × {format_number(raw)} / {highest}", value)], value
    )


def explain_reversed_share(raw: int, scores: IntColumn) -> Calculation:
    highest = int(scores.max(initial=0))
    if not highest:
        return Calculation([CalculationLine(ALL_ZERO(), "100", 100)], 100)
    value = 100 - 100 * raw // highest
    return Calculation(
        [CalculationLine(REVERSED(highest=highest), f"100 − 100 × {format_number(raw)} / {highest}", value)], value
    )
