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
from scheduler_core.plugins.plugin_bundle import PluginBundle
from scheduler_core.plugins.pod_topology_spread import in_tree as pod_topology_spread
from scheduler_core.plugins.scheduling_gates import in_tree as scheduling_gates
from scheduler_core.plugins.taint_toleration import in_tree as taint_toleration
from scheduler_core.plugins.volume_binding import in_tree as volume_binding
from scheduler_core.plugins.volume_restrictions import in_tree as volume_restrictions
from scheduler_core.plugins.volume_zone import in_tree as volume_zone

BUNDLES: Sequence[PluginBundle] = (
    dynamic_resources.BUNDLE,
    image_locality.BUNDLE,
    taint_toleration.BUNDLE,
    node_name.BUNDLE,
    node_ports.BUNDLE,
    node_affinity.BUNDLE,
    node_declared_features.BUNDLE,
    pod_topology_spread.BUNDLE,
    node_unschedulable.BUNDLE,
    node_resources.FIT,
    node_resources.BALANCED_ALLOCATION,
    volume_binding.BUNDLE,
    volume_restrictions.BUNDLE,
    volume_zone.BUNDLE,
    node_volume_limits.BUNDLE,
    inter_pod_affinity.BUNDLE,
    priority_sort.BUNDLE,
    default_binder.BUNDLE,
    default_preemption.BUNDLE,
    scheduling_gates.BUNDLE,
    gang_scheduling.BUNDLE,
)

FACTS = {bundle.name: bundle.facts for bundle in BUNDLES if bundle.facts is not None}
ARITHMETIC = {bundle.name: bundle.arithmetic for bundle in BUNDLES if bundle.arithmetic is not None}
NEEDS = {bundle.name: bundle.needs for bundle in BUNDLES if bundle.needs is not None}
EDITS = {bundle.name: bundle.edits for bundle in BUNDLES if bundle.edits is not None}

IN_TREE = Registry(bundle.v1_34 for bundle in BUNDLES if bundle.v1_34 is not None)
IN_TREE_1_36 = Registry(bundle.v1_36 for bundle in BUNDLES if bundle.v1_36 is not None)
