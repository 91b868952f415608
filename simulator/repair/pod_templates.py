"""The templates of pending Pods: Pods of one template are repaired together."""

import json
from collections.abc import Sequence

from kube_objects.pod import Pod
from kube_objects.serialize import manifest_of
from scheduler_core.edits.owners import owner_of
from simulator.simulation.simulation import Simulation


def by_template(simulation: Simulation, keys: Sequence[str]) -> dict[str, str]:
    """Return for each Pod its owner, or its own spec if it has none."""
    return {key: template_of(pod, simulation) for key in keys if (pod := simulation.cluster.find_pod(key)) is not None}


def template_of(pod: Pod, simulation: Simulation) -> str:
    named = owner_named(simulation, pod.key)
    return named or f"{pod.namespace} {json.dumps(manifest_of(pod).get('spec'), sort_keys=True, default=str)}"


def owner_named(simulation: Simulation, key: str) -> str:
    """KIND NS/NAME of what has the pod's template; "" where nothing does."""
    pod = simulation.cluster.find_pod(key)
    owner = None if pod is None else owner_of(pod, simulation.cluster.store)
    return "" if pod is None or owner is None else f"{owner[0]} {pod.namespace}/{owner[1]}"
