"""Args of the v1.20.2 plugins. A dataclass without arguments has the defaults of v1beta1.

Unchanged ones are those of `scheduler_core.plugins`.
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
class LegacyResourceSpec:
    """A resource that is scored. Unlike in current versions, a weight of 0 is an error."""

    name: str = field(default="", metadata=wire("string", keep=True))
    weight: int = field(default=0, metadata=wire("int64"))


@dataclass(frozen=True, slots=True)
class LegacySpreadConstraint(SpreadConstraint):
    """A topology spread constraint with the fields of v1.20."""


CPU_AND_MEMORY = (LegacyResourceSpec("cpu", 1), LegacyResourceSpec("memory", 1))
_RESOURCES = wire("[]v1beta1.ResourceSpec", of=LegacyResourceSpec, zero_unset=True)


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
    resources: tuple[LegacyResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class NodeResourcesMostAllocatedArgs:
    resources: tuple[LegacyResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """PodTopologySpread's args.

    `defaulting_type` "" is not defaulted yet: it depends on a feature gate and the constraints.
    """

    default_constraints: tuple[LegacySpreadConstraint, ...] = field(
        default=(), metadata=wire("[]v1.TopologySpreadConstraint", of=LegacySpreadConstraint)
    )
    defaulting_type: str = field(default="", metadata=wire("v1beta1.PodTopologySpreadConstraintsDefaulting"))


@dataclass(frozen=True, slots=True)
class RequestedToCapacityRatioArgs:
    shape: tuple[UtilizationShapePoint, ...] = field(
        default=(), metadata=wire("[]v1beta1.UtilizationShapePoint", of=UtilizationShapePoint, keep=True)
    )
    resources: tuple[LegacyResourceSpec, ...] = field(default=CPU_AND_MEMORY, metadata=_RESOURCES)


@dataclass(frozen=True, slots=True)
class ServiceAffinityArgs:
    affinity_labels: tuple[str, ...] = field(default=(), metadata=wire("[]string"))
    anti_affinity_labels_preference: tuple[str, ...] = field(default=(), metadata=wire("[]string"))


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    bind_timeout_seconds: int = field(default=600, metadata=wire("*int64"))


# Plugin name → type of its args, whose kind is the name followed by "Args".
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
