"""NodePreferAvoidPods: an annotation on a node lists controllers whose pods should avoid it.

Source (v1.20): pkg/scheduler/framework/plugins/nodepreferavoidpods, pkg/apis/core/v1/helper.
"""

import json

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import MAX_NODE_SCORE, ScorePlugin

ANNOTATION = "scheduler.alpha.kubernetes.io/preferAvoidPods"
CONTROLLERS = ("ReplicationController", "ReplicaSet")


class NodePreferAvoidPods(ScorePlugin):
    name = "NodePreferAvoidPods"

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        scores = np.full(len(nodes), MAX_NODE_SCORE, np.int64)
        owner = pod.controller
        if owner is not None and owner.kind in CONTROLLERS:
            for i, node in enumerate(nodes):
                if (owner.kind, owner.uid) in parse_avoided_controllers(node.node.annotations.get(ANNOTATION, "")):
                    scores[i] = 0
        return scores


def parse_avoided_controllers(text: str) -> list[tuple[str, str]]:
    """Return (kind, uid) of the controllers in the annotation; empty if it can't be parsed."""
    try:
        entries = json.loads(text)["preferAvoidPods"] if text else []
        owners = [entry["podSignature"]["podController"] for entry in entries]
        return [(owner["kind"], owner["uid"]) for owner in owners]
    except (ValueError, LookupError, TypeError, RecursionError):
        return []
