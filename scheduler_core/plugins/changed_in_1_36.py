"""The plugins of v1.34.1 that v1.36.3 changed: each derives from the older one and says only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins, each plugin's own folder.
"""

from typing import Any, ClassVar, Self

import numpy as np

from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.args import fit as fit_args
from scheduler_core.dra.extended import classes_by_resource, may_be_devices, totals
from scheduler_core.dra.state import AllocatedState
from scheduler_core.framework.events import Hint
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import MAX_NODE_SCORE, Reads
from scheduler_core.objects.devices import DeviceClass
from scheduler_core.objects.pod import Pod
from scheduler_core.plugins import image_locality, taint_toleration
from scheduler_core.plugins.inter_pod_affinity import plugin as inter_pod_affinity
from scheduler_core.plugins.inter_pod_affinity.hints import is_placed_or_nominated, lost_anti_affinity, terms_changed
from scheduler_core.plugins.node_resources import balanced_allocation, fit
from scheduler_core.plugins.node_resources.resource_allocation import Load, balanced, loads, quotient
from scheduler_core.plugins.pod_topology_spread import plugin as pod_topology_spread
from scheduler_core.plugins.pod_topology_spread.hints import involved_or_nominated

HALF = MAX_NODE_SCORE // 2


class TaintToleration(taint_toleration.TaintToleration):
    """The reason names no taint any more, so that nodes with different ones count together."""

    reason = "node(s) had untolerated taint(s)"


class ImageLocality(image_locality.ImageLocality):
    """Volumes of images count, too."""

    def images(self, pod: Pod) -> list[str]:
        volumes = [str(v.spec.get("reference") or "") for v in pod.volumes if v.source == "image"]
        return super().images(pod) + volumes


class NodeResourcesBalancedAllocation(balanced_allocation.NodeResourcesBalancedAllocation):
    """How much better or worse the pod would make a node's balance, instead of how good it would be: 75 is neither."""

    scores_change = True

    def _balance(self, nodes: Nodes, pod: Pod) -> IntColumn:
        with_pod = super()._balance(nodes, pod)
        without = balanced(loads(nodes, self._resources, pod.requests, nonzero=False, added=False), len(nodes))
        return HALF + quotient(HALF + with_pod - without, np.int64(2))


class NodeResourcesFit(fit.NodeResourcesFit):
    """It could score placements of pod groups, too, for which there is no gate on.

    Where a node does not have a resource that a class of devices provides, DynamicResources looks after it.
    """

    named_at: ClassVar[frozenset[str]] = frozenset({"placementScore"})
    args_rules = fit_args.RULES_1_36
    with_devices: ClassVar[bool] = True
    _handle: Handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        made = super().create(args, handle)
        made._handle = handle
        if not cls.with_devices:
            return made
        if any(may_be_devices(spec.name) for spec in made._resources):
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
        return [self._with_devices(load, nodes, pod) for load in super()._loads(nodes, pod)]

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


class InterPodAffinity(inter_pod_affinity.InterPodAffinity):
    """Pods with a nomination count as if they ran; a change of the waiting pod's own labels may help it."""

    def after_pod_change(self, pod: Pod, old: Pod | None, new: Pod | None) -> Hint:
        if old is not None and new is not None and new.uid == pod.uid:
            return Hint.QUEUE
        if not all(is_placed_or_nominated(changed) for changed in (old, new) if changed is not None):
            return Hint.SKIP
        helps = terms_changed(pod, old, new) or (old is not None and new is None and lost_anti_affinity(pod, old))
        return Hint.QUEUE if helps else Hint.SKIP


class PodTopologySpread(pod_topology_spread.PodTopologySpread):
    """Pods with a nomination count as if they ran."""

    involved = staticmethod(involved_or_nominated)
