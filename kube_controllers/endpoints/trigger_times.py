"""The time of the change that triggered an update of endpoints, for their annotation.

Source: staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.manifests import Manifest, condition, conditions, created, format_time, name, parse_time

ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
Times = Mapping[str, str]  # Pod name -> last transition of its readiness


def ready_times(pods: Iterable[Manifest]) -> Times:
    times = {}
    for pod in pods:
        ready = condition(conditions(pod), "Ready")
        if ready is not None and ready.get("lastTransitionTime"):
            times[name(pod)] = str(ready["lastTransitionTime"])
    return times


def change_time(service: Manifest, known: Times | None, now: Times) -> str:
    """Return the time of the first change since the last reconcile, or ""."""
    if known is None:
        return created(service)
    if known == now:
        return ""
    fresh = [
        time
        for pod, text in now.items()
        if (time := parse_time(text) or 0.0) > (parse_time(known[pod]) or 0.0 if pod in known else 0.0)
    ]
    return format_time(min(fresh)) if fresh else ""


def with_trigger_time(annotations: Mapping[str, Any], time: str) -> dict[str, Any]:
    """Return the annotations with the new time, or without one."""
    left = {key: value for key, value in annotations.items() if key != ANNOTATION}
    return {**left, ANNOTATION: time} if time else left
