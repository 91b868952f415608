"""What an API server adds to an object that is created, and what it refuses: quotas, namespaces that go, defaults."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.actors.manifests import Manifest, annotations, is_deleted, kind, meta, name, namespace, spec
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import is_finished

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
# Kinds that actors look at, and that live in a namespace whether their manifest says so or not.
NAMESPACED = WITH_GENERATION | {
    "Arrivals",
    "ControllerRevision",
    "HorizontalPodAutoscaler",
    "PersistentVolumeClaim",
    "ResourceQuota",
}
_NOT_READY = "node.kubernetes.io/not-ready"
_UNREACHABLE = "node.kubernetes.io/unreachable"
PATIENCE = 300
JOB_UID_LABELS = ("batch.kubernetes.io/controller-uid", "controller-uid")
JOB_NAME_LABELS = ("batch.kubernetes.io/job-name", "job-name")


def plural(of: str) -> str:
    """As messages name a resource."""
    lower = of.lower()
    return lower + ("es" if lower.endswith("s") else "s")


def defaulted(obj: Manifest) -> dict[str, Any]:
    """With what actors read and a real server would have filled in."""
    made = dict(obj)
    if kind(obj) == "Pod":
        made["spec"] = with_default_tolerations(spec(obj))
        made.setdefault("status", {"phase": "Pending"})
    elif kind(obj) == "Job":
        made = _job(made)
    return made


def with_default_tolerations(of: Mapping[str, Any]) -> dict[str, Any]:
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


def refusal(obj: Manifest, view: View, added: int) -> str:
    """Why an API server would not create it; `added` pods were created by the same actor just now."""
    inside = view.get("Namespace", namespace(obj)) if namespace(obj) else None
    if inside is not None and is_deleted(inside):
        return (
            f'{plural(kind(obj))} "{name(obj)}" is forbidden: unable to create new content in namespace '
            f"{namespace(obj)} because it is being terminated"
        )
    if kind(obj) != "Pod":
        return ""
    quotas = sorted(view.of_kind("ResourceQuota", namespace(obj)), key=name)
    return next((exceeded for quota in quotas if (exceeded := _exceeded(obj, quota, view, added))), "")


def _exceeded(pod: Manifest, quota: Manifest, view: View, added: int) -> str:
    """Source: plugin/pkg/admission/resourcequota CheckRequest, for the number of pods."""
    hard = spec(quota).get("hard") or {}
    for resource in ("count/pods", "pods"):
        if resource in hard and not (spec(quota).get("scopes") or spec(quota).get("scopeSelector")):
            used = added + sum(not is_finished(one) for one in view.of_kind("Pod", namespace(pod)))
            if used + 1 > int(hard[resource]):
                return (
                    f'pods "{name(pod)}" is forbidden: exceeded quota: {name(quota)}, requested: {resource}=1, '
                    f"used: {resource}={used}, limited: {resource}={hard[resource]}"
                )
    return ""


def is_mirror(pod: Manifest) -> bool:
    return "kubernetes.io/config.mirror" in annotations(pod)
