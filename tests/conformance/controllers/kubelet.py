"""The kubelet of a recording: it changes Pods as a step says, and removes deleted Pods."""

from collections.abc import Mapping
from typing import Any

from kube_controllers.pods import is_ready, node_of, phase
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, format_time, is_deleted, name, spec, status

_READINESS = ("ContainersReady", "Ready")


def may_change(pod: Manifest, how: str, named: str | None) -> bool:
    """Return True if a step of this kind concerns the Pod."""
    if not node_of(pod) or is_deleted(pod) or (named is not None and name(pod) != named):
        return False
    now = phase(pod)
    match how:
        case "ready":
            return now in ("Pending", "Running") and not is_ready(pod)
        case "start":
            return now == "Pending"
        case "unready":
            return is_ready(pod)
        case _:
            return now in ("Pending", "Running")


def changed(pod: Manifest, how: str, code: int, now: float) -> dict[str, Any]:
    """Return the Pod after the step."""
    at = format_time(now)
    new: dict[str, Any] = {**status(pod), "startTime": status(pod).get("startTime") or at}
    match how:
        case "ready" | "start":
            new["phase"] = "Running"
            state: Mapping[str, Any] = {"running": {"startedAt": at}}
        case "succeed":
            new["phase"], state = "Succeeded", _ended(0, "Completed", at)
        case "fail":
            new["phase"], state = "Failed", _ended(code, "Error", at)
        case _:
            state = {"running": {"startedAt": at}}
    ready = how == "ready"
    new["containerStatuses"] = [
        {"name": one["name"], "image": one.get("image", ""), "ready": ready, "restartCount": 0, "state": state}
        for one in spec(pod).get("containers") or ()
    ]
    found: dict[str, Any] = {**pod, "status": new}
    reason = {"succeed": "PodCompleted", "fail": "PodFailed"}.get(how, "" if ready else "ContainersNotReady")
    for type_ in _READINESS:
        found = with_condition(found, type_, "True" if ready else "False", reason, "", now)
    return found


def _ended(code: int, reason: str, at: str) -> dict[str, Any]:
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": at, "finishedAt": at}}
