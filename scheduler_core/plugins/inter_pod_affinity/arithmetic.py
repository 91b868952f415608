"""InterPodAffinity's score: the preferred terms of the pod and of existing pods, by the node's topology domains.

Source: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
"""

from collections.abc import Iterator

from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import NodeView
from scheduler_core.cache.term_table import PREFERRED_AFFINITY, PREFERRED_ANTI_AFFINITY, REQUIRED_AFFINITY
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import Calculation, CalculationLine, format_number, format_sum, shorten_lines
from scheduler_core.plugins.inter_pod_affinity.args import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.scoring import preferred_terms, terms_of_others
from scheduler_core.plugins.inter_pod_affinity.terms import count_matching_all, incoming_terms
from scheduler_core.plugins.topology import domain_of

OWN_AFFINITY = Template("the pod likes to be near such pods: {count} in {domain}, weight {weight}")
OWN_ANTI_AFFINITY = Template("the pod avoids such pods: {count} in {domain}, weight {weight}")
THEIR_REQUIRED = Template(
    "pods that require pods like this one near them: {count} in {domain}, hardPodAffinityWeight {weight}"
)
THEIR_AFFINITY = Template("pods that like pods like this one near them: {count} in {domain}, weight {weight}")
THEIR_ANTI_AFFINITY = Template("pods that avoid pods like this one: {count} in {domain}, weight {weight}")
THEIRS = {
    REQUIRED_AFFINITY: THEIR_REQUIRED,
    PREFERRED_AFFINITY: THEIR_AFFINITY,
    PREFERRED_ANTI_AFFINITY: THEIR_ANTI_AFFINITY,
}
NO_LABEL = Template("the node has no label {key}: the term does not count here")
SUM = Template("sum over the terms")
RANGE = Template("where the raw score lies between the lowest of all nodes, {lowest}, and the highest, {highest}")
ALL_EQUAL = Template("all nodes have the same raw score: none is preferred")


def raw(context: AttemptContext, node: NodeView) -> Calculation:
    lines = [*_own_terms(context, node), *_terms_of_others(context, node)]
    values = [line.value for line in lines if isinstance(line.value, int)]
    value = sum(values)
    return Calculation(
        [*shorten_lines(lines), CalculationLine(SUM(), format_sum([v for v in values if v]), value)], value
    )


def _own_terms(context: AttemptContext, node: NodeView) -> Iterator[CalculationLine]:
    pod, all_nodes = context.pod, context.nodes
    sides = ((pod.pod_affinity, 1, OWN_AFFINITY), (pod.pod_anti_affinity, -1, OWN_ANTI_AFFINITY))
    for affinity, sign, template in sides:
        own = preferred_terms(affinity)
        terms = incoming_terms((weighted.term for weighted in own), context.lister)
        for weighted, term in zip(own, terms, strict=True):
            text = wording.format_selector(term.selector)
            counts = count_matching_all([term], all_nodes, term.topology_key).counts
            yield _line(node, term.topology_key, sign * weighted.weight, counts, text, template)


def _terms_of_others(context: AttemptContext, node: NodeView) -> Iterator[CalculationLine]:
    """Return a line for each term of existing pods with an effect on the node."""
    args = context.args("InterPodAffinity", InterPodAffinityArgs)
    for existing, weight in terms_of_others(context.pod, context.nodes, context.lister, args.hard_pod_affinity_weight):
        text = wording.format_selector(existing.term.selector)
        counts = context.nodes.term_by_domain(existing).counts
        line = _line(node, existing.term.topology_key, weight, counts, text, THEIRS[existing.kind])
        if line.value:
            yield line


def _line(node: NodeView, key: str, weight: int, pods: IntColumn, text: str, template: Template) -> CalculationLine:
    """Return a line for one term. `pods` is the number of matching pods by label code."""
    domain = domain_of(node, key)
    if domain < 0:
        return CalculationLine(NO_LABEL(key=key), "0", 0, text)
    count = int(pods[domain])
    what = template(count=count, domain=f"{key}={node.labels[key]}", weight=weight)
    return CalculationLine(what, f"{count} × {format_number(weight)}", count * weight, text)


def normalized(context: AttemptContext, node: NodeView, value: int, scores: IntColumn) -> Calculation:
    lowest, highest = int(scores.min()), int(scores.max())
    if lowest == highest:
        return Calculation([CalculationLine(ALL_EQUAL(), "0", 0)], 0)
    result = int(100 * ((value - lowest) / (highest - lowest)))
    low = format_number(lowest)
    formula = f"trunc(100 × (({format_number(value)} − {low}) ÷ ({format_number(highest)} − {low})))"
    return Calculation([CalculationLine(RANGE(lowest=lowest, highest=highest), formula, result)], result)
