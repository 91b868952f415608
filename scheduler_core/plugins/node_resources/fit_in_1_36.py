"""NodeResourcesFit as v1.36.3 has it: only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.devices import DeviceClass
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.dra.extended import classes_by_resource, may_be_devices, totals
from scheduler_core.dra.state import AllocatedState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import Reads
from scheduler_core.plugins.node_resources import fit
from scheduler_core.plugins.node_resources import fit_args as fit_args
from scheduler_core.plugins.node_resources.resource_allocation import Load


class NodeResourcesFit(fit.NodeResourcesFit):
    """It could score placements of pod groups, too, for which there is no gate on.

    Where a node does not have a resource that a class of devices provides, DynamicResources looks after it.
    """

    named_at: ClassVar[frozenset[str]] = frozenset({"placementScore"})
    args_rules = fit_args.RULES_1_36
    with_devices: ClassVar[bool] = True
    _handle: Handle
    _scores_devices: bool

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        made = super().create(args, handle)
        made._handle = handle
        made._scores_devices = cls.with_devices and any(may_be_devices(spec.name) for spec in made._resources)
        if made._scores_devices:
            # Which devices are taken is nothing that a node's row says.
            made.reads = Reads.CLUSTER
        return made

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
        """Where a node does not have the resource, its devices count. Source: calculateDRAResourceTotals."""
        device_class = self._class_of(load.resource)
        if device_class is None or not np.count_nonzero(load.allocatable == 0):
            return load
        lister = self._handle.lister
        given = [claim.allocation for claim in lister.list("ResourceClaim") if claim.allocation is not None]
        state, slices = AllocatedState.of(given), lister.list("ResourceSlice")
        requested, allocatable = load.requested.copy(), load.allocatable.copy()
        for i in np.flatnonzero(allocatable == 0).tolist():
            there, taken = totals(nodes[i].node, device_class, slices, state)
            if there:
                requested[i] = taken + pod.scoring_requests.get(load.resource, 0)
                allocatable[i] = there
        return Load(requested, allocatable, load.weight, load.resource)
