"""What an API server adds to an object that is created, and what it refuses: defaults, limit ranges, quotas."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.built_in import limit_ranges, quotas
from kube_apiserver.admission.built_in.daemon_sets import TEMPLATE_GENERATION, counted, first
from kube_apiserver.admission.built_in.pod_security import checks as pod_security
from kube_apiserver.admission.built_in.quotas import Spending
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    annotations,
    finalizers,
    is_deleted,
    key,
    kind,
    labels,
    meta,
    name,
    namespace,
    spec,
    with_meta,
)
from kube_objects.names import label_value

# Kinds with a generation that follows what they ask for.
WITH_GENERATION = frozenset(
    {
        "CronJob",
        "DaemonSet",
        "Deployment",
        "Job",
        "Pod",
        "PodDisruptionBudget",
        "ReplicaSet",
        "ReplicationController",
        "StatefulSet",
    }
)
# Kinds of which nobody counts what they ask for.
WITHOUT_GENERATION = frozenset({"Endpoints"})
_NOT_READY = "node.kubernetes.io/not-ready"
_UNREACHABLE = "node.kubernetes.io/unreachable"
PATIENCE = 300
_CONTAINERS = ("containers", "initContainers")
_ENDING = "because it is being terminated"
JOB_UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
JOB_NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


_PLURAL_ALREADY = ("endpoints",)
IN_USE = {
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "PersistentVolume": "kubernetes.io/pv-protection",
    "VolumeAttributesClass": "kubernetes.io/vac-protection",
}
"""What keeps a claim or a volume until nobody uses it.

Source: plugin/pkg/admission/storage/storageobjectinuseprotection.
"""


def plural(of: str) -> str:
    """As messages name a resource."""
    lower = of.lower()
    if lower in _PLURAL_ALREADY:
        return lower
    if lower.endswith("y"):
        return f"{lower[:-1]}ies"
    return lower + ("es" if lower.endswith("s") else "s")


def with_default_tolerations(of: Mapping[str, Any]) -> Mapping[str, Any]:
    """Source: plugin/pkg/admission/defaulttolerationseconds."""
    tolerations = list(of.get("tolerations") or ())
    missing = [
        {"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": PATIENCE}
        for taint in (_NOT_READY, _UNREACHABLE)
        if not any(
            one.get("key") in (taint, None, "") and one.get("effect") in ("NoExecute", None, "") for one in tolerations
        )
    ]
    return {**of, "tolerations": tolerations + missing} if missing else dict(of)


def defaulted(obj: Manifest, tolerant: Callable[[Manifest], Manifest] = with_default_tolerations) -> dict[str, Any]:
    """With what actors read and a real server would have filled in. `tolerant`: as `with_default_tolerations`."""
    made = dict(obj)
    if kind(obj) == "Pod":
        made["spec"] = tolerant(spec(obj))
        made["status"] = {**(obj.get("status") or {"phase": "Pending"}), **_gated(obj)}
    elif kind(obj) == "Job":
        made = _job(made)
    elif kind(obj) == "DaemonSet":
        number = first(annotations(obj).get(TEMPLATE_GENERATION))
        made = with_meta(obj, annotations={**annotations(obj), TEMPLATE_GENERATION: number})
    elif (finalizer := IN_USE.get(kind(obj))) and finalizer not in finalizers(obj):
        made = with_meta(obj, finalizers=[*finalizers(obj), finalizer])
    return made


def with_template_counted(obj: Manifest, before: Manifest) -> Manifest:
    """A daemon set that is written, with the number of its template, unless whoever writes it has counted."""
    was = annotations(before).get(TEMPLATE_GENERATION)
    if was is None or kind(obj) != "DaemonSet" or annotations(obj).get(TEMPLATE_GENERATION, was) != was:
        return obj
    number = counted(was, spec(before).get("template") != spec(obj).get("template"))
    return with_meta(obj, annotations={**annotations(obj), TEMPLATE_GENERATION: number})


def _gated(pod: Manifest) -> dict[str, Any]:
    """What a pod with scheduling gates says from the beginning. Source: applySchedulingGatedCondition."""
    if not spec(pod).get("schedulingGates") or (pod.get("status") or {}).get("conditions"):
        return {}
    message = "Scheduling is blocked due to non-empty scheduling gates"
    at = meta(pod).get("creationTimestamp")
    condition = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": message}
    return {"conditions": [{**condition, "lastTransitionTime": at}]}


def _job(job: dict[str, Any]) -> dict[str, Any]:
    """Its selector, by uid, and the labels of its pods. Source: jobStrategy.generateSelector, SetDefaults_Job."""
    job_spec = dict(spec(job))
    if job_spec.get("completions") is None and job_spec.get("parallelism") is None:
        job_spec["completions"] = job_spec["parallelism"] = 1
    elif job_spec.get("parallelism") is None:
        job_spec["parallelism"] = 1
    if not job_spec.get("manualSelector"):
        uid = str(meta(job)["uid"])
        added = {**dict.fromkeys(JOB_UID_LABELS, uid), **dict.fromkeys(JOB_NAME_LABELS, name(job))}
        template = dict(job_spec.get("template") or {})
        of_template = dict(template.get("metadata") or {})
        of_template["labels"] = {**(of_template.get("labels") or {}), **added}
        job_spec["template"] = {**template, "metadata": of_template}
        job_spec["selector"] = {"matchLabels": {JOB_UID_LABELS[0]: uid}}
    return {**job, "spec": job_spec}


class Rules:
    """What namespaces have to say to what is created on top of a view: those that go, limit ranges, quotas."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._writes: list[tuple[Manifest, Manifest | None, Manifest | None]] = []
        self._spent: dict[str, Spending] = {}  # by quota, with what was written since

    def wrote(self, about: Manifest, old: Manifest | None, new: Manifest | None) -> None:
        """An object was made, changed or removed, where there are quotas."""
        self._writes.append((about, old, new))
        for spent in self._spent.values():
            _count(spent, about, old, new)

    def given(self, obj: Manifest) -> Manifest:
        """A pod with what limit ranges give to its containers."""
        ranges = self._limit_ranges(obj) if kind(obj) == "Pod" else ()
        if not ranges:
            return obj
        containers = {part: [dict(one) for one in spec(obj).get(part) or ()] for part in _CONTAINERS}
        there = {part: found for part, found in containers.items() if found}
        made = {**obj, "metadata": dict(meta(obj)), "spec": {**spec(obj), **there}}
        limit_ranges.give(made, ranges)
        return made

    def refusal(self, obj: Manifest) -> str:
        """Why an API server would not create it."""
        if not namespace(obj):
            return ""
        why = self._ending(obj)
        if not why and kind(obj) == "Pod" and (wrong := self._invalid_fields(obj)):
            return f'Pod "{name(obj)}" is invalid: {wrong}'
        why = why or self._why_not(obj)
        return f'{_resource(obj)} "{name(obj)}" is forbidden: {why}' if why else ""

    def _invalid_fields(self, pod: Manifest) -> str:
        """Return what validation says of values that a controller or a limit range writes into a Pod, "" if nothing."""
        for value in labels(pod).values():
            if wrong := label_value(str(value)):
                return f"metadata.labels: Invalid value: {json.dumps(value)}: {wrong}"
        return limit_ranges.conflicts(pod) if self._limit_ranges(pod) else ""

    def _ending(self, obj: Manifest) -> str:
        inside = self.view.get("Namespace", namespace(obj))
        if inside is None or not is_deleted(inside):
            return ""
        return f"unable to create new content in namespace {namespace(obj)} {_ENDING}"

    def _why_not(self, obj: Manifest) -> str:
        return (
            limit_ranges.problem(kind(obj), obj, self._limit_ranges(obj))
            or self._insecurity(obj)
            or quotas.problem(kind(obj), obj, None, self._quotas(obj))
        )

    def _insecurity(self, obj: Manifest) -> str:
        inside = self.view.get("Namespace", namespace(obj)) if kind(obj) == "Pod" else None
        return "" if inside is None else pod_security.of_controller(labels(inside), obj)

    def _limit_ranges(self, obj: Manifest) -> Sequence[Manifest]:
        if not self.view.has("LimitRange"):
            return ()
        return sorted(self.view.of_kind("LimitRange", namespace(obj)), key=name)

    def _quotas(self, obj: Manifest) -> Sequence[Manifest]:
        """Those of its namespace, with the status that their controller would have written by now."""
        if not self.view.has("ResourceQuota"):
            return ()
        return [
            {**one, "status": self._spending(one).status} for one in self.view.of_kind("ResourceQuota", namespace(obj))
        ]

    def _spending(self, quota: Manifest) -> Spending:
        found = self._spent.get(key(quota))
        if found is None:
            found = self._spent[key(quota)] = self.view.spending(quota).copy()
            for write in self._writes:
                _count(found, *write)
        return found


def is_of_ending_namespace(refusal: str) -> bool:
    """Source: NamespaceTerminatingCause."""
    return refusal.endswith(_ENDING)


def _count(spent: Spending, about: Manifest, old: Manifest | None, new: Manifest | None) -> None:
    if namespace(about) == namespace(spent.quota):
        spent.change(kind(about), old, new)


def _resource(obj: Manifest) -> str:
    """With its group, as those who are refused read it."""
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return f"{plural(kind(obj))}.{group}" if group else plural(kind(obj))


def is_mirror(pod: Manifest) -> bool:
    return "kubernetes.io/config.mirror" in annotations(pod)
