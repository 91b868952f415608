"""Set up upstream's cases of the Job controller: a Job and its Pods, one sync, and the resulting writes."""

from collections.abc import Sequence
from typing import Any

from kube_controllers.contract import EmitEvent, Outcome, PutObject, RemoveObject
from kube_controllers.job.job_controller import JobController
from kube_controllers.job.job_sync import UNCOUNTED
from kube_controllers.objects import Objects, View
from kube_objects.manifests import Manifest, controller_reference, key, kind
from tests.core.controllers.upstream_cases import view_of

_TOLD = ("type", "status", "reason", "message")


def objects_of(job: Manifest, pods: Sequence[Any]) -> list[Any]:
    """Return the Pods as Pods of the Job, as upstream's newPod creates them."""
    made = []
    for pod in pods:
        about = {"namespace": "default", "labels": {"foo": "bar"}, "ownerReferences": [controller_reference(job)]}
        made.append({"kind": "Pod", "spec": {"nodeName": "node"}, **pod, "metadata": {**about, **pod["metadata"]}})
    return [job, *made]


def sync(given: Any) -> dict[str, Any]:
    """Sync until finished Pods are counted, which takes two passes."""
    job = given["job"]
    view = view_of(*objects_of(job, given["pods"]), now=given["now"])
    view.remembered = given.get("memory")
    first = JobController().reconcile(job, view)
    status = _status(first, job)
    counted = status.get(UNCOUNTED)
    if counted is not None:
        _carry_out(first, view.objects)
        again = View(view.objects, view.now, view.chance)
        again.remembered = first.memory
        last = _status(JobController().reconcile(view.objects.get("Job", key(job)) or job, again), {"status": status})
        status = {**status, **{field: last[field] for field in ("conditions", "succeeded", "failed") if field in last}}
        for field in ("completedIndexes", "failedIndexes"):
            status |= {field: last[field]} if field in last else {}
    made = [one.obj for one in first.changes if isinstance(one, PutObject) and kind(one.obj) == "Pod"]
    created = [pod for pod in made if view_of(*objects_of(job, given["pods"])).get("Pod", key(pod)) is None]
    told = [one for one in first.changes if isinstance(one, EmitEvent) and one.reason == "SuccessfulDelete"]
    return {
        "active": status.get("active", 0),
        "ready": status.get("ready", 0),
        "succeeded": status.get("succeeded", 0),
        "failed": status.get("failed", 0),
        "terminating": status.get("terminating", 0),
        "conditions": [{field: one[field] for field in _TOLD if field in one} for one in status.get("conditions", ())],
        "completedIndexes": status.get("completedIndexes", ""),
        "failedIndexes": status.get("failedIndexes"),
        "created": len(created),
        "createdIndexes": sorted(int(pod["metadata"]["annotations"][_INDEX]) for pod in created if _is_indexed(pod)),
        "deleted": len(told),
    }


_INDEX = "batch.kubernetes.io/job-completion-index"


def _is_indexed(pod: Manifest) -> bool:
    return _INDEX in (pod["metadata"].get("annotations") or {})


def _status(outcome: Outcome, job: Manifest) -> dict[str, Any]:
    written = [one.obj for one in outcome.changes if isinstance(one, PutObject) and kind(one.obj) == "Job"]
    return dict((written[-1] if written else job)["status"])


def _carry_out(outcome: Outcome, objects: Objects) -> None:
    for change in outcome.changes:
        if isinstance(change, PutObject):
            objects.put(change.obj)
        elif isinstance(change, RemoveObject):
            objects.remove(kind(change.obj), key(change.obj))
