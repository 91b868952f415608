"""The state of the cluster that a recording stores after each step."""

from collections.abc import Mapping
from typing import Any

from kube_controllers.controller_revisions import revision_of
from kube_controllers.objects import View
from kube_controllers.pods import is_ready, node_of, phase
from kube_objects.manifests import (
    Manifest,
    annotations,
    condition,
    conditions,
    controller_of,
    finalizers,
    generation,
    name,
    spec,
    status,
)

_KINDS = {
    "deployments": "Deployment",
    "replicasets": "ReplicaSet",
    "statefulsets": "StatefulSet",
    "daemonsets": "DaemonSet",
    "jobs": "Job",
    "cronjobs": "CronJob",
    "poddisruptionbudgets": "PodDisruptionBudget",
}
_OF_SPEC = ("replicas", "paused", "suspend", "parallelism", "completions")
# What a real server fills in, and is stored with it.
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "Deployment": {"replicas": 1},
    "ReplicaSet": {"replicas": 1},
    "StatefulSet": {"replicas": 1},
    "Job": {"suspend": False},
    "CronJob": {"suspend": False},
}
_LEFT_OUT = ("conditions", "uncountedTerminatedPods", "lastScheduleTime", "lastSuccessfulTime")
_OURS = "deployment.kubernetes.io/"


def state_of(view: View, with_nodes: bool) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for plural, kind in _KINDS.items():
        found = {name(obj): _object(kind, obj) for obj in view.of_kind(kind)}
        if found:
            state[plural] = found
    state["pods"] = [pod_of(pod, with_nodes) for pod in view.of_kind("Pod")]
    revisions = sorted([name(one), revision_of(one)] for one in view.of_kind("ControllerRevision"))
    if revisions:
        state["controllerrevisions"] = revisions
    claims = sorted(name(one) for one in view.of_kind("PersistentVolumeClaim"))
    if claims:
        state["persistentvolumeclaims"] = claims
    return state


def _object(kind: str, obj: Manifest) -> dict[str, Any]:
    wanted = {**_DEFAULTS.get(kind, {}), **{key: value for key, value in spec(obj).items() if value is not None}}
    found: dict[str, Any] = {"generation": generation(obj), **{key: wanted[key] for key in _OF_SPEC if key in wanted}}
    if not found.get("paused", True):
        del found["paused"]
    found["status"] = {key: value for key, value in status(obj).items() if key not in _LEFT_OUT}
    if kind == "Job":
        found["status"] |= {key: key in status(obj) for key in ("startTime", "completionTime")}
    elif kind == "CronJob":
        found["status"] = {"active": len(status(obj).get("active") or ())}
    elif kind == "PodDisruptionBudget":
        found["status"]["disruptedPods"] = len(status(obj).get("disruptedPods") or ())
    shown = sorted([one["type"], one["status"], one.get("reason"), one.get("message")] for one in conditions(obj))
    if shown:
        found["conditions"] = shown
    if kind == "ReplicaSet":
        found["annotations"] = {key: value for key, value in annotations(obj).items() if key.startswith(_OURS)}
        template = (spec(obj).get("template") or {}).get("spec") or {}
        found["images"] = [one.get("image") for one in template.get("containers") or ()]
    owner = controller_of(obj)
    if owner is not None:
        found["owner"] = f"{owner['kind']}/{owner['name']}"
    return found


def pod_of(pod: Manifest, with_nodes: bool) -> dict[str, Any]:
    owner = controller_of(pod)
    found: dict[str, Any] = {
        "name": name(pod),
        "owner": None if owner is None else f"{owner['kind']}/{owner['name']}",
        "phase": phase(pod),
        "ready": is_ready(pod),
        "scheduled": bool(node_of(pod)),
    }
    if with_nodes:
        found["node"] = node_of(pod) or None
    scheduled = condition(conditions(pod), "PodScheduled")
    if scheduled is not None and scheduled.get("status") == "False":
        found["unschedulable"] = scheduled.get("message", "")
    if finalizers(pod):
        found["finalizers"] = list(finalizers(pod))
    return found
