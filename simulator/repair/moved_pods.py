"""Check that several pods which move to other nodes fit there together with the other edits."""

from collections.abc import Mapping
from typing import Any

from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.cache.nodes import Nodes
from scheduler_core.edits.edit import Edits, sort_edits
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import run_filters, run_pre_filter
from simulator.simulation.fork import fork
from simulator.simulation.simulation import Simulation


def moved_pods_fit(trial: Simulation, edits: Edits) -> bool:
    """Return True if each moved pod passes its node's filters, one after the other; `trial` has the edits made."""
    moved = [edit for edit in sort_edits(edits) if edit.moved_to]
    if not moved:
        return True
    fresh = fork(trial)
    pods = [pod for edit in moved if (pod := fresh.cluster.find_pod(edit.of.key)) is not None]
    _apply(fresh, {"kind": "delete", "objects": [edit.of.as_dict() for edit in moved]})
    for pod in pods:
        if not _node_accepts(fresh, pod):
            return False
        _apply(fresh, {"kind": "create", "objects": [dict(manifest_of(pod))]})
    return True


def _node_accepts(simulation: Simulation, pod: Pod) -> bool:
    """Return True if the filters accept the pod on the node that it names."""
    scheduler = simulation.cluster.scheduler
    frameworks = scheduler.frameworks
    framework = frameworks.get(pod.scheduler_name) or next(iter(frameworks.values()))
    nodes, bare, state = Nodes(simulation.cluster.cache.table), pod.with_node(""), CycleState()
    row = nodes.table.rows.get(pod.node_name)
    outcome = run_pre_filter(framework, state, bare, nodes, None)
    if row is None or not outcome.status.is_success:
        return False
    if outcome.node_names is not None and pod.node_name not in outcome.node_names:
        return False
    return int(run_filters(framework, state, bare, nodes).codes[row]) == 0


def _apply(simulation: Simulation, command: Mapping[str, Any]) -> None:
    for _ in simulation.apply(command):
        pass
