"""How controllers create pods: in growing batches, with an Event for each.

Source: pkg/controller/controller_utils.go RealPodControl; slowStartBatch.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_objects.manifests import Manifest, name

# Bytes of the Pods that one reconcile creates. Upstream limits their number only, because it writes them one by one.
MOST_BYTES = 8 << 20


def limit_burst(template: Mapping[str, Any], most: int) -> int:
    """Return how many Pods of this template one reconcile may create: `most`, fewer if they are large, at least one."""
    size = len(json.dumps(template, default=str))
    return max(min(most, MOST_BYTES // max(size, 1)), 1)


def in_batches(count: int, act: Callable[[int], str]) -> tuple[int, str]:
    """Do it once, then twice, then four times, … until one of a batch is refused: how often it was done, and why not.

    `act` is given the number of each turn, and says why it was refused.
    """
    done, at, size, refusal = 0, 0, 1, ""
    while at < count and not refusal:
        for turn in range(at, min(at + size, count)):
            why = act(turn)
            done += not why
            refusal = why or refusal
        at, size = at + size, 2 * size
    return done, refusal


def create_pod(made: Manifest, owner: Manifest, api: Api, by: str) -> str:
    """Why it was refused. In a namespace that goes no pod can be created, which is nothing to tell of or try again."""
    try:
        created = api.create(made)
    except Refused as refused:
        if is_of_ending_namespace(refused.message):
            return ""
        api.tell(owner, "Warning", "FailedCreate", f"Error creating: {refused.message}", by)
        return refused.message
    api.tell(owner, "Normal", "SuccessfulCreate", f"Created pod: {name(created)}", by)
    return ""
