"""The registries of in-tree plugins, by version, in upstream's order of registration.

Source: pkg/scheduler/framework/plugins/registry.go.
"""

from scheduler_core.framework.registry import Registry
from scheduler_core.plugins import changed_in_1_36 as v1_36
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.dynamic_resources import in_1_36 as dynamic_resources_1_36
from scheduler_core.plugins.dynamic_resources.plugin import DynamicResources
from scheduler_core.plugins.gang_scheduling import GangScheduling
from scheduler_core.plugins.image_locality import ImageLocality
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from scheduler_core.plugins.node_affinity import NodeAffinity
from scheduler_core.plugins.node_declared_features import NodeDeclaredFeatures
from scheduler_core.plugins.node_name import NodeName
from scheduler_core.plugins.node_ports import NodePorts
from scheduler_core.plugins.node_resources.balanced_allocation import NodeResourcesBalancedAllocation
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.node_unschedulable import NodeUnschedulable
from scheduler_core.plugins.node_volume_limits.plugin import NodeVolumeLimits
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.plugins.scheduling_gates import SchedulingGates
from scheduler_core.plugins.taint_toleration import TaintToleration
from scheduler_core.plugins.volume_binding.plugin import VolumeBinding
from scheduler_core.plugins.volume_restrictions import VolumeRestrictions
from scheduler_core.plugins.volume_zone import VolumeZone

IN_TREE = Registry(
    [
        DynamicResources,
        ImageLocality,
        TaintToleration,
        NodeName,
        NodePorts,
        NodeAffinity,
        PodTopologySpread,
        NodeUnschedulable,
        NodeResourcesFit,
        NodeResourcesBalancedAllocation,
        VolumeBinding,
        VolumeRestrictions,
        VolumeZone,
        NodeVolumeLimits,
        InterPodAffinity,
        PrioritySort,
        DefaultBinder,
        DefaultPreemption,
        SchedulingGates,
    ]
)

IN_TREE_1_36 = Registry(
    [
        dynamic_resources_1_36.DynamicResources,
        v1_36.ImageLocality,
        v1_36.TaintToleration,
        NodeName,
        NodePorts,
        NodeAffinity,
        NodeDeclaredFeatures,
        v1_36.PodTopologySpread,
        NodeUnschedulable,
        v1_36.NodeResourcesFit,
        v1_36.NodeResourcesBalancedAllocation,
        VolumeBinding,
        VolumeRestrictions,
        VolumeZone,
        NodeVolumeLimits,
        v1_36.InterPodAffinity,
        PrioritySort,
        DefaultBinder,
        DefaultPreemption,
        SchedulingGates,
        GangScheduling,
    ]
)
