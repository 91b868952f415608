"""NodeAffinity: nodeSelector and required node affinity must match the node; preferred terms add to its score."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from kube_objects.affinity import NodeAffinity as Affinity
from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reads,
    ScorePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import default_normalize
from scheduler_core.plugins.node_affinity import args as args_of
from scheduler_core.plugins.node_affinity.added import compile_affinity
from scheduler_core.plugins.node_affinity.args import NodeAffinityArgs
from scheduler_core.plugins.node_selector import (
    check_readable,
    check_terms,
    named_nodes,
    node_fits_pod,
    node_has_labels,
    nodes_fit_pod,
    nodes_selected,
    preference_weights,
    preferred_terms,
    required_affinity,
)

REASON = "node(s) didn't match Pod's node affinity/selector"
REASON_ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
REASON_CONFLICT = "pod affinity terms conflict"


class NodeAffinity(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """The plugin. `added` is the affinity that the profile's args add to every pod's own.

    Source: pkg/scheduler/framework/plugins/nodeaffinity.
    """

    name = "NodeAffinity"
    args_rules = args_of.RULES
    reads = Reads.NODE
    reads_metadata = False
    normalizes = True
    reason: ClassVar[str] = REASON

    def __init__(self, added: Affinity) -> None:
        self._added = added

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: NodeAffinityArgs = args
        return cls(Affinity() if typed.added_affinity is None else compile_affinity(typed.added_affinity))

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        required = required_affinity(pod)
        if required is None and self._added.required is None and not pod.node_selector:
            return PreFilterResult(SKIP)
        names = None if required is None else named_nodes(required)
        if names is not None and not names:
            return PreFilterResult(Status.unresolvable(REASON_CONFLICT))
        return PreFilterResult(node_names=names)

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return True

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        verdicts = Verdicts.reject(~nodes_fit_pod(pod, nodes), self.reason, resolvable=False)
        if self._added.required is not None:
            verdicts.codes[~nodes_selected(self._added.required, nodes)] = len(verdicts.statuses)
            verdicts.statuses.append(Status.unresolvable(REASON_ENFORCED))
        return verdicts

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        preferred = preferred_terms(pod)
        check_terms(preferred)
        return SUCCESS if preferred or self._added.preferred else SKIP

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        return True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return preference_weights(self._added.preferred, nodes) + preference_weights(preferred_terms(pod), nodes)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return default_normalize(scores)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        event = ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)
        return [ClusterEventWithHint(event, self.after_node_change)]

    def after_node_change(self, pod: Pod, old: Node | None, new: Node) -> QueueingHint:
        """Return Queue if the node is selected now, and the pod's own affinity didn't select it before."""
        if self._added.required is not None and not self._added.required.matches(new.labels, new.name):
            return QueueingHint.SKIP
        if not node_fits_pod(pod, new):
            required = required_affinity(pod)
            # Upstream returns an error for invalid terms here, and errors queue the pod.
            unclear = required is not None and node_has_labels(pod, new) and not check_readable(required)
            return QueueingHint.QUEUE if unclear else QueueingHint.SKIP
        return QueueingHint.SKIP if old is not None and node_fits_pod(pod, old) else QueueingHint.QUEUE
