"""Defaults of workload controllers' objects.

Source: pkg/apis/apps/v1/defaults.go, batch/v1/defaults.go, autoscaling/v2/defaults.go.
"""

from kube_apiserver.admission.daemon_sets import TEMPLATE_GENERATION
from kube_apiserver.defaults.fields import Object, fill, get_part, list_objects
from kube_apiserver.defaults.pods import set_pod_template_spec_defaults


def set_deployment_defaults(value: Object) -> None:
    spec = _set_template_defaults(value)
    fill(
        spec,
        {
            "replicas": 1,
            "strategy!.type": "RollingUpdate",
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
        },
    )
    if get_part(spec, "strategy").get("type") == "RollingUpdate":
        fill(spec, {"strategy.rollingUpdate!.maxUnavailable": "25%", "strategy.rollingUpdate.maxSurge": "25%"})


def set_replica_set_defaults(value: Object) -> None:
    fill(_set_template_defaults(value), {"replicas": 1})


def set_replication_controller_defaults(value: Object) -> None:
    spec = _set_template_defaults(value)
    copy_template_labels(value)
    labels = get_part(get_part(get_part(spec, "template"), "metadata"), "labels")
    fill(spec, {"replicas": 1})
    if labels and not spec.get("selector"):
        spec["selector"] = labels


def set_daemon_set_defaults(value: Object) -> None:
    spec = _set_template_defaults(value)
    fill(spec, {"updateStrategy!.type": "RollingUpdate", "revisionHistoryLimit": 10})
    if get_part(spec, "updateStrategy").get("type") == "RollingUpdate":
        fill(spec, {"updateStrategy.rollingUpdate!.maxUnavailable": 1, "updateStrategy.rollingUpdate.maxSurge": 0})
    # The internal type holds the template generation as an int64, so an object without one gets 0.
    annotations = value["metadata"].get("annotations") or {}
    value["metadata"]["annotations"] = {TEMPLATE_GENERATION: "0", **annotations}


def set_stateful_set_defaults(value: Object) -> None:
    spec = _set_template_defaults(value)
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
    if get_part(spec, "updateStrategy").get("type") == "RollingUpdate":
        fill(spec, {"updateStrategy.rollingUpdate!.partition": 0})
    for claim in list_objects(spec.get("volumeClaimTemplates")):
        # Go encodes the embedded claims with their kind.
        claim.update({"apiVersion": "v1", "kind": "PersistentVolumeClaim"})
        fill(claim, {"spec!.volumeMode": "Filesystem"})
        fill(claim, {"status!.phase": "Pending"})


def set_job_defaults(value: Object) -> None:
    set_job_spec_defaults(value.setdefault("spec", {}))
    copy_template_labels(value)


def set_job_spec_defaults(spec: object) -> None:
    if not isinstance(spec, dict):
        return
    set_pod_template_spec_defaults(spec.get("template"))
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


def set_cron_job_defaults(value: Object) -> None:
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
    fill(get_part(spec, "jobTemplate"), {"metadata": {}})
    job_template = get_part(get_part(spec, "jobTemplate"), "spec").get("template")
    set_pod_template_spec_defaults(job_template)


def set_pod_template_defaults(value: Object) -> None:
    set_pod_template_spec_defaults(value.get("template"))


def set_autoscaler_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
    fill(spec, {"minReplicas": 1})
    if not get_part(spec, "metrics", list):
        fill(spec, {"metrics": [cpu]})
    for direction in ("scaleUp", "scaleDown"):
        if direction in get_part(spec, "behavior"):
            _set_scaling_rules_defaults(get_part(get_part(spec, "behavior"), direction), direction)
        elif "behavior" in spec:
            spec["behavior"][direction] = {}
            _set_scaling_rules_defaults(spec["behavior"][direction], direction)


def _set_scaling_rules_defaults(rules: Object, way: str) -> None:
    percent = {"type": "Percent", "value": 100, "periodSeconds": 15}
    up = [{"type": "Pods", "value": 4, "periodSeconds": 15}, percent]
    fill(rules, {"selectPolicy": "Max"})
    # An explicitly empty list stays empty.
    if rules.get("policies") is None:
        rules["policies"] = up if way == "scaleUp" else [percent]
    if way == "scaleUp":
        fill(rules, {"stabilizationWindowSeconds": 0})


def _set_template_defaults(value: Object) -> Object:
    spec: Object = value.setdefault("spec", {})
    set_pod_template_spec_defaults(spec.get("template") if isinstance(spec, dict) else None)
    return spec if isinstance(spec, dict) else {}


def copy_template_labels(value: Object) -> None:
    """Copy the template's labels to a workload without labels.

    Source: SetDefaults_ReplicationController, SetDefaults_Job.
    """
    labels = get_part(get_part(get_part(get_part(value, "spec"), "template"), "metadata"), "labels")
    if labels and not value["metadata"].get("labels"):
        value["metadata"]["labels"] = dict(labels)
