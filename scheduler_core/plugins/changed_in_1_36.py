"""The plugins of v1.34.1 that v1.36.3 changed: each derives from the older one and says only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins, each plugin's own folder.
"""

from typing import ClassVar

import numpy as np

from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import Hint
from scheduler_core.framework.interface import MAX_NODE_SCORE, ScorePlugin
from scheduler_core.framework.verdicts import IntColumn
from scheduler_core.objects.pod import Pod
from scheduler_core.plugins import dynamic_resources, image_locality, taint_toleration
from scheduler_core.plugins.helper import default_normalize
from scheduler_core.plugins.inter_pod_affinity import plugin as inter_pod_affinity
from scheduler_core.plugins.inter_pod_affinity.hints import is_placed_or_nominated, lost_anti_affinity, terms_changed
from scheduler_core.plugins.node_resources import balanced_allocation, fit
from scheduler_core.plugins.node_resources.resource_allocation import balanced, loads, quotient
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


class DynamicResources(dynamic_resources.DynamicResources, ScorePlugin):
    """It scores which of the alternatives of a claim a node would serve; pods without claims get 0 everywhere."""

    normalizes = True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return np.zeros(len(nodes), np.int64)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return default_normalize(scores) if pod.resource_claims else scores


class NodeResourcesFit(fit.NodeResourcesFit):
    """It could score placements of pod groups, too, for which there is no gate on."""

    named_at: ClassVar[frozenset[str]] = frozenset({"placementScore"})


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
