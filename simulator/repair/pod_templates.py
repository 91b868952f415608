"""Templates of pending pods; pods of one template are repaired together."""

import json
from collections.abc import Sequence

from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.owners import find_top_owner
from simulator.simulation.simulation import Simulation


def templates_by_pod(simulation: Simulation, keys: Sequence[str]) -> dict[str, str]:
    """Return a template identifier for each pod: its owner, or its own spec if it has none."""
    return {key: template_of(pod, simulation) for key in keys if (pod := simulation.cluster.find_pod(key)) is not None}


def template_of(pod: Pod, simulation: Simulation) -> str:
    named = template_owner(simulation, pod.key)
    return named or f"{pod.namespace} {json.dumps(manifest_of(pod).get('spec'), sort_keys=True, default=str)}"


def template_owner(simulation: Simulation, key: str) -> str:
    """Return `KIND NS/NAME` of the owner with the pod's template, "" if there is none."""
    pod = simulation.cluster.find_pod(key)
    owner = None if pod is None else find_top_owner(pod, simulation.cluster.store)
    return "" if pod is None or owner is None else f"{owner[0]} {pod.namespace}/{owner[1]}"
