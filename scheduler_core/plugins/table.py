"""The in-tree plugins in upstream's order of registration, and the registries of the releases.

Source: pkg/scheduler/framework/plugins/registry.go.
"""

from collections.abc import Sequence

from scheduler_core.framework.registry import Registry
from scheduler_core.plugins import default_binder, priority_sort
from scheduler_core.plugins.default_preemption import in_tree as default_preemption
from scheduler_core.plugins.dynamic_resources import in_tree as dynamic_resources
from scheduler_core.plugins.gang_scheduling import in_tree as gang_scheduling
from scheduler_core.plugins.image_locality import in_tree as image_locality
from scheduler_core.plugins.inter_pod_affinity import in_tree as inter_pod_affinity
from scheduler_core.plugins.node_affinity import in_tree as node_affinity
from scheduler_core.plugins.node_declared_features import in_tree as node_declared_features
from scheduler_core.plugins.node_name import in_tree as node_name
from scheduler_core.plugins.node_ports import in_tree as node_ports
from scheduler_core.plugins.node_resources import in_tree as node_resources
from scheduler_core.plugins.node_unschedulable import in_tree as node_unschedulable
from scheduler_core.plugins.node_volume_limits import in_tree as node_volume_limits
from scheduler_core.plugins.parts import PluginBundle
from scheduler_core.plugins.pod_topology_spread import in_tree as pod_topology_spread
from scheduler_core.plugins.scheduling_gates import in_tree as scheduling_gates
from scheduler_core.plugins.taint_toleration import in_tree as taint_toleration
from scheduler_core.plugins.volume_binding import in_tree as volume_binding
from scheduler_core.plugins.volume_restrictions import in_tree as volume_restrictions
from scheduler_core.plugins.volume_zone import in_tree as volume_zone

PARTS: Sequence[PluginBundle] = (
    dynamic_resources.PARTS,
    image_locality.PARTS,
    taint_toleration.PARTS,
    node_name.PARTS,
    node_ports.PARTS,
    node_affinity.PARTS,
    node_declared_features.PARTS,
    pod_topology_spread.PARTS,
    node_unschedulable.PARTS,
    node_resources.FIT,
    node_resources.BALANCED_ALLOCATION,
    volume_binding.PARTS,
    volume_restrictions.PARTS,
    volume_zone.PARTS,
    node_volume_limits.PARTS,
    inter_pod_affinity.PARTS,
    priority_sort.PARTS,
    default_binder.PARTS,
    default_preemption.PARTS,
    scheduling_gates.PARTS,
    gang_scheduling.PARTS,
)

FACTS = {parts.name: parts.facts for parts in PARTS if parts.facts is not None}
ARITHMETIC = {parts.name: parts.arithmetic for parts in PARTS if parts.arithmetic is not None}
NEEDS = {parts.name: parts.needs for parts in PARTS if parts.needs is not None}
EDITS = {parts.name: parts.edits for parts in PARTS if parts.edits is not None}

IN_TREE = Registry(parts.v1_34 for parts in PARTS if parts.v1_34 is not None)
IN_TREE_1_36 = Registry(parts.v1_36 for parts in PARTS if parts.v1_36 is not None)
