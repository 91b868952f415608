"""Estimates of the Nodes that Pods need, by first-fit-decreasing packing.

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
    """The number of new Nodes that get a Pod, and the Pods that fit."""

    nodes: int
    pods: list[Manifest]


def node_from_template(template: Manifest, node_name: str) -> Manifest:
    """Return a new Node of the template. Source: FreshNodeInfoFromTemplateNodeInfo."""
    return with_meta(template, name=node_name, uid=node_name, labels={**labels(template), HOSTNAME: node_name})


def sort_groups(groups: Sequence[Sequence[Manifest]], template: Manifest) -> list[Sequence[Manifest]]:
    """Return the groups of equal Pods by their share of a Node, the largest first. Source:
    DecreasingPodOrderer.Order.
    """
    allocatable = status(template).get("allocatable") or status(template).get("capacity") or {}
    return sorted((group for group in groups if group), key=lambda group: -_score(group[0], allocatable))


def _score(pod: Manifest, allocatable: Mapping[str, str]) -> float:
    total = 0.0
    for resource in ("cpu", "memory"):
        whole = parse_milli(str(allocatable.get(resource, 0)))
        total += requested(pod, resource) / whole if whole else 0.0
    return total


def estimate(groups: Sequence[Sequence[Manifest]], template: Manifest, snapshot: Snapshot, most: int = 0) -> Estimate:
    """Return the estimate for the groups of equal Pods; at most `most` Nodes are added (0: no limit).

    It adds Nodes and Pods to `snapshot`. Source: Estimate.
    """
    packing = _Packing(template, snapshot, most)
    for group in sort_groups(groups, template):
        packing.add_nodes(packing.fill_added_nodes(iter(group)))
    return Estimate(len(packing.used), packing.pods)


class _Packing:
    """The state of one estimate: the added Nodes and the placed Pods."""

    def __init__(self, template: Manifest, snapshot: Snapshot, most: int) -> None:
        self.template, self.snapshot, self.most = template, snapshot, most
        self.new: list[str] = []
        self.used: set[str] = set()
        self.pods: list[Manifest] = []
        self._next_node = 0

    def fill_added_nodes(self, pods: Iterator[Manifest]) -> Iterator[Manifest]:
        """Place Pods on the Nodes that were added before, round-robin; yield the rest from the first one that fits
        nowhere.

        Source: tryToScheduleOnExistingNodes, FitsAnyNodeMatching.
        """
        for pod in pods:
            candidates = [*self.new[self._next_node :], *self.new[: self._next_node]]
            node = self.snapshot.first_fit(pod, candidates)
            if node is None:
                yield pod
                yield from pods
                return
            self._next_node = (self._next_node + candidates.index(node) + 1) % len(self.new)
            self._place_pod(pod, node)

    def add_nodes(self, pods: Iterator[Manifest]) -> None:
        """Place Pods on the last Node, then on new ones; stop when a new Node doesn't help. Source:
        tryToScheduleOnNewNodes.

        A new Node lets other Nodes take more Pods that are spread over Nodes, so such Pods are tried on all Nodes. As
        upstream does, Nodes that existed before are counted, too.
        """
        for pod in pods:
            if self.new and self.snapshot.first_fit(pod, self.new[-1:]) is not None:
                self._place_pod(pod, self.new[-1])
                continue
            if self.new and _is_spread_over_nodes(pod):
                others = [node for node in self.snapshot.nodes if node != self.new[-1]]
                if (node := self.snapshot.first_fit(pod, others)) is not None:
                    self._place_pod(pod, node)
                    continue
            if (self.new and self.new[-1] not in self.used) or (self.most and len(self.new) >= self.most):
                return
            added = node_from_template(self.template, f"{name(self.template)}-e-{len(self.new)}")
            self.new.append(name(added))
            self.snapshot.add_node(added)
            if self.snapshot.first_fit(pod, self.new[-1:]) is None:
                return
            self._place_pod(pod, self.new[-1])

    def _place_pod(self, pod: Manifest, node: str) -> None:
        self.snapshot.add_pod(pod, node)
        self.used.add(node)
        self.pods.append(pod)


def _is_spread_over_nodes(pod: Manifest) -> bool:
    """Source: isPodUsingHostNameTopologyKey."""
    return any(
        constraint.get("topologyKey") == HOSTNAME for constraint in spec(pod).get("topologySpreadConstraints") or ()
    )
