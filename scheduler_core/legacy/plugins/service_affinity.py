"""ServiceAffinity: pods of a Service run on nodes with the label values of the first one's node, or are spread.

Source (v1.20): pkg/scheduler/framework/plugins/serviceaffinity.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kube_objects.parsers.selectors import from_labels
from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    PerNodeFilter,
    PreFilterPlugin,
    PreFilterResult,
    ScorePlugin,
)
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.legacy.args import ServiceAffinityArgs
from scheduler_core.plugins.pod_topology_spread.default_selector import matching_services

REASON = "node(s) didn't match service affinity"
PRE_FILTER = "PreFilterServiceAffinity"
NO_STATE = f'error reading "{PRE_FILTER}" from cycleState: not found'
NO_NODE = "node not found"


@dataclass(slots=True)
class State:
    """The pods of the namespace that have all labels of the pod, in visiting order of their nodes."""

    peers: list[Pod]
    in_service: bool

    def clone(self) -> Self:
        return type(self)(list(self.peers), self.in_service)


class ServiceAffinity(PreFilterPlugin, PerNodeFilter, ScorePlugin):
    """The plugin: its filter is for `affinityLabels`, its score spreads over `antiAffinityLabelsPreference`."""

    name = "ServiceAffinity"
    normalizes = True

    def __init__(self, args: ServiceAffinityArgs, handle: Handle) -> None:
        self._labels = args.affinity_labels
        self._spread_over = args.anti_affinity_labels_preference
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args, handle)

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        if self._labels:
            peers = [other for node in self._handle.visited for other in node.pods if _is_peer(pod, other)]
            state.write(PRE_FILTER, State(peers, bool(matching_services(pod, self._handle.lister))))
        return PreFilterResult()

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        if not self._labels:
            return SUCCESS
        data: State | None = state.find(PRE_FILTER)
        if data is None:
            return Status.error(NO_STATE)
        if _is_peer(pod, added):
            data.peers.append(added)
        return SUCCESS

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        if not self._labels:
            return SUCCESS
        data: State | None = state.find(PRE_FILTER)
        if data is None:
            return Status.error(NO_STATE)
        at = next((i for i, peer in enumerate(data.peers) if peer.key == removed.key), None)
        if at is not None:
            del data.peers[at]
        return SUCCESS

    def filter_node(self, state: CycleState, pod: Pod, node: NodeView) -> Status:
        """Filter by the labels' values in the nodeSelector, or those of the first peer's node."""
        if not self._labels:
            return SUCCESS
        data: State | None = state.find(PRE_FILTER)
        if data is None:
            return Status.error(NO_STATE)
        wanted = {key: pod.node_selector[key] for key in self._labels if key in pod.node_selector}
        if len(self._labels) > len(wanted) and data.in_service:
            first = _first_peer(data, node)
            if first is not None:
                home = self._handle.nodes.find(first.node_name)
                if home is None:
                    return Status.error(NO_NODE)
                wanted = {key: home.labels[key] for key in self._labels if key in home.labels} | wanted
        fits = all(node.labels.get(key) == value for key, value in wanted.items())
        return SUCCESS if fits else Status.unschedulable(REASON)

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return how many pods of the Service run on the node. With several Services upstream takes a random one."""
        services = matching_services(pod, self._handle.lister)
        if not services:
            return np.zeros(len(nodes), np.int64)
        selector = LabelSelector(tuple(sorted(from_labels(services[0].selector), key=lambda r: r.key)))
        return nodes.pods_matching(PodSelector(frozenset((pod.namespace,)), (selector,), terminating=False))

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        """Return the mean over the labels; nodes whose label values few of the pods share score higher."""
        mean = np.zeros(len(nodes), np.float64)
        total = int(scores.sum())
        for key in self._spread_over:
            codes = nodes.label(key)
            shares = np.full(len(nodes), float(MAX_NODE_SCORE))
            if total:
                counts = np.bincount(codes + 1, scores)
                shares = float(MAX_NODE_SCORE) * ((total - counts[codes + 1]) / float(total))
            mean += np.where(codes >= 0, shares / float(len(self._spread_over)), 0.0)
        return mean.astype(np.int64)


def _is_peer(pod: Pod, other: Pod) -> bool:
    return other.namespace == pod.namespace and all(other.labels.get(k) == v for k, v in pod.labels.items())


def _first_peer(data: State, node: NodeView) -> Pod | None:
    """Return the first peer that wasn't removed from the node. Source: NodeInfo.FilterOutPods."""
    uids = node.table.pods[node.row]
    return next((peer for peer in data.peers if peer.node_name != node.name or peer.uid in uids), None)
