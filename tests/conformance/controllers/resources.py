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
    ("endpoints", "ep"): Resource("Endpoints", "endpoints"),
    ("endpointslice", "endpointslices"): Resource("EndpointSlice", "endpointslice.discovery.k8s.io"),
    ("ingress", "ingresses", "ing"): Resource("Ingress", "ingress.networking.k8s.io"),
    ("networkpolicy", "networkpolicies", "netpol"): Resource("NetworkPolicy", "networkpolicy.networking.k8s.io"),
    ("role", "roles"): Resource("Role", "role.rbac.authorization.k8s.io"),
    ("rolebinding", "rolebindings"): Resource("RoleBinding", "rolebinding.rbac.authorization.k8s.io"),
    ("lease", "leases"): Resource("Lease", "lease.coordination.k8s.io"),
    ("podtemplate", "podtemplates"): Resource("PodTemplate", "podtemplate"),
    ("resourceclaim", "resourceclaims"): Resource("ResourceClaim", "resourceclaim.resource.k8s.io"),
    ("resourceclaimtemplate", "resourceclaimtemplates"): Resource(
        "ResourceClaimTemplate", "resourceclaimtemplate.resource.k8s.io"
    ),
    ("csistoragecapacity", "csistoragecapacities"): Resource("CSIStorageCapacity", "csistoragecapacity.storage.k8s.io"),
    ("namespace", "namespaces", "ns"): Resource("Namespace", "namespace", False),
    ("node", "nodes", "no"): Resource("Node", "node", False),
    ("priorityclass", "priorityclasses", "pc"): Resource("PriorityClass", "priorityclass.scheduling.k8s.io", False),
    ("storageclass", "storageclasses", "sc"): Resource("StorageClass", "storageclass.storage.k8s.io", False),
    ("csidriver", "csidrivers"): Resource("CSIDriver", "csidriver.storage.k8s.io", False),
    ("csinode", "csinodes"): Resource("CSINode", "csinode.storage.k8s.io", False),
    ("volumeattachment", "volumeattachments"): Resource("VolumeAttachment", "volumeattachment.storage.k8s.io", False),
    ("deviceclass", "deviceclasses"): Resource("DeviceClass", "deviceclass.resource.k8s.io", False),
    ("resourceslice", "resourceslices"): Resource("ResourceSlice", "resourceslice.resource.k8s.io", False),
    ("runtimeclass", "runtimeclasses"): Resource("RuntimeClass", "runtimeclass.node.k8s.io", False),
    ("ingressclass", "ingressclasses"): Resource("IngressClass", "ingressclass.networking.k8s.io", False),
    ("clusterrole", "clusterroles"): Resource("ClusterRole", "clusterrole.rbac.authorization.k8s.io", False),
    ("clusterrolebinding", "clusterrolebindings"): Resource(
        "ClusterRoleBinding", "clusterrolebinding.rbac.authorization.k8s.io", False
    ),
}

BY_NAME: Mapping[str, Resource] = {name: found for names, found in _LISTED.items() for name in names}
BY_KIND: Mapping[str, Resource] = {found.kind: found for found in _LISTED.values()}
# What `kubectl get all` means.
OF_ALL = ("po", "rc", "svc", "ds", "deploy", "rs", "sts", "hpa", "cj", "jobs")


def known_as(word: str) -> Resource | None:
    """By any of its names, also with its group, and its version: `deployments.v1.apps`."""
    plain = word.lower()
    return BY_NAME.get(plain) or BY_NAME.get(plain.partition(".")[0])
