"""Inspections for known reasons, with kubectl commands. POD and NAMESPACE stand for the pod's name and namespace."""

from kube_objects.sentences import Template
from simulator.explain.known.entry import Inspection

_POD = "kubectl get pod POD -o jsonpath="

PODS_REQUESTS = Inspection(Template("what the pod requests"), _POD + "'{.spec.containers[*].resources}'")
NODES_ROOM = Inspection(Template("what each node has left"), "kubectl describe nodes | grep -A 8 'Allocated resources'")
TAINTS = Inspection(
    Template("the nodes' taints"), "kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints"
)
TOLERATIONS = Inspection(Template("the pod's tolerations"), _POD + "'{.spec.tolerations}'")
LABELS = Inspection(Template("the nodes' labels"), "kubectl get nodes --show-labels")
NODE_AFFINITY = Inspection(
    Template("the pod's nodeSelector and node affinity"),
    _POD + "'{.spec.nodeSelector}{.spec.affinity.nodeAffinity}'",
)
NODE_NAME = Inspection(Template("the node that the pod names"), _POD + "'{.spec.nodeName}'")
HOST_PORTS = Inspection(Template("the pod's host ports"), _POD + "'{.spec.containers[*].ports}'")
POD_AFFINITY = Inspection(Template("the pod's affinity to other pods"), _POD + "'{.spec.affinity}'")
OTHER_PODS = Inspection(Template("where the pods in question run"), "kubectl get pods -A -o wide --show-labels")
SPREAD = Inspection(Template("the pod's spread constraints"), _POD + "'{.spec.topologySpreadConstraints}'")
CORDONED = Inspection(Template("which nodes there are, and which are cordoned"), "kubectl get nodes")
DECLARED_FEATURES = Inspection(
    Template("the features that the nodes declare"),
    "kubectl get nodes -o custom-columns=NAME:.metadata.name,FEATURES:.status.declaredFeatures",
)
CONDITIONS = Inspection(Template("the nodes' conditions"), "kubectl describe nodes | grep -A 8 Conditions")
CLAIMS = Inspection(Template("the pod's claims, and whether they are bound"), "kubectl get pvc -n NAMESPACE")
CLASSES = Inspection(Template("the storage classes and when they bind"), "kubectl get storageclass")
VOLUMES = Inspection(Template("the volumes and where they can be used"), "kubectl describe pv")
CAPACITY = Inspection(Template("the free storage that drivers report"), "kubectl get csistoragecapacities -A")
ATTACHABLE = Inspection(Template("how many volumes each node can attach"), "kubectl get csinode -o yaml")
RESOURCE_CLAIMS = Inspection(
    Template("the resource claims and device classes"), "kubectl get resourceclaims,deviceclasses -A"
)
DEVICES = Inspection(Template("the devices that drivers offer"), "kubectl get resourceslices -o yaml")
DEVICE_CONDITIONS = Inspection(
    Template("what the driver says of the claim's devices"),
    "kubectl get resourceclaims -n NAMESPACE -o jsonpath='{.items[*].status.devices}'",
)
POD_GROUPS = Inspection(
    Template("the pod group, what it asks for, and which pods it has"),
    "kubectl get podgroups,pods -n NAMESPACE",
)
PRIORITIES = Inspection(Template("the priorities of the pods that run"), "kubectl get pods -A --sort-by=.spec.priority")
PRIORITY_CLASS = Inspection(Template("the pod's priority class"), "kubectl get priorityclass")
NOMINATED = Inspection(Template("the node that the pod is nominated to"), "kubectl get pod POD -o wide")
GATES = Inspection(Template("the pod's gates"), _POD + "'{.spec.schedulingGates}'")
EVENTS = Inspection(Template("what the controllers say"), "kubectl get events -n NAMESPACE")
CONFIGURATION = Inspection(Template("the scheduler's configuration: plugins, their args, extenders"))
SCHEDULER_LOG = Inspection(Template("the scheduler's log"), "kubectl logs -n kube-system -l component=kube-scheduler")
