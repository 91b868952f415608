"""What kubectl calls the kinds of a recording."""

from collections.abc import Mapping
from typing import NamedTuple


class Resource(NamedTuple):
    kind: str
    full: str  # as `-o name` prints it
    namespaced: bool = True


_LISTED: Mapping[tuple[str, ...], Resource] = {
    ("deployment", "deployments", "deploy", "deployments.apps", "deployment.apps"): Resource(
        "Deployment", "deployment.apps"
    ),
    ("replicaset", "replicasets", "rs", "replicasets.apps", "replicaset.apps"): Resource(
        "ReplicaSet", "replicaset.apps"
    ),
    ("statefulset", "statefulsets", "sts", "statefulsets.apps", "statefulset.apps"): Resource(
        "StatefulSet", "statefulset.apps"
    ),
    ("daemonset", "daemonsets", "ds", "daemonsets.apps", "daemonset.apps"): Resource("DaemonSet", "daemonset.apps"),
    ("controllerrevision", "controllerrevisions"): Resource("ControllerRevision", "controllerrevision.apps"),
    ("job", "jobs", "jobs.batch", "job.batch"): Resource("Job", "job.batch"),
    ("cronjob", "cronjobs", "cj", "cronjobs.batch", "cronjob.batch"): Resource("CronJob", "cronjob.batch"),
    ("pod", "pods", "po"): Resource("Pod", "pod"),
    ("poddisruptionbudget", "poddisruptionbudgets", "pdb"): Resource(
        "PodDisruptionBudget", "poddisruptionbudget.policy"
    ),
    ("persistentvolumeclaim", "persistentvolumeclaims", "pvc"): Resource(
        "PersistentVolumeClaim", "persistentvolumeclaim"
    ),
    ("persistentvolume", "persistentvolumes", "pv"): Resource("PersistentVolume", "persistentvolume", False),
    ("resourcequota", "resourcequotas", "quota"): Resource("ResourceQuota", "resourcequota"),
    ("limitrange", "limitranges", "limits"): Resource("LimitRange", "limitrange"),
    ("service", "services", "svc"): Resource("Service", "service"),
    ("replicationcontroller", "replicationcontrollers", "rc"): Resource(
        "ReplicationController", "replicationcontroller"
    ),
    ("configmap", "configmaps", "cm"): Resource("ConfigMap", "configmap"),
    ("secret", "secrets"): Resource("Secret", "secret"),
    ("serviceaccount", "serviceaccounts", "sa"): Resource("ServiceAccount", "serviceaccount"),
    ("horizontalpodautoscaler", "horizontalpodautoscalers", "hpa"): Resource(
        "HorizontalPodAutoscaler", "horizontalpodautoscaler.autoscaling"
    ),
    ("namespace", "namespaces", "ns"): Resource("Namespace", "namespace", False),
    ("node", "nodes", "no"): Resource("Node", "node", False),
    ("priorityclass", "priorityclasses", "pc"): Resource("PriorityClass", "priorityclass.scheduling.k8s.io", False),
    ("storageclass", "storageclasses", "sc"): Resource("StorageClass", "storageclass.storage.k8s.io", False),
}

BY_NAME: Mapping[str, Resource] = {name: found for names, found in _LISTED.items() for name in names}
BY_KIND: Mapping[str, Resource] = {found.kind: found for found in _LISTED.values()}
# What `kubectl get all` means.
OF_ALL = ("po", "rc", "svc", "ds", "deploy", "rs", "sts", "hpa", "cj", "jobs")
