"""Hard constraints: the matching pods in each domain, and the nodes that would exceed maxSkew.

Source: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn, lowest
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.pod_topology_spread.constraints import Constraint, CountedNodes
from scheduler_core.plugins.topology import domain_of

REASON = "node(s) didn't match pod topology spread constraints"
REASON_LABEL = f"{REASON} (missing required label)"

_SKEWED, _MISSING = 1, 2
_STATUSES = (SUCCESS, Status.unschedulable(REASON), Status.unresolvable(REASON_LABEL))


@dataclass(slots=True)
class Domains:
    """The domains of one constraint: `counts` of matching pods by label code, and `present`, which codes are
    domains.

    The last entry of both is for nodes without the label: no pods, no domain. Both belong to the NodeTable until
    `clone`.
    """

    constraint: Constraint
    counted: CountedNodes
    counts: IntColumn
    present: BoolColumn
    _lowest: int | None = None

    @property
    def lowest(self) -> int:
        """Return the count of the emptiest domain; 0 if there are fewer domains than minDomains.

        Upstream tracks the two lowest domains (criticalPaths); here the minimum is computed again after a change.
        """
        if self._lowest is None:
            counts = self.counts[self.present]
            self._lowest = 0 if len(counts) < self.constraint.min_domains else lowest(counts)
        return self._lowest

    def add(self, domain: int, delta: int) -> None:
        self.counts[domain] += delta
        self._lowest = None

    def verdicts(self, pod: Pod, nodes: Nodes) -> CodeColumn:
        """Return a code per node: 0, _SKEWED or _MISSING."""
        limit = self.constraint.max_skew + self.lowest - self.constraint.selects(pod.labels)
        by_domain: CodeColumn = (self.counts > limit) * np.int32(_SKEWED)
        by_domain[-1] = _MISSING
        return by_domain.take(nodes.label(self.constraint.topology_key))

    def clone(self) -> Self:
        return type(self)(self.constraint, self.counted, self.counts.copy(), self.present, self._lowest)


@dataclass(slots=True)
class HardSpread:
    """The state that PreFilter writes for Filter. `whole_domains` as in `count_domains`."""

    domains: Sequence[Domains]
    whole_domains: bool = False

    def clone(self) -> Self:
        return type(self)([domains.clone() for domains in self.domains], self.whole_domains)

    def count(self, pod: Pod, other: Pod, node: NodeView, delta: int) -> None:
        """Count a pod that was added to (`delta` 1) or removed from (-1) the node. Source: updateWithPod."""
        if other.namespace != pod.namespace:
            return
        codes = [domain_of(node, domains.constraint.topology_key) for domains in self.domains]
        if -1 in codes:
            return
        for domains, code in zip(self.domains, codes, strict=True):
            counts = domains.present[code] if self.whole_domains else domains.counted.mask(node.as_nodes)[0]
            if counts and domains.constraint.selects(other.labels):
                domains.add(code, delta)

    def verdicts(self, pod: Pod, nodes: Nodes) -> Verdicts:
        """Return the verdicts; a node's first failing constraint decides."""
        if not self.domains:
            return Verdicts.all_pass(len(nodes))
        codes = self.domains[0].verdicts(pod, nodes)
        for domains in self.domains[1:]:
            codes = np.where(codes == 0, domains.verdicts(pod, nodes), codes)
        return Verdicts(codes, list(_STATUSES))


def count_domains(pod: Pod, nodes: Nodes, constraints: Sequence[Constraint], whole_domains: bool = False) -> HardSpread:
    """Count the matching pods in each domain. Source: calPreFilterState.

    `nodes` is all nodes of the cluster. Nodes that the pod can't use form no domain, and their pods don't count; with
    `whole_domains` their pods count in domains of other nodes.
    """
    keys = tuple(constraint.topology_key for constraint in constraints)
    domains = []
    for constraint in constraints:
        counted, pods = CountedNodes.for_constraint(pod, constraint, keys), constraint.pods(pod.namespace)
        domain_counts = nodes.pods_by_domain(pods, constraint.topology_key, counted)
        counts = domain_counts.counts
        if whole_domains:
            counts = np.where(domain_counts.present, nodes.pods_by_domain(pods, constraint.topology_key).counts, 0)
        domains.append(Domains(constraint, counted, counts, domain_counts.present))
    return HardSpread(domains, whole_domains)
