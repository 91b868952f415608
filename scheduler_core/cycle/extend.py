"""Calls of scheduler extenders in a cycle: they filter after the plugins, and their scores are added to the plugins'
totals.

Source: pkg/scheduler/schedule_one.go findNodesThatPassExtenders, prioritizeNodes, extendersBinding.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.diagnosis import NodeToStatus, SchedulingError
from scheduler_core.framework.extender import Extender, ExtenderError, ExtenderFilterResult
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.trace import Trace

MAX_EXTENDER_PRIORITY = 10
_INT64 = 1 << 64


def run_extender_filters(
    extenders: Sequence[Extender], pod: Pod, nodes: Nodes, statuses: NodeToStatus, trace: Trace | None
) -> Nodes:
    """Return the nodes that pass all extenders; `statuses` gets the rejected ones. Raises SchedulingError."""
    for extender in extenders:
        if not len(nodes):
            break
        if not extender.is_filter or not extender.is_interested(pod):
            continue
        try:
            result = extender.filter(pod, nodes)
        except ExtenderError as error:
            _note_failure(trace, ExtensionPoint.FILTER, extender, error, extender.ignorable)
            if extender.ignorable:
                continue
            raise SchedulingError(str(error)) from error
        for name, reason in result.failed_and_unresolvable.items():
            statuses.set(name, Status.unresolvable(reason))
        for name, reason in result.failed.items():
            if name not in result.failed_and_unresolvable:
                statuses.set(name, Status.unschedulable(reason))
        if trace is not None:
            data = _rejections(nodes, result)
            trace.add_call(
                ExtensionPoint.FILTER, extender.name, SUCCESS, in_=len(nodes), out=len(result.nodes), data=data
            )
        nodes = result.nodes
    return nodes


def _rejections(nodes: Nodes, result: ExtenderFilterResult) -> dict[str, Any] | None:
    """Return the extender's rejections for the trace. `dropped` counts nodes that it left out without a reason."""
    statuses = {name: Status.unschedulable(reason) for name, reason in result.failed.items()}
    statuses |= {name: Status.unresolvable(reason) for name, reason in result.failed_and_unresolvable.items()}
    rejected = [[s.code.upstream_name, list(s.reasons), n] for s, n in Counter(statuses.values()).items()]
    dropped = len(set(nodes.names) - set(result.nodes.names) - statuses.keys())
    data = {"rejected": rejected, "dropped": dropped}
    return {name: value for name, value in data.items() if value} or None


@dataclass(slots=True)
class ExtenderScores:
    """One extender's part of each node's total, by node name, with weight and scale applied."""

    extender: str
    contributed: dict[str, int]


def run_extender_scores(
    extenders: Sequence[Extender], pod: Pod, nodes: Nodes, trace: Trace | None
) -> list[ExtenderScores]:
    """Return the scores of each interested extender.

    An extender that fails contributes nothing, and the attempt goes on.
    """
    results = []
    for extender in extenders:
        if not extender.is_interested(pod):
            continue
        try:
            answer = extender.prioritize(pod, nodes)
        except ExtenderError as error:
            _note_failure(trace, ExtensionPoint.SCORE, extender, error, ignored=True)
            continue
        scores: dict[str, int] = {}
        factor = extender.weight * (MAX_NODE_SCORE // MAX_EXTENDER_PRIORITY)
        for name, score in answer:
            scores[name] = _int64(scores.get(name, 0) + score * factor)
        results.append(ExtenderScores(extender.name, scores))
        if trace is not None and extender.is_prioritizer:
            raw = [score for _, score in answer] or [0]
            data = {"min": min(raw), "max": max(raw), "weight": extender.weight}
            trace.add_call(ExtensionPoint.SCORE, extender.name, SUCCESS, data=data)
    return results


def add_extender_scores(totals: IntColumn, nodes: Nodes, scores: Sequence[ExtenderScores]) -> IntColumn:
    names = nodes.names
    added = np.array([_int64(sum(score.contributed.get(name, 0) for score in scores)) for name in names], np.int64)
    return totals + added


def _int64(value: int) -> int:
    """Wrap a number as Go's int64 does, because an extender may answer with any number."""
    return (value + _INT64 // 2) % _INT64 - _INT64 // 2


def run_extender_bind(extenders: Sequence[Extender], pod: Pod, node_name: str, trace: Trace | None) -> Status | None:
    """Return the status of the extender that bound the pod, or None if no extender binds it."""
    for extender in extenders:
        if not extender.is_binder or not extender.is_interested(pod):
            continue
        try:
            extender.bind(pod, node_name)
        except ExtenderError as error:
            _note_failure(trace, ExtensionPoint.BIND, extender, error, extender.ignorable)
            if extender.ignorable:
                continue
            return Status.error(str(error))
        if trace is not None:
            trace.add_call(ExtensionPoint.BIND, extender.name, SUCCESS, data={"node": node_name})
        return SUCCESS
    return None


def _note_failure(
    trace: Trace | None, point: ExtensionPoint, extender: Extender, error: ExtenderError, ignored: bool
) -> None:
    if trace is not None:
        trace.add_call(point, extender.name, Status.error(str(error)), ignored=ignored or None)
