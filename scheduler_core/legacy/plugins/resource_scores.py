"""The plugins that score nodes by resource use, one plugin per strategy.

Source (v1.20): pkg/scheduler/framework/plugins/noderesources.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from kube_objects.names import is_scalar_resource
from kube_objects.pod import Pod
from kube_objects.quantity import parse_milli, whole_units
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import MAX_NODE_SCORE, ScorePlugin
from scheduler_core.legacy.args import CPU_AND_MEMORY, LegacyResourceSpec, RequestedToCapacityRatioArgs
from scheduler_core.plugins.node_resources.resource_allocation import piecewise_linear

# The default requests of a container without any.
_DEFAULTS = {"cpu": 100, "memory": 200 * 1024 * 1024}


class ResourceScore(ScorePlugin):
    """A score over several resources; one that a node lacks counts as 0 of 0."""

    def __init__(self, resources: Sequence[LegacyResourceSpec]) -> None:
        self._weights = {spec.name: spec.weight for spec in resources}

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args.resources)

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return self.combine({name: _column_load(pod, name, nodes) for name in self._weights}, len(nodes))

    @abstractmethod
    def combine(self, loads: Mapping[str, tuple[IntColumn, IntColumn]], size: int) -> IntColumn:
        """Return the score of each of `size` nodes; `loads`: resource → (requested with the pod there, allocatable)."""


class _WeightedMean(ResourceScore):
    def combine(self, loads: Mapping[str, tuple[IntColumn, IntColumn]], size: int) -> IntColumn:
        total = np.zeros(size, np.int64)
        for name, (requested, capacity) in loads.items():
            counts = (capacity != 0) & (requested <= capacity)
            part = np.where(counts, self.part(requested, capacity), 0)
            total += self._weights[name] * (part * MAX_NODE_SCORE // np.maximum(capacity, 1))
        return total // sum(self._weights.values())

    @abstractmethod
    def part(self, requested: IntColumn, capacity: IntColumn) -> IntColumn:
        """Return the part of the capacity that scores."""


class NodeResourcesLeastAllocated(_WeightedMean):
    name = "NodeResourcesLeastAllocated"

    def part(self, requested: IntColumn, capacity: IntColumn) -> IntColumn:
        return capacity - requested


class NodeResourcesMostAllocated(_WeightedMean):
    """The plugin of that name; unlike today, an overcommitted node scores 0."""

    name = "NodeResourcesMostAllocated"

    def part(self, requested: IntColumn, capacity: IntColumn) -> IntColumn:
        return requested


class NodeResourcesBalancedAllocation(ResourceScore):
    """v1.20.2's plugin, which considers only cpu and memory."""

    name = "NodeResourcesBalancedAllocation"

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(CPU_AND_MEMORY)

    def combine(self, loads: Mapping[str, tuple[IntColumn, IntColumn]], size: int) -> IntColumn:
        cpu, memory = (
            np.where(capacity == 0, 1.0, requested / np.maximum(capacity, 1)) for requested, capacity in loads.values()
        )
        scores = ((1 - np.abs(cpu - memory)) * MAX_NODE_SCORE).astype(np.int64)
        return np.where((cpu >= 1) | (memory >= 1), 0, scores)


class RequestedToCapacityRatio(ResourceScore):
    """A score by a function of the used share; a resource that scores 0 doesn't count in the mean."""

    name = "RequestedToCapacityRatio"

    def __init__(self, args: RequestedToCapacityRatioArgs) -> None:
        super().__init__(args.resources)
        percents = range(MAX_NODE_SCORE + 1)
        self._score_of = np.array([piecewise_linear(args.shape, percent) for percent in percents], np.int64)

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args)

    def combine(self, loads: Mapping[str, tuple[IntColumn, IntColumn]], size: int) -> IntColumn:
        total, weights = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for name, (requested, capacity) in loads.items():
            free = np.where((capacity == 0) | (requested > capacity), 0, capacity - requested)
            points = self._score_of[MAX_NODE_SCORE - free * MAX_NODE_SCORE // np.maximum(capacity, 1)]
            weight = self._weights[name] * (points > 0)
            total += points * weight
            weights += weight
        return np.floor(total / np.maximum(weights, 1) + 0.5).astype(np.int64)


def _column_load(pod: Pod, resource: str, nodes: Nodes) -> tuple[IntColumn, IntColumn]:
    """Return (requested, allocatable). Source: calculateResourceAllocatableRequest."""
    if resource in _DEFAULTS:
        requested = nodes.nonzero_requested(resource)
    elif resource == "ephemeral-storage" or is_scalar_resource(resource):
        requested = nodes.requested(resource)
    else:
        nothing = np.zeros(len(nodes), np.int64)
        return nothing, nothing
    return requested + pod_request(pod, resource), nodes.allocatable(resource)


def pod_request(pod: Pod, resource: str) -> int:
    """Return the pod's request. Its overhead counts in whole units: 250m cpu add one millicore.

    Source: calculatePodResourceRequest.
    """
    missing = _DEFAULTS.get(resource, 0)
    together = sum(container.requests.get(resource, missing) for container in pod.containers)
    largest = max((container.requests.get(resource, missing) for container in pod.init_containers), default=0)
    overhead = pod.manifest.get("spec", {}).get("overhead") or {}
    extra = whole_units(parse_milli(str(overhead[resource]))) if resource in overhead else 0
    return max(together, largest) + extra
