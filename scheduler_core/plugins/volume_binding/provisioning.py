"""Where a volume can be made for a claim: the class' topology, and the capacity that its driver reports.

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

# The provisioner of classes whose volumes are made by hand.
NO_PROVISIONER = "kubernetes.io/no-provisioner"


def can_be_made(found: StorageClass, nodes: Nodes) -> BoolColumn:
    """True for the nodes that the class makes volumes for."""
    if found.provisioner in ("", NO_PROVISIONER):
        return np.zeros(len(nodes), np.bool_)
    if not found.allowed_topologies:
        return np.ones(len(nodes), np.bool_)
    return nodes_selected(NodeSelector(found.allowed_topologies), nodes)


def has_room(claim: PersistentVolumeClaim, found: StorageClass, nodes: Nodes, lister: Lister) -> BoolColumn:
    """True for the nodes that can reach enough storage for the claim, or whose driver does not say how much it has."""
    driver: CSIDriver | None = lister.get("CSIDriver", found.provisioner)
    if driver is None or not driver.storage_capacity:
        return np.ones(len(nodes), np.bool_)
    room = np.zeros(len(nodes), np.bool_)
    capacities: Sequence[CSIStorageCapacity] = lister.list("CSIStorageCapacity")
    for capacity in capacities:
        limit = volume_limit(capacity)
        if capacity.storage_class_name == found.name and limit is not None and limit >= claim.request:
            room |= _reached_by(capacity.node_topology, nodes)
    return room


def volume_limit(capacity: CSIStorageCapacity) -> int | None:
    """The size in bytes of the largest volume that can be made; None if unknown."""
    return capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size


def _reached_by(topology: LabelSelector | None, nodes: Nodes) -> BoolColumn:
    """No selector reaches no node, an empty one all of them."""
    if topology is None:
        return np.zeros(len(nodes), np.bool_)
    if not topology.requirements:
        return np.ones(len(nodes), np.bool_)
    return nodes_selected(NodeSelector((NodeSelectorTerm(topology.requirements),)), nodes)
