"""NodeResourcesFit's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.devices import DeviceClass
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.dra.extended import classes_by_resource, count_devices, may_be_devices
from scheduler_core.dra.state import AllocatedState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import Reads
from scheduler_core.plugins.node_resources import fit
from scheduler_core.plugins.node_resources import fit_args as fit_args
from scheduler_core.plugins.node_resources.resource_allocation import Load


class NodeResourcesFit(fit.NodeResourcesFit):
    """The plugin in v1.36. It also scores placements of pod groups, but the feature gate for them is off.

    DynamicResources checks resources that a DeviceClass provides on nodes without that resource.
    """

    named_at: ClassVar[frozenset[str]] = frozenset({"placementScore"})
    args_rules = fit_args.RULES_1_36
    with_devices: ClassVar[bool] = True
    _handle: Handle
    _scores_devices: bool

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        plugin = super().create(args, handle)
        plugin._handle = handle
        plugin._scores_devices = cls.with_devices and any(may_be_devices(spec.name) for spec in plugin._resources)
        if plugin._scores_devices:
            # A node's row doesn't contain its allocated devices.
            plugin.reads = Reads.CLUSTER
        return plugin

    def _class_of(self, resource: str) -> DeviceClass | None:
        if not self.with_devices or not may_be_devices(resource):
            return None
        return classes_by_resource(self._handle.lister.list("DeviceClass")).get(resource)

    def _counts(self, resource: str, allocatable: IntColumn) -> BoolColumn | None:
        return None if self._class_of(resource) is None else allocatable > 0

    def _loads(self, nodes: Nodes, pod: Pod) -> list[Load]:
        loads = super()._loads(nodes, pod)
        return [self._with_devices(load, nodes, pod) for load in loads] if self._scores_devices else loads

    def _with_devices(self, load: Load, nodes: Nodes, pod: Pod) -> Load:
        """Return the load with devices counted on nodes without the resource. Source: calculateDRAResourceTotals."""
        device_class = self._class_of(load.resource)
        if device_class is None or not np.count_nonzero(load.allocatable == 0):
            return load
        lister = self._handle.lister
        allocations = [claim.allocation for claim in lister.list("ResourceClaim") if claim.allocation is not None]
        state, slices = AllocatedState.from_allocations(allocations), lister.list("ResourceSlice")
        requested, allocatable = load.requested.copy(), load.allocatable.copy()
        for i in np.flatnonzero(allocatable == 0).tolist():
            total, allocated = count_devices(nodes[i].node, device_class, slices, state)
            if total:
                requested[i] = allocated + pod.scoring_requests.get(load.resource, 0)
                allocatable[i] = total
        return Load(requested, allocatable, load.weight, load.resource)
