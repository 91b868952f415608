"""How many nodes of a template some pods need: first fit, the largest pods first.

Source: cluster-autoscaler/estimator/binpacking_estimator.go, decreasing_pod_orderer.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.cluster_autoscaler.utilization import requested
from kube_objects.manifests import Manifest, labels, name, spec, status, with_meta
from kube_objects.quantity import parse_milli

HOSTNAME = "kubernetes.io/hostname"


class Estimate(NamedTuple):
    """How many nodes get a pod, and the pods that get a place."""

    nodes: int
    pods: list[Manifest]


def node_of(template: Manifest, named: str) -> Manifest:
    """A node as the template describes it. Source: FreshNodeInfoFromTemplateNodeInfo."""
    return with_meta(template, name=named, uid=named, labels={**labels(template), HOSTNAME: named})


def in_order(groups: Sequence[Sequence[Manifest]], template: Manifest) -> list[Sequence[Manifest]]:
    """The groups of equal pods that ask for the largest part of a node first. Source: DecreasingPodOrderer.Order."""
    allocatable = status(template).get("allocatable") or status(template).get("capacity") or {}
    return sorted((group for group in groups if group), key=lambda group: -_score(group[0], allocatable))


def _score(pod: Manifest, allocatable: Mapping[str, str]) -> float:
    total = 0.0
    for resource in ("cpu", "memory"):
        whole = parse_milli(str(allocatable.get(resource, 0)))
        total += requested(pod, resource) / whole if whole else 0.0
    return total


def estimate(groups: Sequence[Sequence[Manifest]], template: Manifest, snapshot: Snapshot, most: int = 0) -> Estimate:
    """`snapshot` is changed; `most` nodes may be added, 0 is any number. Source: Estimate."""
    packing = _Packing(template, snapshot, most)
    for group in in_order(groups, template):
        packing.fill_new(packing.fill_known(iter(group)))
    return Estimate(len(packing.used), packing.pods)


class _Packing:
    def __init__(self, template: Manifest, snapshot: Snapshot, most: int) -> None:
        self.template, self.snapshot, self.most = template, snapshot, most
        self.new: list[str] = []
        self.used: set[str] = set()
        self.pods: list[Manifest] = []
        self._turn = 0

    def fill_known(self, pods: Iterator[Manifest]) -> Iterator[Manifest]:
        """On nodes that were added before, going round; what is left from the first that fits on none.

        Source: tryToScheduleOnExistingNodes, FitsAnyNodeMatching.
        """
        for pod in pods:
            in_turn = [*self.new[self._turn :], *self.new[: self._turn]]
            found = self.snapshot.first_fit(pod, in_turn)
            if found is None:
                yield pod
                yield from pods
                return
            self._turn = (self._turn + in_turn.index(found) + 1) % len(self.new)
            self._put(pod, found)

    def fill_new(self, pods: Iterator[Manifest]) -> None:
        """On the last node, then on a new one; one that does not help is the last one. Source: tryToScheduleOnNewNodes.

        Each node that comes lets others take more pods that are spread over nodes: for these all are tried, also those
        that were there before, and counted, as upstream does.
        """
        for pod in pods:
            if self.new and self.snapshot.first_fit(pod, self.new[-1:]) is not None:
                self._put(pod, self.new[-1])
                continue
            if self.new and _is_spread_over_nodes(pod):
                others = [node for node in self.snapshot.nodes if node != self.new[-1]]
                if (found := self.snapshot.first_fit(pod, others)) is not None:
                    self._put(pod, found)
                    continue
            if (self.new and self.new[-1] not in self.used) or (self.most and len(self.new) >= self.most):
                return
            made = node_of(self.template, f"{name(self.template)}-e-{len(self.new)}")
            self.new.append(name(made))
            self.snapshot.add_node(made)
            if self.snapshot.first_fit(pod, self.new[-1:]) is None:
                return
            self._put(pod, self.new[-1])

    def _put(self, pod: Manifest, node: str) -> None:
        self.snapshot.add_pod(pod, node)
        self.used.add(node)
        self.pods.append(pod)


def _is_spread_over_nodes(pod: Manifest) -> bool:
    """Source: isPodUsingHostNameTopologyKey."""
    return any(one.get("topologyKey") == HOSTNAME for one in spec(pod).get("topologySpreadConstraints") or ())
