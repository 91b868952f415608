"""Args of the v1.20.2 plugins. A dataclass made without arguments holds the defaults of v1beta1.

Those that have not changed since are today's, of `scheduler_core.plugins`.
Source (v1.20): kube-scheduler/config/v1beta1/types_pluginargs.go, pkg/scheduler/apis/config/v1beta1/defaults.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scheduler_core.config.args.resources import UtilizationShapePoint
from scheduler_core.config.core import SpreadConstraint
from scheduler_core.config.fields import wire
from scheduler_core.plugins.default_preemption.args import DefaultPreemptionArgs
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource to score by. Unlike today, a weight of 0 is an error."""

    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=0, metadata=wire("int64"))


@dataclass(frozen=True, slots=True)
class TopologySpreadConstraint(SpreadConstraint):
    """No more than that in v1.20."""


CPU_AND_MEMORY = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))
_RESOURCES = wire("[]v1beta1.ResourceSpec", of=ResourceSpec, zero_unset=True)


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    hard_pod_affinity_weight: int = field(default=1, metadata=wire("*int32"))


@dataclass(frozen=True, slots=True)
class NodeLabelArgs:
    present_labels: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    absent_labels: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    present_labels_preference: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    absent_labels_preference: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    ignored_resources: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    ignored_resource_groups: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class NodeResourcesLeastAllocatedArgs:
    resources: tuple[ResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class NodeResourcesMostAllocatedArgs:
    resources: tuple[ResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """The default of `defaulting_type` depends on a feature gate and on the constraints: "" is not yet defaulted."""

    default_constraints: tuple[TopologySpreadConstraint, ...] = field(
        default=(), metadata=wire("[]v1.TopologySpreadConstraint", of=TopologySpreadConstraint)
    )
    defaulting_type: str = field(default="", metadata=wire("v1beta1.PodTopologySpreadConstraintsDefaulting"))


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatioArgs:
    shape: tuple[UtilizationShapePoint, ...] = field(
        default=(), metadata=wire("[]v1beta1.UtilizationShapePoint", of=UtilizationShapePoint, keep=True)
    )
    resources: tuple[ResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class ServiceAffinityArgs:
    affinity_labels: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    anti_affinity_labels_preference: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    bind_timeout_seconds: int = field(default=600, metadata=wire("*int64"))


# By plugin name; the kind of the args is the name followed by "Args".
ARGS_TYPES: Mapping[str, type[Any]] = {
    "DefaultPreemption": DefaultPreemptionArgs,
    "InterPodAffinity": InterPodAffinityArgs,
    "NodeAffinity": NodeAffinityArgs,
    "NodeLabel": NodeLabelArgs,
    "NodeResourcesFit": NodeResourcesFitArgs,
    "NodeResourcesLeastAllocated": NodeResourcesLeastAllocatedArgs,
    "NodeResourcesMostAllocated": NodeResourcesMostAllocatedArgs,
    "PodTopologySpread": PodTopologySpreadArgs,
    "RequestedToCapacityRatio": RequestedToCapacityRatioArgs,
    "ServiceAffinity": ServiceAffinityArgs,
    "VolumeBinding": VolumeBindingArgs,
}
