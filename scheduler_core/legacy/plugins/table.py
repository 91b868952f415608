"""The registry of v1.20.2's in-tree plugins, in upstream's order of registration.

Source (v1.20): pkg/scheduler/framework/plugins/registry.go.
"""

from scheduler_core.framework.registry import Registry
from scheduler_core.legacy.plugins.changed import (
    ImageLocality,
    InterPodAffinity,
    NodeAffinity,
    NodeName,
    NodeResourcesFit,
    TaintToleration,
    VolumeBinding,
    VolumeRestrictions,
)
from scheduler_core.legacy.plugins.default_preemption import DefaultPreemption
from scheduler_core.legacy.plugins.node_label import NodeLabel
from scheduler_core.legacy.plugins.node_prefer_avoid_pods import NodePreferAvoidPods
from scheduler_core.legacy.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.legacy.plugins.resource_scores import (
    NodeResourcesBalancedAllocation,
    NodeResourcesLeastAllocated,
    NodeResourcesMostAllocated,
    RequestedToCapacityRatio,
)
from scheduler_core.legacy.plugins.selector_spread import SelectorSpread
from scheduler_core.legacy.plugins.service_affinity import ServiceAffinity
from scheduler_core.legacy.plugins.volume_limits import (
    AzureDiskLimits,
    CinderLimits,
    EBSLimits,
    GCEPDLimits,
    NodeVolumeLimits,
)
from scheduler_core.legacy.plugins.volume_zone import VolumeZone
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.node_ports.plugin import NodePorts
from scheduler_core.plugins.node_unschedulable.plugin import NodeUnschedulable
from scheduler_core.plugins.priority_sort import PrioritySort

LEGACY_IN_TREE = Registry(
    [
        SelectorSpread,
        ImageLocality,
        TaintToleration,
        NodeName,
        NodePorts,
        NodePreferAvoidPods,
        NodeAffinity,
        PodTopologySpread,
        NodeUnschedulable,
        NodeResourcesFit,
        NodeResourcesBalancedAllocation,
        NodeResourcesMostAllocated,
        NodeResourcesLeastAllocated,
        RequestedToCapacityRatio,
        VolumeBinding,
        VolumeRestrictions,
        VolumeZone,
        NodeVolumeLimits,
        EBSLimits,
        GCEPDLimits,
        AzureDiskLimits,
        CinderLimits,
        InterPodAffinity,
        NodeLabel,
        ServiceAffinity,
        PrioritySort,
        DefaultBinder,
        DefaultPreemption,
    ]
)
