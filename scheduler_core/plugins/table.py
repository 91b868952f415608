"""The registry of in-tree plugins, in upstream's order of registration.

Source: pkg/scheduler/framework/plugins/registry.go.
"""

from scheduler_core.framework.registry import Registry
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.default_preemption import DefaultPreemption
from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.image_locality import ImageLocality
from scheduler_core.plugins.inter_pod_affinity.plugin import InterPodAffinity
from scheduler_core.plugins.node_affinity import NodeAffinity
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
