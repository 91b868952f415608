"""DynamicResources' score (v1.36): more for earlier alternatives in a prioritized list.

Source: pkg/scheduler/framework/plugins/dynamicresources, computeScore.
"""

from kube_objects.devices import MAX_ALTERNATIVES
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_number, format_sum
from scheduler_core.facts.normalize import explain_share_of_highest
from scheduler_core.plugins.dynamic_resources.state import STATE_KEY, State

NOTHING = Template("no request of the pod's claims has alternatives")
CHOSEN = Template("{alternative}, alternative {number} of {request}: earlier ones are worth more")
SUM = Template("over all requests with alternatives")
AS_IT_IS = Template("a pod without claims of its own keeps its raw score")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    data: State | None = context.state.find(STATE_KEY)
    lines, points = [], []
    node_allocations = None if data is None else data.found.get(node.name)
    if data is not None and node_allocations is not None:
        new = iter(node_allocations)
        for claim in data.claims:
            allocation = data.allocation_of(claim) or next(new)
            chosen = {device.request for device in allocation.devices}
            for request in claim.requests:
                for position, alternative in enumerate(request.alternatives):
                    if f"{request.name}/{alternative.name}" in chosen:
                        points.append(MAX_ALTERNATIVES - position)
                        what = CHOSEN(alternative=alternative.name, number=position + 1, request=request.name)
                        lines.append(CalculationLine(what, f"{MAX_ALTERNATIVES} − {position}", points[-1], claim.key))
    if not points:
        return Calculation([CalculationLine(NOTHING(), "0", 0)], 0)
    if len(points) > 1:
        lines.append(CalculationLine(SUM(), format_sum(points), sum(points)))
    return Calculation(lines, sum(points))


def normalized(context: AttemptContext, node: NodeView, raw_score: int, scores: IntColumn) -> Calculation:
    if context.pod.resource_claims:
        return explain_share_of_highest(raw_score, scores)
    return Calculation([CalculationLine(AS_IT_IS(), format_number(raw_score), raw_score)], raw_score)
