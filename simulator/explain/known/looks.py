"""What to look at, with the kubectl command that shows it. POD and NAMESPACE stand for the pod's."""

from kube_objects.sentences import Template
from simulator.explain.known.entry import Look

_POD = "kubectl get pod POD -o jsonpath="

PODS_REQUESTS = Look(Template("what the pod requests"), _POD + "'{.spec.containers[*].resources}'")
NODES_ROOM = Look(Template("what each node has left"), "kubectl describe nodes | grep -A 8 'Allocated resources'")
TAINTS = Look(
    Template("the nodes' taints"), "kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints"
)
TOLERATIONS = Look(Template("the pod's tolerations"), _POD + "'{.spec.tolerations}'")
LABELS = Look(Template("the nodes' labels"), "kubectl get nodes --show-labels")
NODE_AFFINITY = Look(
    Template("the pod's nodeSelector and node affinity"),
    _POD + "'{.spec.nodeSelector}{.spec.affinity.nodeAffinity}'",
)
NODE_NAME = Look(Template("the node that the pod names"), _POD + "'{.spec.nodeName}'")
HOST_PORTS = Look(Template("the pod's host ports"), _POD + "'{.spec.containers[*].ports}'")
POD_AFFINITY = Look(Template("the pod's affinity to other pods"), _POD + "'{.spec.affinity}'")
OTHER_PODS = Look(Template("where the pods in question run"), "kubectl get pods -A -o wide --show-labels")
SPREAD = Look(Template("the pod's spread constraints"), _POD + "'{.spec.topologySpreadConstraints}'")
CORDONED = Look(Template("which nodes there are, and which are cordoned"), "kubectl get nodes")
DECLARED_FEATURES = Look(
    Template("the features that the nodes declare"),
    "kubectl get nodes -o custom-columns=NAME:.metadata.name,FEATURES:.status.declaredFeatures",
)
CONDITIONS = Look(Template("the nodes' conditions"), "kubectl describe nodes | grep -A 8 Conditions")
CLAIMS = Look(Template("the pod's claims, and whether they are bound"), "kubectl get pvc -n NAMESPACE")
CLASSES = Look(Template("the storage classes and when they bind"), "kubectl get storageclass")
VOLUMES = Look(Template("the volumes and where they can be used"), "kubectl describe pv")
CAPACITY = Look(Template("the free storage that drivers report"), "kubectl get csistoragecapacities -A")
ATTACHABLE = Look(Template("how many volumes each node can attach"), "kubectl get csinode -o yaml")
RESOURCE_CLAIMS = Look(
    Template("the resource claims and device classes"), "kubectl get resourceclaims,deviceclasses -A"
)
DEVICES = Look(Template("the devices that drivers offer"), "kubectl get resourceslices -o yaml")
DEVICE_CONDITIONS = Look(
    Template("what the driver says of the claim's devices"),
    "kubectl get resourceclaims -n NAMESPACE -o jsonpath='{.items[*].status.devices}'",
)
POD_GROUPS = Look(
    Template("the pod group, what it asks for, and which pods it has"),
    "kubectl get podgroups,pods -n NAMESPACE",
)
PRIORITIES = Look(Template("the priorities of the pods that run"), "kubectl get pods -A --sort-by=.spec.priority")
PRIORITY_CLASS = Look(Template("the pod's priority class"), "kubectl get priorityclass")
NOMINATED = Look(Template("the node that the pod is nominated to"), "kubectl get pod POD -o wide")
GATES = Look(Template("the pod's gates"), _POD + "'{.spec.schedulingGates}'")
EVENTS = Look(Template("what the controllers say"), "kubectl get events -n NAMESPACE")
CONFIGURATION = Look(Template("the scheduler's configuration: plugins, their args, extenders"))
SCHEDULER_LOG = Look(Template("the scheduler's log"), "kubectl logs -n kube-system -l component=kube-scheduler")
