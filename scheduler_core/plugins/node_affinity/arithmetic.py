"""NodeAffinity's score: the weights of the preferred terms that match the node.

Source: pkg/scheduler/framework/plugins/nodeaffinity.
"""

from kube_objects.selectors import PreferredSchedulingTerm
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_sum, shorten_lines
from scheduler_core.facts.normalize import explain_share_of_highest
from scheduler_core.plugins.node_affinity.added import compile_affinity
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.node_selector import preference_weights

MATCHES = Template("the node matches this preference of the pod: its weight counts")
MISSES = Template("the node does not match this preference of the pod (weight {weight})")
ADDED_MATCHES = Template("the node matches this preference, which the profile adds to every pod: its weight counts")
ADDED_MISSES = Template(
    "the node does not match this preference (weight {weight}), which the profile adds to every pod"
)
SUM = Template("weights of the preferences that match")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    args = context.args("NodeAffinity", NodeAffinityArgs)
    added = compile_affinity(args.added_affinity).preferred if args.added_affinity is not None else ()
    own = context.pod.node_affinity.preferred if context.pod.node_affinity is not None else ()
    lines = [_line(wanted, node, ADDED_MATCHES, ADDED_MISSES) for wanted in added]
    lines += [_line(wanted, node, MATCHES, MISSES) for wanted in own]
    weights = [line.value for line in lines if isinstance(line.value, int) and line.value]
    value = sum(weights)
    return Calculation([*shorten_lines(lines), CalculationLine(SUM(), format_sum(weights), value)], value)


def _line(wanted: PreferredSchedulingTerm, node: NodeView, matches: Template, misses: Template) -> CalculationLine:
    value = int(preference_weights((wanted,), node.as_nodes)[0])
    what = matches() if value else misses(weight=wanted.weight)
    return CalculationLine(what, str(value), value, wording.format_node_term(wanted.term))


def normalized(context: AttemptContext, node: NodeView, value: int, scores: IntColumn) -> Calculation:
    return explain_share_of_highest(value, scores)
