"""NodeDeclaredFeatures (v1.36): a pod that needs a kubelet feature runs only on nodes that declare it."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, PreFilterPlugin, PreFilterResult
from scheduler_core.framework.status import SKIP, PluginError
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState

REASON = "node(s) didn't match Pod's required features"
PRE_FILTER = "PreFilterNodeDeclaredFeatures"
_NOTHING_NEEDED = PreFilterResult(SKIP)


class NodeDeclaredFeatures(PreFilterPlugin, FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/nodedeclaredfeatures, component-helpers/nodedeclaredfeatures (v1.36)."""

    name = "NodeDeclaredFeatures"
    is_on: ClassVar[bool] = True

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        if not self.is_on or not pod.required_features:
            return _NOTHING_NEEDED
        state.write(PRE_FILTER, ConstantState(pod.required_features))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return True

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: ConstantState[frozenset[str]] | None = state.find(PRE_FILTER)
        if data is None:
            raise PluginError(f'error reading "{PRE_FILTER}" from cycle-state: not found')
        lacking = np.fromiter((not data.value.issubset(node.node.declared_features) for node in nodes), bool)
        return Verdicts.reject(lacking, REASON, resolvable=False)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        if not self.is_on:
            return ()
        node_event = ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_DECLARED_FEATURE)
        return [
            ClusterEventWithHint(node_event, after_node_change),
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.UPDATE), after_pod_update),
        ]


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Return Queue for a new node and for any change of the declared features."""
    return (
        QueueingHint.SKIP if old is not None and old.declared_features == new.declared_features else QueueingHint.QUEUE
    )


def after_pod_update(pod: Pod, old: Pod, new: Pod) -> QueueingHint:
    """Return Queue if the pod's required features changed."""
    changed = new.uid == pod.uid and new.required_features != old.required_features
    return QueueingHint.QUEUE if changed else QueueingHint.SKIP
