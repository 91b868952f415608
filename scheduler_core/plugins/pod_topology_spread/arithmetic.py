"""PodTopologySpread's score: the number of matching pods in the node's domains; fewer is better.

Source: pkg/scheduler/framework/plugins/podtopologyspread/scoring.go.
"""

import math

from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_number, round_like_go
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.pod_topology_spread.plugin import PRE_SCORE
from scheduler_core.plugins.pod_topology_spread.scoring import SoftSpread, WeightedConstraint

DOMAIN = Template(
    "matching pods in {domain}: {count}; times ln({domains} domains + 2), plus maxSkew {skew} − 1: fewer is better"
)
NODE = Template(
    "matching pods on the node: {count}; times ln({domains} nodes + 2), plus maxSkew {skew} − 1: fewer is better"
)
NO_LABEL = Template("the node has no label {key}: the constraint does not count here")
NOT_SCORED = Template("the node lacks a topology key of the pod's constraints: it is not scored")
SUM = Template("sum over the constraints, as a whole number")
BEST = Template("the fewer pods the better: lowest raw score {lowest}, highest {highest}")
NO_PODS = Template("no node's domains have a matching pod: all are equally good")
LEAST = Template("the node is not scored: it gets nothing")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    spread = _spread(context)
    if not spread.scores_one(node):
        return Calculation([CalculationLine(NOT_SCORED(), "0", 0)], 0)
    lines, total = [], 0.0
    for weighted in spread.constraints:
        line = _line(context, node, weighted)
        lines.append(line)
        total += line.value or 0.0
    value = math.trunc(total) if spread.truncates else round_like_go(total)
    terms = " + ".join(format_number(line.value or 0.0) for line in lines) or "0"
    formula = f"trunc({terms})" if spread.truncates else f"round({terms})"
    return Calculation([*lines, CalculationLine(SUM(), formula, value)], value)


def _spread(context: AttemptContext) -> SoftSpread:
    data: ConstantState[SoftSpread] = context.state.read(PRE_SCORE)
    return data.value


def _line(context: AttemptContext, node: NodeView, weighted: WeightedConstraint) -> CalculationLine:
    constraint, key = weighted.constraint, weighted.constraint.topology_key
    if key not in node.labels:
        return CalculationLine(NO_LABEL(key=key), "0.0", 0.0, key)
    if weighted.counts is None:
        template, count = NODE, int(node.as_nodes.pods_matching(constraint.pods(context.pod.namespace))[0])
    else:
        template, count = DOMAIN, int(weighted.counts[int(node.table.label_codes(key)[node.row])])
    domains, skew = round(math.exp(weighted.weight)) - 2, constraint.max_skew
    value = count * math.log(domains + 2) + (skew - 1)
    what = template(count=count, domain=f"{key}={node.labels[key]}", domains=domains, skew=skew)
    return CalculationLine(what, f"{count} × ln({domains} + 2) + ({skew} − 1)", value, key)


def normalized(context: AttemptContext, node: NodeView, value: int, scores: IntColumn) -> Calculation:
    spread, feasible = _spread(context), context.attempt.feasible
    assert feasible is not None  # scores exist only if nodes are feasible
    scored = spread.scored(feasible)
    if not spread.scores_one(node):
        return Calculation([CalculationLine(LEAST(), "0", 0)], 0)
    counting = scores if scored is None else scores[scored]
    lowest, highest = int(counting.min()), int(counting.max())
    if not highest:
        return Calculation([CalculationLine(NO_PODS(), "100", 100)], 100)
    result = 100 * (highest + lowest - value) // highest
    formula = f"100 × ({highest} + {lowest} − {value}) / {highest}"
    return Calculation([CalculationLine(BEST(lowest=lowest, highest=highest), formula, result)], result)
