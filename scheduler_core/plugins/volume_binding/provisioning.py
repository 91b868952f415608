"""Where a volume can be provisioned for a PVC: the StorageClass' topology, and the driver's reported capacity.

Source: pkg/scheduler/framework/plugins/volumebinding/binder.go checkVolumeProvisions, hasEnoughCapacity.
"""

from collections.abc import Sequence

import numpy as np

from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.csi_driver import CSIDriver
from kube_objects.kinds.storage.csi_storage_capacity import CSIStorageCapacity
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.selectors import LabelSelector, NodeSelector, NodeSelectorTerm
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.node_selector import nodes_selected

# The provisioner of StorageClasses whose volumes are created by hand.
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def can_provision(storage_class: StorageClass, nodes: Nodes) -> BoolColumn:
    """Return True for the nodes for which the StorageClass provisions volumes."""
    if storage_class.provisioner in ("", NO_PROVISIONER):
        return np.zeros(len(nodes), np.bool_)
    if not storage_class.allowed_topologies:
        return np.ones(len(nodes), np.bool_)
    return nodes_selected(NodeSelector(storage_class.allowed_topologies), nodes)


def has_capacity(claim: PersistentVolumeClaim, storage_class: StorageClass, nodes: Nodes, lister: Lister) -> BoolColumn:
    """Return True for the nodes that reach enough capacity for the PVC, or whose driver doesn't report capacity."""
    driver: CSIDriver | None = lister.get("CSIDriver", storage_class.provisioner)
    if driver is None or not driver.storage_capacity:
        return np.ones(len(nodes), np.bool_)
    room = np.zeros(len(nodes), np.bool_)
    capacities: Sequence[CSIStorageCapacity] = lister.list("CSIStorageCapacity")
    for capacity in capacities:
        limit = volume_limit(capacity)
        if capacity.storage_class_name == storage_class.name and limit is not None and limit >= claim.request:
            room |= _reached_by(capacity.node_topology, nodes)
    return room


def volume_limit(capacity: CSIStorageCapacity) -> int | None:
    """Return the largest possible volume in bytes; None if unknown."""
    return capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size


def _reached_by(topology: LabelSelector | None, nodes: Nodes) -> BoolColumn:
    """Return True for the nodes that the topology selects: none without a selector, all with an empty one."""
    if topology is None:
        return np.zeros(len(nodes), np.bool_)
    if not topology.requirements:
        return np.ones(len(nodes), np.bool_)
    return nodes_selected(NodeSelector((NodeSelectorTerm(topology.requirements),)), nodes)
