"""Filters on nodes as they would be with other pods there: each node by a state of its own, all nodes at a time.

Source: pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods.
"""

from collections.abc import Sequence

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import (
    FilterOutcome,
    nominated_ahead,
    run_add_pod,
    run_filters,
    run_these_filters,
)
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Status


def own_states(framework: ProfileFramework, states: Sequence[CycleState]) -> list[CycleState]:
    """Copies that may follow pods as they come and go; the states themselves where no plugin takes note of pods."""
    return [state.clone() if _is_followed(framework, state) else state for state in states]


def _is_followed(framework: ProfileFramework, state: CycleState) -> bool:
    return any(plugin.name not in state.skip_filter_plugins for plugin in framework.following)


def run_filters_by_node(
    framework: ProfileFramework, states: Sequence[CycleState], pod: Pod, nodes: Nodes
) -> list[Status]:
    """The status of each node by its own state; the states are copies of one."""
    if not len(nodes):
        return []
    if not _is_followed(framework, states[0]):
        return _statuses(run_filters(framework, states[0], pod, nodes))
    if framework.all_filters:
        return [_one(run_filters(framework, state, pod, nodes.take([i]))) for i, state in enumerate(states)]
    stages = framework.filter_stages(states[0].skip_filter_plugins)
    # No state matters to plugins that read nothing but the node and its pods.
    statuses = _statuses(run_these_filters(framework, [*stages.node, *stages.row], states[0], pod, nodes))
    for i, state in enumerate(states):
        if statuses[i].is_success:
            statuses[i] = _one(run_these_filters(framework, stages.rest, state, pod, nodes.take([i])))
    return statuses


def _statuses(outcome: FilterOutcome) -> list[Status]:
    return [outcome.statuses[code] for code in outcome.codes.tolist()]


def _one(outcome: FilterOutcome) -> Status:
    return outcome.statuses[int(outcome.codes[0])]


def run_filters_with_nominated_pods(
    framework: ProfileFramework, states: Sequence[CycleState], pod: Pod, nodes: Nodes
) -> list[Status]:
    """Filter twice where pods of equal or higher priority are nominated to a node: with them, then without.

    Both must pass: resources and anti-affinity are stricter with the nominated pods there, affinity without them.
    """
    statuses = run_filters_by_node(framework, states, pod, nodes)
    for i, status in failures_with_nominated_pods(framework, states, pod, nodes).items():
        statuses[i] = status
    return statuses


def failures_with_nominated_pods(
    framework: ProfileFramework, states: Sequence[CycleState], pod: Pod, nodes: Nodes
) -> dict[int, Status]:
    """Position → status of the nodes that fail once the pods are there that `pod` must yield to."""
    nominated = framework.handle.nominator.nominated_nodes()
    hits = np.flatnonzero(nodes.named(nominated)).tolist() if nominated else ()
    ahead = {i: others for i in hits if (others := nominated_ahead(framework, pod, nodes[i].name))}
    if not ahead:
        return {}
    positions = list(ahead)
    crowded = nodes.take(positions).what_if()
    own = own_states(framework, [states[i] for i in positions])
    failures: dict[int, Status] = {}
    for i, node, state in zip(positions, crowded, own, strict=True):
        for other in ahead[i]:
            crowded.table.add_pod(other, node.name)
            status = run_add_pod(framework, state, pod, other, node)
            if not status.is_success:
                failures.setdefault(i, status)
    for i, status in zip(positions, run_filters_by_node(framework, own, pod, crowded), strict=True):
        if not status.is_success:
            failures.setdefault(i, status)
    return failures
