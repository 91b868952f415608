"""NodeResourcesBalancedAllocation's score: the deviation of the resources' used shares.

Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
"""

import math

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, divide_like_go, format_number
from scheduler_core.facts.quantities import format_amount
from scheduler_core.plugins.node_resources.arithmetic import Use, used_resources
from scheduler_core.plugins.node_resources.balanced_allocation_args import NodeResourcesBalancedAllocationArgs

ASKS_NOTHING = Template("the pod requests none of the resources that are balanced")
SHARE = Template("used share with this pod there: {used} of {total} would be requested")
SHARE_BEFORE = Template("used share without this pod: {used} of {total} are requested")
MEAN = Template("mean of the shares")
HALF_DIFFERENCE = Template("half the difference of the two shares, which is their standard deviation")
DEVIATION = Template("standard deviation of the shares")
SINGLE = Template("fewer than two resources: nothing to balance")
SCORE = Template("the less they differ, the better")
CHANGE = Template("what the pod does to the balance: 75 is nothing, more makes it better, less worse")
HALF = 50


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    args = context.args("NodeResourcesBalancedAllocation", NodeResourcesBalancedAllocationArgs)
    if not any(context.pod.requests.get(spec.name) for spec in args.resources):
        return Calculation([CalculationLine(ASKS_NOTHING(), "0", 0)], 0)
    with_pod = _balance(context, node, args, SHARE)
    plugin = context.framework.plugins["NodeResourcesBalancedAllocation"]
    if not getattr(plugin, "scores_change", False):
        return with_pod
    without = _balance(context, node, args, SHARE_BEFORE, added=False)
    value = HALF + divide_like_go(HALF + with_pod.value - without.value, 2)
    formula = f"{HALF} + ({HALF} + {format_number(with_pod.value)} − {format_number(without.value)}) / 2"
    return Calculation([*with_pod.lines, *without.lines, CalculationLine(CHANGE(), formula, value)], value)


def _balance(
    context: AttemptContext,
    node: NodeView,
    args: NodeResourcesBalancedAllocationArgs,
    share_of: Template,
    added: bool = True,
) -> Calculation:
    counted, lines = used_resources(node, args.resources, context.pod.requests, nonzero=False, added=added)
    shares = [min(use.requested / use.allocatable, 1.0) for use in counted]
    lines += [_share(use, share, share_of) for use, share in zip(counted, shares, strict=True)]
    deviation = 0.0
    if len(shares) == 2:
        # Upstream computes half of the difference for two shares; the general formula may differ in the last bit.
        high, low = max(shares), min(shares)
        deviation = abs((high - low) / 2)
        lines.append(
            CalculationLine(HALF_DIFFERENCE(), f"|{format_number(high)} − {format_number(low)}| ÷ 2", deviation)
        )
    elif len(shares) > 2:
        mean = sum(shares, 0.0) / len(shares)
        squares = 0.0
        for share in shares:
            squares += (share - mean) * (share - mean)
        deviation = math.sqrt(squares / len(shares))
        lines.append(CalculationLine(MEAN(), f"({' + '.join(map(format_number, shares))}) ÷ {len(shares)}", mean))
        terms = " + ".join(f"({format_number(share)} − {format_number(mean)})²" for share in shares)
        lines.append(CalculationLine(DEVIATION(), f"√(({terms}) ÷ {len(shares)})", deviation))
    else:
        lines.append(CalculationLine(SINGLE(), "0", 0))
    value = int((1 - deviation) * 100)
    return Calculation(
        [*lines, CalculationLine(SCORE(), f"trunc((1 − {format_number(deviation)}) × 100)", value)], value
    )


def _share(use: Use, share: float, share_of: Template) -> CalculationLine:
    name = use.spec.name
    what = share_of(used=format_amount(name, use.requested), total=format_amount(name, use.allocatable))
    formula = f"{format_number(use.requested)} ÷ {format_number(use.allocatable)}"
    return CalculationLine(what, f"min({formula}, 1)" if use.requested > use.allocatable else formula, share, name)
