"""TaintToleration's score: the number of the node's PreferNoSchedule taints that the pod doesn't tolerate.

Source: pkg/scheduler/framework/plugins/tainttoleration.
"""

from kube_objects.sentences import Template
from kube_objects.taints import PREFER_NO_SCHEDULE, tolerates
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_sum
from scheduler_core.facts.normalize import explain_reversed_share

COUNTED = Template("not tolerated: counts")
TOLERATED = Template("tolerated: does not count")
HARD = Template("not a soft taint: does not count here")
SUM = Template("PreferNoSchedule taints that the pod does not tolerate")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    soft = [toleration for toleration in context.pod.tolerations if toleration.effect in ("", PREFER_NO_SCHEDULE)]
    lines, counts = [], []
    for taint in node.node.taints:
        if taint.effect != PREFER_NO_SCHEDULE:
            lines.append(CalculationLine(HARD(), of=str(taint)))
            continue
        counts.append(0 if any(tolerates(toleration, taint) for toleration in soft) else 1)
        what = COUNTED() if counts[-1] else TOLERATED()
        lines.append(CalculationLine(what, str(counts[-1]), counts[-1], str(taint)))
    return Calculation([*lines, CalculationLine(SUM(), format_sum(counts), sum(counts))], sum(counts))


def normalized(context: AttemptContext, node: NodeView, value: int, scores: IntColumn) -> Calculation:
    return explain_reversed_share(value, scores)
