"""Defaults of workload controllers' objects.

Source: pkg/apis/apps/v1/defaults.go, batch/v1/defaults.go, autoscaling/v2/defaults.go.
"""

from kube_apiserver.admission.daemon_sets import TEMPLATE_GENERATION
from kube_apiserver.defaults.fields import Object, fill, objects, part
from kube_apiserver.defaults.pods import template


def deployment(value: Object) -> None:
    spec = _templated(value)
    fill(
        spec,
        {
            "replicas": 1,
            "strategy!.type": "RollingUpdate",
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
    )
    if part(spec, "strategy").get("type") == "RollingUpdate":
        fill(spec, {"strategy.rollingUpdate!.maxUnavailable": "25%", "strategy.rollingUpdate.maxSurge": "25%"})


def replica_set(value: Object) -> None:
    fill(_templated(value), {"replicas": 1})


def replication_controller(value: Object) -> None:
    spec = _templated(value)
    labels_of_template(value)
    labels = part(part(part(spec, "template"), "metadata"), "labels")
    fill(spec, {"replicas": 1})
    if labels and not spec.get("selector"):
        spec["selector"] = labels


def daemon_set(value: Object) -> None:
    spec = _templated(value)
    fill(spec, {"updateStrategy!.type": "RollingUpdate", "revisionHistoryLimit": 10})
    if part(spec, "updateStrategy").get("type") == "RollingUpdate":
        fill(spec, {"updateStrategy.rollingUpdate!.maxUnavailable": 1, "updateStrategy.rollingUpdate.maxSurge": 0})
    # The internal type holds the template generation as an int64, so an object without one gets 0.
    annotations = value["metadata"].get("annotations") or {}
    value["metadata"]["annotations"] = {TEMPLATE_GENERATION: "0", **annotations}


def stateful_set(value: Object) -> None:
    spec = _templated(value)
    fill(
        spec,
        {
            "replicas": 1,
            "podManagementPolicy": "OrderedReady",
            "updateStrategy!.type": "RollingUpdate",
            "revisionHistoryLimit": 10,
            "persistentVolumeClaimRetentionPolicy!.whenDeleted": "Retain",
            "persistentVolumeClaimRetentionPolicy.whenScaled": "Retain",
        },
    )
    if part(spec, "updateStrategy").get("type") == "RollingUpdate":
        fill(spec, {"updateStrategy.rollingUpdate!.partition": 0})
    for claim in objects(spec.get("volumeClaimTemplates")):
        # Go encodes the embedded claims with their kind.
        claim.update({"apiVersion": "v1", "kind": "PersistentVolumeClaim"})
        fill(claim, {"spec!.volumeMode": "Filesystem"})
        fill(claim, {"status!.phase": "Pending"})


def job(value: Object) -> None:
    job_spec(value.setdefault("spec", {}))
    labels_of_template(value)


def job_spec(spec: object) -> None:
    if not isinstance(spec, dict):
        return
    template(spec.get("template"))
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = spec["parallelism"] = 1
    fill(
        spec,
        {
            "parallelism": 1,
            "backoffLimit": 2147483647 if spec.get("backoffLimitPerIndex") is not None else 6,
            "completionMode": "NonIndexed",
            "suspend": False,
            "manualSelector": False,
            "podReplacementPolicy": "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed",
            "podFailurePolicy.rules[].onPodConditions[].status": "True",
        },
    )


def cron_job(value: Object) -> None:
    spec = value.setdefault("spec", {})
    fill(
        spec,
        {
            "concurrencyPolicy": "Allow",
            "suspend": False,
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 1,
        },
    )
    fill(part(spec, "jobTemplate"), {"metadata": {}})
    job_template = part(part(spec, "jobTemplate"), "spec").get("template")
    template(job_template)


def pod_template(value: Object) -> None:
    template(value.get("template"))


def autoscaler(value: Object) -> None:
    spec = value.setdefault("spec", {})
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
    fill(spec, {"minReplicas": 1})
    if not part(spec, "metrics", list):
        fill(spec, {"metrics": [cpu]})
    for direction in ("scaleUp", "scaleDown"):
        if direction in part(spec, "behavior"):
            _scaling(part(part(spec, "behavior"), direction), direction)
        elif "behavior" in spec:
            spec["behavior"][direction] = {}
            _scaling(spec["behavior"][direction], direction)


def _scaling(rules: Object, way: str) -> None:
    percent = {"type": "Percent", "value": 100, "periodSeconds": 15}
    up = [{"type": "Pods", "value": 4, "periodSeconds": 15}, percent]
    fill(rules, {"selectPolicy": "Max"})
    # An explicitly empty list stays empty.
    if rules.get("policies") is None:
        rules["policies"] = up if way == "scaleUp" else [percent]
    if way == "scaleUp":
        fill(rules, {"stabilizationWindowSeconds": 0})


def _templated(value: Object) -> Object:
    spec: Object = value.setdefault("spec", {})
    template(spec.get("template") if isinstance(spec, dict) else None)
    return spec if isinstance(spec, dict) else {}


def labels_of_template(value: Object) -> None:
    """Copy the template's labels to a workload without labels.

    Source: SetDefaults_ReplicationController, SetDefaults_Job.
    """
    labels = part(part(part(part(value, "spec"), "template"), "metadata"), "labels")
    if labels and not value["metadata"].get("labels"):
        value["metadata"]["labels"] = dict(labels)
