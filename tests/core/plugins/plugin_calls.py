"""Calls of plugins on real node tables: filters on every kind of view, scores, normalization, hints."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
)
from scheduler_core.framework.status import Status
from tests.conformance.testing import NodeBuilder, PodBuilder


class TableHandle:
    """The part of a Handle that the plugins in this folder use."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes


def cluster(nodes: Iterable[NodeBuilder], running: Iterable[PodBuilder] = ()) -> Nodes:
    """Return the Nodes, with the Pods of `running` on theirs."""
    table = NodeTable()
    for node in nodes:
        table.add_node(node.build())
    for builder in running:
        pod = builder.build()
        table.add_pod(pod, pod.node_name)
    return Nodes(table)


def filtered(plugin: FilterPlugin, pod: Pod, nodes: Nodes) -> list[Status]:
    """Return the status of each Node; check that each row and its what-if copy give the same as the whole table."""
    state = CycleState()
    if isinstance(plugin, PreFilterPlugin):
        plugin.pre_filter(state, pod, nodes)
    verdicts = plugin.filter(state, pod, nodes)
    whole = [verdicts.status(i) for i in range(len(nodes))]
    assert verdicts.codes.dtype == np.int32
    assert verdicts.statuses[0].is_success
    backwards = plugin.filter(state, pod, nodes.take(np.arange(len(nodes))[::-1]))
    assert [backwards.status(i) for i in range(len(nodes))][::-1] == whole
    for node, want in zip(nodes, whole, strict=True):
        assert plugin.filter(state.clone(), pod, node.as_nodes).status(0) == want
        assert plugin.filter(state.clone(), pod, node.what_if().as_nodes).status(0) == want
    return whole


def scored(plugin: ScorePlugin, pod: Pod, nodes: Nodes) -> list[int]:
    """Return the raw score of each Node."""
    state = CycleState()
    if isinstance(plugin, PreScorePlugin):
        assert plugin.pre_score(state, pod, nodes).is_success
    scores = plugin.score(state, pod, nodes)
    assert scores.dtype == np.int64
    return [int(score) for score in scores]


def normalized(plugin: ScorePlugin, pod: Pod, nodes: Nodes, raw: Sequence[int]) -> list[int]:
    scores = np.array(raw, np.int64)
    result = plugin.normalize(CycleState(), pod, nodes, scores)
    assert scores.tolist() == list(raw), "the raw scores are left as they are"
    return [int(score) for score in result]


def hint(
    plugin: EnqueueExtensions, resource: EventResource, action: ActionType, pod: Pod, old: Any, new: Any
) -> QueueingHint | None:
    """Return the plugin's hint for an event; None if it didn't register for the event."""
    for registered in plugin.events_to_register():
        if registered.event.resource == resource and registered.event.action & action:
            return registered.hint(pod, old, new) if registered.hint else QueueingHint.QUEUE
    return None
