"""When what changed the endpoints of a service happened, as an annotation of them says.

Source: staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.manifests import Manifest, condition, conditions, created, format_time, name, parse_time

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
Times = Mapping[str, str]  # when each pod became ready or ceased to be, by name


def times_of(pods: Iterable[Manifest]) -> Times:
    found = {}
    for pod in pods:
        ready = condition(conditions(pod), "Ready")
        if ready is not None and ready.get("lastTransitionTime"):
            found[name(pod)] = str(ready["lastTransitionTime"])
    return found


def changed(service: Manifest, known: Times | None, now: Times) -> str:
    """The first of what happened since it was looked at last; "" if nothing of it has a time."""
    if known is None:
        return created(service)
    if known == now:
        return ""
    fresh = [
        at
        for pod, text in now.items()
        if (at := parse_time(text) or 0.0) > (parse_time(known[pod]) or 0.0 if pod in known else 0.0)
    ]
    return format_time(min(fresh)) if fresh else ""


def annotated(annotations: Mapping[str, Any], at: str) -> dict[str, Any]:
    """With the new time, or without any."""
    left = {key: value for key, value in annotations.items() if key != ANNOTATION}
    return {**left, ANNOTATION: at} if at else left
