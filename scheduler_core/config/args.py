"""Args of the in-tree plugins. A dataclass made without arguments holds upstream's defaults.

Source: kube-scheduler/config/v1/types_pluginargs.go, pkg/scheduler/apis/config/v1/defaults.go.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scheduler_core.config.core import NodeAffinity, TopologySpreadConstraint
from scheduler_core.config.fields import wire
from scheduler_core.config.limits import LIMITS
from scheduler_core.text.go import SECOND
from scheduler_core.text.json_node import parse_json
from scheduler_core.text.node import compact

LEAST_ALLOCATED = "LeastAllocated"
MOST_ALLOCATED = "MostAllocated"
REQUESTED_TO_CAPACITY_RATIO = "RequestedToCapacityRatio"
SYSTEM_DEFAULTING = "System"
LIST_DEFAULTING = "List"


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource to score by; weight 0 means 1."""

    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=1, metadata=wire("int64", zero_unset=True))


CPU_AND_MEMORY = (ResourceSpec("cpu"), ResourceSpec("memory"))


@dataclass(frozen=True, slots=True)
class UtilizationShapePoint:
    """A point of a scoring function: `utilization` 0 to 100 percent, `score` 0 to 10."""

    utilization: int = field(default=0, metadata=wire("int32", keep=True))
    score: int = field(default=0, metadata=wire("int32", keep=True))


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatio:
    shape: tuple[UtilizationShapePoint, ...] | None = field(
        default=None, metadata=wire("[]v1.UtilizationShapePoint", of=UtilizationShapePoint)
    )


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """`type` is LEAST_ALLOCATED, MOST_ALLOCATED or REQUESTED_TO_CAPACITY_RATIO; it has no default of its own."""

    type: str = field(default="", metadata=wire("v1.ScoringStrategyType"))
    resources: tuple[ResourceSpec, ...] = field(
        default=CPU_AND_MEMORY, metadata=wire("[]v1.ResourceSpec", of=ResourceSpec, zero_unset=True)
    )
    requested_to_capacity_ratio: RequestedToCapacityRatio | None = field(
        default=None, metadata=wire("*v1.RequestedToCapacityRatioParam", of=RequestedToCapacityRatio)
    )


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    min_candidate_nodes_percentage: int = field(default=10, metadata=wire("*int32"))
    min_candidate_nodes_absolute: int = field(default=100, metadata=wire("*int32"))


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    """`filter_timeout` in nanoseconds; 0 is no timeout."""

    filter_timeout: int | None = field(default=10 * SECOND, metadata=wire("*v1.Duration", keep=True))


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    hard_pod_affinity_weight: int = field(default=1, metadata=wire("*int32"))
    ignore_preferred_terms_of_existing_pods: bool = field(default=False, metadata=wire("bool", keep=True))


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    added_affinity: NodeAffinity | None = field(default=None, metadata=wire("*v1.NodeAffinity", of=NodeAffinity))


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    resources: tuple[ResourceSpec, ...] = field(
        default=CPU_AND_MEMORY, metadata=wire("[]v1.ResourceSpec", of=ResourceSpec, zero_unset=True)
    )


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    ignored_resources: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    ignored_resource_groups: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    scoring_strategy: ScoringStrategy | None = field(
        default=ScoringStrategy(LEAST_ALLOCATED), metadata=wire("*v1.ScoringStrategy", of=ScoringStrategy)
    )


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    default_constraints: tuple[TopologySpreadConstraint, ...] = field(
        default=(), metadata=wire("[]v1.TopologySpreadConstraint", of=TopologySpreadConstraint)
    )
    defaulting_type: str = field(
        default=SYSTEM_DEFAULTING, metadata=wire("v1.PodTopologySpreadConstraintsDefaulting", zero_unset=True)
    )


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """`shape` belongs to the feature gate StorageCapacityScoring, which is off: it must be None."""

    bind_timeout_seconds: int = field(default=600, metadata=wire("*int64"))
    shape: tuple[UtilizationShapePoint, ...] | None = field(
        default=None, metadata=wire("[]v1.UtilizationShapePoint", of=UtilizationShapePoint)
    )


@dataclass(frozen=True, slots=True)
class RawArgs:
    """Args of a plugin that kube-scheduler has no type for: the JSON text as upstream keeps it."""

    text: str

    @property
    def value(self) -> Any:
        """The args as plain Python data."""
        return json.loads(self.text)

    @property
    def compact(self) -> str:
        """The JSON text without spaces, as Go writes it."""
        return compact(parse_json(self.text, LIMITS))


InTreeArgs = (
    DefaultPreemptionArgs
    | DynamicResourcesArgs
    | InterPodAffinityArgs
    | NodeAffinityArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeResourcesFitArgs
    | PodTopologySpreadArgs
    | VolumeBindingArgs
)
PluginArgs = InTreeArgs | RawArgs

# By plugin name; the kind of the args is the name followed by "Args".
ARGS_TYPES: Mapping[str, type[InTreeArgs]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "DynamicResources": DynamicResourcesArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "VolumeBinding": VolumeBindingArgs,
}
