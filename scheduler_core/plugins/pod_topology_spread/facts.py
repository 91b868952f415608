"""PodTopologySpread's facts: how many more pods the node's domain has than the emptiest one.

Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
"""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.pod_topology_spread.filtering import Domains, HardSpread
from scheduler_core.plugins.pod_topology_spread.plugin import PRE_FILTER
from scheduler_core.plugins.topology import domain_of

WITHIN = Template("{count} + {own} − {lowest} = {skew} pods ahead of the emptiest domain: within maxSkew {limit}")
TOO_FAR = Template("{count} + {own} − {lowest} = {skew} pods ahead of the emptiest domain: more than maxSkew {limit}")
TOO_FEW = Template(
    "{count} + {own} − 0 = {skew} against maxSkew {limit}: with {domains} domains of minDomains {wanted} "
    "the emptiest counts as 0"
)
NO_LABEL = Template("the node has no label {key}, so it is in no domain")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    spread: HardSpread | None = state.find(PRE_FILTER)
    return [] if spread is None else [_fact(context, domains, node) for domains in spread.domains]


def _fact(context: AttemptContext, domains: Domains, node: NodeView) -> Fact:
    constraint, key = domains.constraint, domains.constraint.topology_key
    code = domain_of(node, key)
    if code < 0:
        return Fact(NO_LABEL(key=key), key, True)
    count, own, lowest = int(domains.counts[code]), int(constraint.selects(context.pod.labels)), domains.lowest
    skew, limit = count + own - lowest, constraint.max_skew
    present = int(domains.present.sum())
    values = {"count": count, "own": own, "skew": skew, "limit": limit}
    if present < constraint.min_domains:
        what = TOO_FEW(**values, domains=present, wanted=constraint.min_domains)
    else:
        what = (TOO_FAR if skew > limit else WITHIN)(**values, lowest=lowest)
    data = values | {"lowest": lowest, "domain": node.labels[key], "domains": present}
    return Fact(what, f"{key}={node.labels[key]}", skew > limit, data)
