"""Defaults and admission of objects that controllers create, by the plugins of `kube_apiserver.admission`.

Only the plugins that these clusters have something for run, in upstream's order.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from kube_apiserver.admission import limit_ranger, namespace_lifecycle, resource_quota
from kube_apiserver.admission.daemon_sets import TEMPLATE_GENERATION, counted, first
from kube_apiserver.admission.pod_security import checks as pod_security
from kube_apiserver.admission.pods import with_default_tolerations
from kube_apiserver.admission.resource_quota import Spending
from kube_apiserver.admission.storage import PROTECTIONS
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

# Kinds whose generation follows their spec.
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
# Kinds that have no generation.
WITHOUT_GENERATION = frozenset({"Endpoints"})
JOB_UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
JOB_NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


_PLURAL_ALREADY = ("endpoints",)


def plural(kind_name: str) -> str:
    """Return the resource name of a kind, as error messages print it."""
    lower = kind_name.lower()
    if lower in _PLURAL_ALREADY:
        return lower
    if lower.endswith("y"):
        return f"{lower[:-1]}ies"
    return lower + ("es" if lower.endswith("s") else "s")


def defaulted(obj: Manifest, tolerant: Callable[[Manifest], Manifest] = with_default_tolerations) -> dict[str, Any]:
    """Return the object with the defaults that controllers read. `tolerant` is `with_default_tolerations` or a cache of
    it.
    """
    made = dict(obj)
    if kind(obj) == "Pod":
        made["spec"] = tolerant(spec(obj))
        made["status"] = {**(obj.get("status") or {"phase": "Pending"}), **_gated_status(obj)}
    elif kind(obj) == "Job":
        made = _defaulted_job(made)
    elif kind(obj) == "DaemonSet":
        number = first(annotations(obj).get(TEMPLATE_GENERATION))
        made = with_meta(obj, annotations={**annotations(obj), TEMPLATE_GENERATION: number})
    elif (finalizer := PROTECTIONS.get(kind(obj))) and finalizer not in finalizers(obj):
        made = with_meta(obj, finalizers=[*finalizers(obj), finalizer])
    return made


def with_template_generation(obj: Manifest, before: Manifest) -> Manifest:
    """Return a DaemonSet with the next template generation, unless the writer has set it."""
    was = annotations(before).get(TEMPLATE_GENERATION)
    if was is None or kind(obj) != "DaemonSet" or annotations(obj).get(TEMPLATE_GENERATION, was) != was:
        return obj
    number = counted(was, spec(before).get("template") != spec(obj).get("template"))
    return with_meta(obj, annotations={**annotations(obj), TEMPLATE_GENERATION: number})


def _gated_status(pod: Manifest) -> dict[str, Any]:
    """Return the first status of a Pod with scheduling gates. Source: applySchedulingGatedCondition."""
    if not spec(pod).get("schedulingGates") or (pod.get("status") or {}).get("conditions"):
        return {}
    message = "Scheduling is blocked due to non-empty scheduling gates"
    created = meta(pod).get("creationTimestamp")
    condition = {"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "message": message}
    return {"conditions": [{**condition, "lastTransitionTime": created}]}


def _defaulted_job(job: dict[str, Any]) -> dict[str, Any]:
    """Return the Job with its selector, and its Pods with their labels. Source: jobStrategy.generateSelector,
    SetDefaults_Job.
    """
    job_spec = dict(spec(job))
    if job_spec.get("completions") is None and job_spec.get("parallelism") is None:
        job_spec["completions"] = job_spec["parallelism"] = 1
    elif job_spec.get("parallelism") is None:
        job_spec["parallelism"] = 1
    if not job_spec.get("manualSelector"):
        uid = str(meta(job)["uid"])
        added = {**dict.fromkeys(JOB_UID_LABELS, uid), **dict.fromkeys(JOB_NAME_LABELS, name(job))}
        template = dict(job_spec.get("template") or {})
        template_metadata = dict(template.get("metadata") or {})
        template_metadata["labels"] = {**(template_metadata.get("labels") or {}), **added}
        job_spec["template"] = {**template, "metadata": template_metadata}
        job_spec["selector"] = {"matchLabels": {JOB_UID_LABELS[0]: uid}}
    return {**job, "spec": job_spec}


class NamespaceRules:
    """The admission rules of namespaces: no writes into terminating ones, limit ranges, quotas, Pod Security."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._writes: list[tuple[Manifest, Manifest | None, Manifest | None]] = []
        self._usage: dict[str, Spending] = {}  # by quota, with all recorded writes

    def record_write(self, about: Manifest, old: Manifest | None, new: Manifest | None) -> None:
        """Count a written object against the quotas."""
        self._writes.append((about, old, new))
        for spent in self._usage.values():
            _add_write(spent, about, old, new)

    def with_limit_range_defaults(self, obj: Manifest) -> Manifest:
        """Return the Pod with the default requests and limits of the limit ranges."""
        ranges = self._limit_ranges(obj) if kind(obj) == "Pod" else ()
        if not ranges:
            return obj
        return limit_ranger.with_limits(dict(obj), ranges)

    def refusal(self, obj: Manifest) -> str:
        """Return the API server's message if it would not create the object, or ""."""
        if not namespace(obj):
            return ""
        why = self._namespace_terminating(obj)
        if not why and kind(obj) == "Pod" and (problem := self._invalid_fields(obj)):
            return f'Pod "{name(obj)}" is invalid: {problem}'
        why = why or self._not_admitted(obj)
        return f'{_qualified_resource(obj)} "{name(obj)}" is forbidden: {why}' if why else ""

    def _invalid_fields(self, pod: Manifest) -> str:
        """Return the validation error of values that a controller or a limit range writes into a Pod, or ""."""
        for value in labels(pod).values():
            if wrong := label_value(str(value)):
                return f"metadata.labels: Invalid value: {json.dumps(value)}: {wrong}"
        return limit_ranger.conflicts(pod) if self._limit_ranges(pod) else ""

    def _namespace_terminating(self, obj: Manifest) -> str:
        owner = self.view.get("Namespace", namespace(obj))
        if owner is None or not is_deleted(owner):
            return ""
        return namespace_lifecycle.reason(namespace(obj))

    def _not_admitted(self, obj: Manifest) -> str:
        return (
            limit_ranger.problem(kind(obj), obj, self._limit_ranges(obj))
            or self._pod_security_violation(obj)
            or resource_quota.problem(kind(obj), obj, None, self._quotas(obj))
        )

    def _pod_security_violation(self, obj: Manifest) -> str:
        obj_namespace = self.view.get("Namespace", namespace(obj)) if kind(obj) == "Pod" else None
        return "" if obj_namespace is None else pod_security.of_controller(labels(obj_namespace), obj)

    def _limit_ranges(self, obj: Manifest) -> Sequence[Manifest]:
        if not self.view.has("LimitRange"):
            return ()
        return sorted(self.view.of_kind("LimitRange", namespace(obj)), key=name)

    def _quotas(self, obj: Manifest) -> Sequence[Manifest]:
        """Return the namespace's quotas with their current usage."""
        if not self.view.has("ResourceQuota"):
            return ()
        return [
            {**quota, "status": self._usage_of(quota).status}
            for quota in self.view.of_kind("ResourceQuota", namespace(obj))
        ]

    def _usage_of(self, quota: Manifest) -> Spending:
        usage = self._usage.get(key(quota))
        if usage is None:
            usage = self._usage[key(quota)] = self.view.spending(quota).copy()
            for write in self._writes:
                _add_write(usage, *write)
        return usage


def _add_write(spent: Spending, about: Manifest, old: Manifest | None, new: Manifest | None) -> None:
    if namespace(about) == namespace(spent.quota):
        spent.change(kind(about), old, new)


def _qualified_resource(obj: Manifest) -> str:
    """Return the resource with its group, as error messages print it."""
    group = str(obj.get("apiVersion", "")).rpartition("/")[0]
    return f"{plural(kind(obj))}.{group}" if group else plural(kind(obj))


def is_mirror(pod: Manifest) -> bool:
    return "kubernetes.io/config.mirror" in annotations(pod)
