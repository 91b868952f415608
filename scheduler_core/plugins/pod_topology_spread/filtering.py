"""Hard constraints: how many matching pods every domain has, and which nodes would be too far ahead of the emptiest.

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
    """The domains of one constraint: `counts` of matching pods by label code, and which codes count as a domain.

    The last entry of both stands for nodes without the label: no pods, no domain. Both are the table's until `clone`.
    """

    constraint: Constraint
    counted: CountedNodes
    counts: IntColumn
    present: BoolColumn
    _lowest: int | None = None

    @property
    def lowest(self) -> int:
        """The count of the emptiest domain; 0 while there are fewer domains than minDomains.

        Upstream tracks the two lowest domains to know this after pods came or went; here it is looked up again.
        """
        if self._lowest is None:
            counts = self.counts[self.present]
            self._lowest = 0 if len(counts) < self.constraint.min_domains else lowest(counts)
        return self._lowest

    def add(self, domain: int, delta: int) -> None:
        self.counts[domain] += delta
        self._lowest = None

    def verdicts(self, pod: Pod, nodes: Nodes) -> CodeColumn:
        """Per node 0, _SKEWED or _MISSING."""
        limit = self.constraint.max_skew + self.lowest - self.constraint.selects(pod.labels)
        by_domain: CodeColumn = (self.counts > limit) * np.int32(_SKEWED)
        by_domain[-1] = _MISSING
        return by_domain.take(nodes.label(self.constraint.topology_key))

    def clone(self) -> Self:
        return type(self)(self.constraint, self.counted, self.counts.copy(), self.present, self._lowest)


@dataclass(slots=True)
class HardSpread:
    """The state that PreFilter leaves for Filter. `whole_domains` as in `count_domains`."""

    domains: Sequence[Domains]
    whole_domains: bool = False

    def clone(self) -> Self:
        return type(self)([domains.clone() for domains in self.domains], self.whole_domains)

    def count(self, pod: Pod, other: Pod, node: NodeView, delta: int) -> None:
        """`other` came to (`delta` 1) or left (-1) the node. Source: updateWithPod."""
        if other.namespace != pod.namespace:
            return
        places = [domain_of(node, domains.constraint.topology_key) for domains in self.domains]
        if -1 in places:
            return
        for domains, place in zip(self.domains, places, strict=True):
            counts = domains.present[place] if self.whole_domains else domains.counted.mask(node.as_nodes)[0]
            if counts and domains.constraint.selects(other.labels):
                domains.add(place, delta)

    def verdicts(self, pod: Pod, nodes: Nodes) -> Verdicts:
        """A node's first constraint that fails decides."""
        if not self.domains:
            return Verdicts.all_pass(len(nodes))
        codes = self.domains[0].verdicts(pod, nodes)
        for domains in self.domains[1:]:
            codes = np.where(codes == 0, domains.verdicts(pod, nodes), codes)
        return Verdicts(codes, list(_STATUSES))


def count_domains(pod: Pod, nodes: Nodes, constraints: Sequence[Constraint], whole_domains: bool = False) -> HardSpread:
    """`nodes` are all nodes of the cluster; those that the pod cannot use make no domain, and their pods do not count.

    With `whole_domains` they do where another node made the domain. Source: calPreFilterState.
    """
    keys = tuple(constraint.topology_key for constraint in constraints)
    domains = []
    for constraint in constraints:
        counted, pods = CountedNodes.of(pod, constraint, keys), constraint.pods(pod.namespace)
        found = nodes.pods_by_domain(pods, constraint.topology_key, counted)
        counts = found.counts
        if whole_domains:
            counts = np.where(found.present, nodes.pods_by_domain(pods, constraint.topology_key).counts, 0)
        domains.append(Domains(constraint, counted, counts, found.present))
    return HardSpread(domains, whole_domains)
