"""Rack: keeps a pod out of the racks that it names, and prefers racks that run few pods of its app.

A pod says `rack.example.com/avoid: r1,r2` in its annotations; nodes carry the label `rack`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kube_objects.pod import Pod
from kube_objects.selectors import IN, LabelSelector, Requirement
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.edits.edit import set_value
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    EnqueueExtensions,
    PerNodeFilter,
    PreScorePlugin,
    ScorePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Status

LABEL = "rack"
AVOID = "rack.example.com/avoid"
STATE_KEY = "PreScoreRack"
REASON = "node(s) are in a rack that the pod avoids"
NO_LONGER = Template("Avoid the rack {rack} no longer")


@dataclass(slots=True)
class Crowding:
    """`pods_per_rack[code]`: pods of the app that is being scheduled in the rack with that label code."""

    pods_per_rack: IntColumn

    def clone(self) -> Self:
        return self


class Rack(PerNodeFilter, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """A filter of one node at a time, and a score of all nodes at once."""

    name = "Rack"
    normalizes = True

    def __init__(self, handle: Handle) -> None:
        self.handle = handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(handle)

    def filter_node(self, state: CycleState, pod: Pod, node: NodeView) -> Status:
        if node.labels.get(LABEL) in racks_to_avoid(pod.annotations):
            return Status.unresolvable(REASON)  # evicting pods does not move a node to another rack
        return SUCCESS

    def repairs(self, question: Question) -> list[Need]:
        """Return the edit that lifts a rejection: the pod no longer avoids the node's rack."""
        rack = question.node.labels.get(LABEL, "") if question.node is not None else ""
        before = question.pod.annotations.get(AVOID, "")
        after = ",".join(sorted(racks_to_avoid(question.pod.annotations) - {rack}))
        change = set_value("metadata", "annotations", AVOID, value=after or None)
        sentence = NO_LONGER(rack=rack)
        path = f"metadata.annotations.{AVOID}"
        return [
            question.need(make_pod_edit(question, "plugins_own", path, sentence, change, before=before, after=after))
        ]

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        app = pod.labels.get("app")
        if app is None:
            return SKIP
        selector = LabelSelector((Requirement("app", IN, (app,)),))
        everywhere = self.handle.nodes
        counts = everywhere.pods_matching(PodSelector(frozenset({pod.namespace}), (selector,)))
        racks = everywhere.label(LABEL)
        per_rack = np.bincount(racks + 1, weights=counts, minlength=len(everywhere.label_values(LABEL)) + 1)
        state.write(STATE_KEY, Crowding(per_rack.astype(np.int64)))
        return SUCCESS

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return the number of pods of the app in each node's rack; nodes without the label are one rack."""
        crowding: Crowding = state.read(STATE_KEY)
        return crowding.pods_per_rack[nodes.label(LABEL) + 1]

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        """Give 100 to the emptiest rack, and 0 to the fullest."""
        most, least = int(scores.max()), int(scores.min())
        if most == least:
            return np.full(len(scores), MAX_NODE_SCORE, np.int64)
        return (most - scores) * MAX_NODE_SCORE // (most - least)

    def events_to_register(self) -> list[ClusterEventWithHint]:
        """Return the events that can help a rejected pod: a new node, or a node that changed racks."""
        return [ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL))]


def racks_to_avoid(annotations: Mapping[str, str]) -> set[str]:
    return {rack.strip() for rack in annotations.get(AVOID, "").split(",") if rack.strip()}
