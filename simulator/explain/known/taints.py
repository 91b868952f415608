"""Meanings of well-known taints. Source: kubernetes.io/docs/reference/labels-annotations-taints."""

from collections.abc import Mapping

from kube_objects.sentences import Template

WELL_KNOWN_TAINTS: Mapping[str, Template] = {
    "node.kubernetes.io/not-ready": Template("the node is not ready: its kubelet reports a problem, or has no network"),
    "node.kubernetes.io/unreachable": Template("the control plane has not heard from the node's kubelet"),
    "node.kubernetes.io/memory-pressure": Template("the node is short of memory"),
    "node.kubernetes.io/disk-pressure": Template("the node is short of disk space"),
    "node.kubernetes.io/pid-pressure": Template("the node is short of process ids"),
    "node.kubernetes.io/network-unavailable": Template("the node's network is not set up yet"),
    "node.kubernetes.io/unschedulable": Template("the node is cordoned"),
    "node.kubernetes.io/out-of-service": Template("an operator has said that the node is out of service"),
    "node.cloudprovider.kubernetes.io/uninitialized": Template("the cloud provider has not set the node up yet"),
    "node.cloudprovider.kubernetes.io/shutdown": Template("the node is shut down at its cloud provider"),
    "node-role.kubernetes.io/control-plane": Template("the node is for the control plane"),
    "node-role.kubernetes.io/master": Template("the node is for the control plane (the name until v1.24)"),
    "ToBeDeletedByClusterAutoscaler": Template("the cluster autoscaler is about to remove the node"),
    "DeletionCandidateOfClusterAutoscaler": Template("the cluster autoscaler may remove the node"),
}
