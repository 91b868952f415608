"""Filters on nodes with other pods added or removed: each node has its own CycleState, and all are evaluated
together.

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
    """Return copies of the states that AddPod and RemovePod may change; the states themselves if no plugin has
    these.
    """
    return [state.clone() if _is_followed(framework, state) else state for state in states]


def _is_followed(framework: ProfileFramework, state: CycleState) -> bool:
    return any(plugin.name not in state.skip_filter_plugins for plugin in framework.pre_filter_extensions)


def run_filters_by_node(
    framework: ProfileFramework, states: Sequence[CycleState], pod: Pod, nodes: Nodes
) -> list[Status]:
    """Return the status of each node by its own state; the states are copies of one."""
    if not len(nodes):
        return []
    if not _is_followed(framework, states[0]):
        return _statuses(run_filters(framework, states[0], pod, nodes))
    if framework.all_filters:
        return [_one(run_filters(framework, state, pod, nodes.take([i]))) for i, state in enumerate(states)]
    stages = framework.filter_stages(states[0].skip_filter_plugins)
    # Plugins that read nothing but the node and its pods don't read the state.
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
    """Filter twice if pods of equal or higher priority are nominated to a node: with them, then without.

    Both must pass: resources and anti-affinity are stricter with the nominated pods, affinity without them.
    """
    statuses = run_filters_by_node(framework, states, pod, nodes)
    for i, status in failures_with_nominated_pods(framework, states, pod, nodes).items():
        statuses[i] = status
    return statuses


def failures_with_nominated_pods(
    framework: ProfileFramework, states: Sequence[CycleState], pod: Pod, nodes: Nodes
) -> dict[int, Status]:
    """Return position → status of the nodes that fail with their nominated pods of equal or higher priority."""
    nominated = framework.handle.nominator.nominated_nodes()
    positions_hit = np.flatnonzero(nodes.named(nominated)).tolist() if nominated else ()
    ahead = {i: others for i in positions_hit if (others := nominated_ahead(framework, pod, nodes[i].name))}
    if not ahead:
        return {}
    positions = list(ahead)
    with_nominated = nodes.take(positions).what_if()
    node_states = own_states(framework, [states[i] for i in positions])
    failures: dict[int, Status] = {}
    for i, node, state in zip(positions, with_nominated, node_states, strict=True):
        for other in ahead[i]:
            with_nominated.table.add_pod(other, node.name)
            status = run_add_pod(framework, state, pod, other, node)
            if not status.is_success:
                failures.setdefault(i, status)
    for i, status in zip(positions, run_filters_by_node(framework, node_states, pod, with_nominated), strict=True):
        if not status.is_success:
            failures.setdefault(i, status)
    return failures
