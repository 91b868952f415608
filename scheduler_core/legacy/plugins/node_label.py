"""NodeLabel: nodes must or should have some labels and lack others, whatever their values.

Source (v1.20): pkg/scheduler/framework/plugins/nodelabel.
"""

from typing import Any, Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import MAX_NODE_SCORE, FilterPlugin, Reads, ScorePlugin
from scheduler_core.framework.status import PluginError
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.legacy.args import NodeLabelArgs

REASON = "node(s) didn't have the requested labels"


class NodeLabel(FilterPlugin, ScorePlugin):
    name = "NodeLabel"
    reads = Reads.NODE

    def __init__(self, args: NodeLabelArgs) -> None:
        self._args = args

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args)

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        wrong = np.zeros(len(nodes), np.bool_)
        for key in self._args.present_labels:
            wrong |= nodes.label(key) < 0
        for key in self._args.absent_labels:
            wrong |= nodes.label(key) >= 0
        return Verdicts.reject(wrong, REASON, resolvable=False)

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return the share of the preferences that the node meets, in percent."""
        present, absent = self._args.present_labels_preference, self._args.absent_labels_preference
        if not present and not absent:
            raise PluginError("runtime error: integer divide by zero")
        met = np.zeros(len(nodes), np.int64)
        for key in present:
            met += nodes.label(key) >= 0
        for key in absent:
            met += nodes.label(key) < 0
        return met * MAX_NODE_SCORE // (len(present) + len(absent))
