"""The creation of Pods by controllers: in growing batches, with an Event for each Pod.

Source: pkg/controller/controller_utils.go RealPodControl; slowStartBatch.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_objects.manifests import Manifest, name

# Bytes of the Pods that one reconcile creates. Upstream limits their number only, because it writes them one by one.
MOST_BYTES = 8 << 20


def limit_burst(template: Mapping[str, Any], most: int) -> int:
    """Return how many Pods of this template one reconcile may create: `most`, fewer if they are large, at least one."""
    size = len(json.dumps(template, default=str))
    return max(min(most, MOST_BYTES // max(size, 1)), 1)


def slow_start_batch(count: int, act: Callable[[int], str]) -> tuple[int, str]:
    """Call `act` with the numbers from 0 to `count`, in batches that double, until one call of a batch fails.

    `act` returns the error message, or "". Return the number of successes and the last error message. Source:
    slowStartBatch.
    """
    done, start, size, last_error = 0, 0, 1, ""
    while start < count and not last_error:
        for index in range(start, min(start + size, count)):
            error = act(index)
            done += not error
            last_error = error or last_error
        start, size = start + size, 2 * size
    return done, last_error


def create_pod(pod: Manifest, owner: Manifest, api: Api, by: str) -> str:
    """Create a Pod and emit an Event; return the error message, or "".

    A terminating namespace counts as success: the controller neither reports it nor tries again.
    """
    try:
        created = api.create(pod)
    except WriteRefused as refused:
        if is_namespace_terminating(refused.message):
            return ""
        api.emit_event(owner, "Warning", "FailedCreate", f"Error creating: {refused.message}", by)
        return refused.message
    api.emit_event(owner, "Normal", "SuccessfulCreate", f"Created pod: {name(created)}", by)
    return ""
