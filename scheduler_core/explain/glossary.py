"""What is this: every extension point, plugin, status code and queue lane in a sentence or two, with a link.

Links lead into Kubernetes' own documentation.
"""

from collections.abc import Mapping
from typing import Any

from scheduler_core.explain.events import EVENTS
from scheduler_core.sentences import Template

DOCS = "https://kubernetes.io/docs"
_FRAMEWORK = "/concepts/scheduling-eviction/scheduling-framework/"
_ASSIGN = "/concepts/scheduling-eviction/assign-pod-node/"
_TAINTS = "/concepts/scheduling-eviction/taint-and-toleration/"
_SPREAD = "/concepts/scheduling-eviction/topology-spread-constraints/"
_BIN_PACKING = "/concepts/scheduling-eviction/resource-bin-packing/"
_PREEMPTION = "/concepts/scheduling-eviction/pod-priority-preemption/"
_CONFIG = "/reference/scheduling/config/"
_TUNING = "/concepts/scheduling-eviction/scheduler-perf-tuning/"

Entries = Mapping[str, tuple[str, str]]
"""Name → (text, path under DOCS)."""

POINTS: Entries = {
    "PreEnqueue": (
        "Asked before a pod may enter the active queue. A plugin that says no gates the pod: it is not tried until "
        "something changes its mind.",
        _FRAMEWORK + "#pre-enqueue",
    ),
    "QueueSort": (
        "Decides which pod of the active queue is tried next. All profiles share the queue, and so this plugin.",
        _FRAMEWORK + "#queue-sort",
    ),
    "PreFilter": (
        "Looks at the pod and the whole cluster once, before any node. A plugin may reject the pod, narrow the nodes "
        "to some by name, or skip its Filter.",
        _FRAMEWORK + "#pre-filter",
    ),
    "Filter": (
        "Asks of each node whether the pod can run there. A node drops out at the first plugin that says no; the "
        "others are not asked about it.",
        _FRAMEWORK + "#filter",
    ),
    "PostFilter": (
        "Runs only when no node is left, to make the pod schedulable all the same; preemption is one of these plugins.",
        _FRAMEWORK + "#post-filter",
    ),
    "PreScore": (
        "Prepares scoring with all nodes that are left. A plugin with nothing to say about the pod skips its Score.",
        _FRAMEWORK + "#pre-score",
    ),
    "Score": (
        "Gives each node that is left a number, in whatever range suits the plugin. Skipped when only one is left.",
        _FRAMEWORK + "#scoring",
    ),
    "NormalizeScore": (
        "Brings a plugin's raw scores to 0 … 100, so that the weights of the profile compare like with like.",
        _FRAMEWORK + "#normalize-scoring",
    ),
    "Reserve": (
        "Plugins with a memory of their own note that the pod will use something of the chosen node.",
        _FRAMEWORK + "#reserve",
    ),
    "Unreserve": (
        "Takes back what Reserve noted, in reverse order, when the pod does not get its node after all.",
        _FRAMEWORK + "#reserve",
    ),
    "Permit": (
        "The last word of the scheduling cycle: a plugin may let the pod pass, reject it, or make it wait with a "
        "time-out.",
        _FRAMEWORK + "#permit",
    ),
    "PreBind": (
        "What must be done before the pod is bound, such as binding its volumes.",
        _FRAMEWORK + "#pre-bind",
    ),
    "Bind": (
        "Tells the API server on which node the pod runs. The first plugin that does not skip does it.",
        _FRAMEWORK + "#bind",
    ),
    "PostBind": ("Told when the pod is bound, to clean up.", _FRAMEWORK + "#post-bind"),
}

STEPS: Entries = {
    "Sample": (
        "The search for nodes begins where the last one ended, and stops when enough nodes have been found "
        "(percentageOfNodesToScore).",
        _TUNING,
    ),
    "SelectHost": (
        "The node with the highest total is taken; among equals one is drawn.",
        "/concepts/scheduling-eviction/kube-scheduler/#kube-scheduler-implementation",
    ),
    "Assume": (
        "From here on the scheduler counts the pod on its node, without waiting for the API server.",
        _FRAMEWORK + "#scheduling-cycle-binding-cycle",
    ),
    "WaitOnPermit": ("The pod waits until the plugins that held it at Permit let it go.", _FRAMEWORK + "#permit"),
}

# Plugins of v1.20 that are gone, or go by another name.
LEGACY_PLUGINS: Entries = {
    "AzureDiskLimits": ("A node can attach only so many Azure disks.", "/concepts/storage/storage-limits/"),
    "CinderLimits": ("A node can attach only so many Cinder volumes.", "/concepts/storage/storage-limits/"),
    "EBSLimits": ("A node can attach only so many AWS EBS volumes.", "/concepts/storage/storage-limits/"),
    "FIFOSort": (
        "First come, first served: the queue of the days before pods had priorities. Not one of kube-scheduler's own.",
        _PREEMPTION,
    ),
    "GCEPDLimits": ("A node can attach only so many GCE persistent disks.", "/concepts/storage/storage-limits/"),
    "NodeLabel": (
        "Wants, or forbids, labels on all nodes, whatever their values; by the arguments of a Policy.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodePreferAvoidPods": (
        "Favours nodes that do not ask, by an annotation, to be spared the pods of a controller.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodeResourcesLeastAllocated": (
        "Favours nodes with much left; today the strategy LeastAllocated of NodeResourcesFit.",
        _BIN_PACKING,
    ),
    "NodeResourcesMostAllocated": (
        "Favours nodes that are full already; today the strategy MostAllocated of NodeResourcesFit.",
        _BIN_PACKING,
    ),
    "RequestedToCapacityRatio": (
        "Scores nodes by a function of their used share; today a strategy of NodeResourcesFit.",
        _BIN_PACKING,
    ),
    "SelectorSpread": (
        "Spreads the pods of a service or controller over nodes and zones; today PodTopologySpread's defaults do.",
        _SPREAD,
    ),
    "ServiceAffinity": (
        "Keeps the pods of a service on nodes with equal labels; by the arguments of a Policy.",
        _CONFIG + "#scheduling-plugins",
    ),
}

PLUGINS: Entries = {
    "DefaultBinder": (
        "Writes the node into the pod, by the API server's binding call.",
        _CONFIG + "#scheduling-plugins",
    ),
    "DefaultPreemption": (
        "When no node fits, looks for the node where evicting pods of lower priority costs least, evicts them, and "
        "nominates the pod to it.",
        _PREEMPTION + "#preemption",
    ),
    "DynamicResources": (
        "Finds devices for the pod's resource claims on each node, and writes into the claims which they were given.",
        "/concepts/scheduling-eviction/dynamic-resource-allocation/",
    ),
    "ImageLocality": (
        "Favours nodes that have the pod's images already, the larger the better.",
        _CONFIG + "#scheduling-plugins",
    ),
    "InterPodAffinity": (
        "Places pods near pods that they want, away from those that they avoid, by the domains of a node label.",
        _ASSIGN + "#inter-pod-affinity-and-anti-affinity",
    ),
    "NodeAffinity": (
        "Matches the pod's nodeSelector and node affinity with the nodes' labels; preferred terms add to the score.",
        _ASSIGN + "#node-affinity",
    ),
    "NodeName": ("A pod that names its node (spec.nodeName) fits on no other.", _ASSIGN + "#nodename"),
    "GangScheduling": (
        "Binds the pods of a gang only when as many of them as it asks for (minCount) have found room; since v1.36.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodeDeclaredFeatures": (
        "Keeps pods that need a feature of the kubelet off nodes that do not declare it; since v1.36.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodePorts": (
        "The host ports that the pod asks for must be free on the node.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodeResourcesBalancedAllocation": (
        "Favours nodes whose cpu and memory would be used to about the same share.",
        _CONFIG + "#scheduling-plugins",
    ),
    "NodeResourcesFit": (
        "The node must have left what the pod requests. How full it would be is its score, by the strategy: "
        "LeastAllocated, MostAllocated or RequestedToCapacityRatio.",
        _BIN_PACKING,
    ),
    "NodeUnschedulable": (
        "Keeps pods off cordoned nodes (spec.unschedulable), unless they tolerate that.",
        _TAINTS + "#taint-nodes-by-condition",
    ),
    "NodeVolumeLimits": (
        "A node can attach only so many volumes of each CSI driver.",
        "/concepts/storage/storage-limits/",
    ),
    "PodTopologySpread": (
        "Spreads pods of a kind evenly over zones, nodes, or whatever a node label divides the cluster into.",
        _SPREAD,
    ),
    "PrioritySort": (
        "Orders the queue: higher priority first, then whoever waits longest.",
        _PREEMPTION + "#effect-of-pod-priority-on-scheduling-order",
    ),
    "SchedulingGates": (
        "A pod with scheduling gates is not tried before all of them are removed.",
        "/concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    "TaintToleration": (
        "Keeps pods off nodes with taints that they do not tolerate; soft taints (PreferNoSchedule) only cost score.",
        _TAINTS,
    ),
    "VolumeBinding": (
        "The node must reach the pod's bound volumes, and claims that wait for their first pod must find or be made a "
        "volume there.",
        "/concepts/storage/storage-classes/#volume-binding-mode",
    ),
    "VolumeRestrictions": (
        "Some disks, and ReadWriteOncePod claims, can be used by one pod only.",
        "/concepts/storage/persistent-volumes/#access-modes",
    ),
    "VolumeZone": (
        "A volume with zone or region labels can only be used on nodes with the same ones.",
        "/reference/labels-annotations-taints/#topologykubernetesiozone",
    ),
}

CODES: Entries = {
    "Success": ("The plugin has no objection.", _FRAMEWORK + "#interfaces"),
    "Error": (
        "Something went wrong inside: the attempt ends, preemption is not tried, and the pod is tried again after a "
        "backoff.",
        _FRAMEWORK + "#interfaces",
    ),
    "Unschedulable": (
        "The plugin rejects the pod (on this node). Evicting pods may help, so preemption may try.",
        _PREEMPTION + "#preemption",
    ),
    "UnschedulableAndUnresolvable": (
        "The plugin rejects the pod (on this node), and evicting pods cannot help: preemption leaves the node alone.",
        _PREEMPTION + "#preemption",
    ),
    "Wait": ("Only at Permit: the pod waits until the plugin decides, or its time is over.", _FRAMEWORK + "#permit"),
    "Skip": (
        "The plugin has nothing to do for this pod: at PreFilter its Filter is left out, at PreScore its Score, at "
        "Bind the next plugin is asked.",
        _FRAMEWORK + "#interfaces",
    ),
    "Pending": (
        "The plugin waits for something outside the scheduler; when that happens the pod is tried without backoff.",
        _FRAMEWORK + "#queueinghint",
    ),
}

LANES: Entries = {
    "new": ("The pod has just come.", _FRAMEWORK),
    "active": ("Ready to be tried, in the order of QueueSort.", _FRAMEWORK + "#queue-sort"),
    "backoff": (
        "Was rejected, may fit now, and waits for its backoff to end: 1 s after the first attempt, doubling up to "
        "10 s, unless configured otherwise. When nothing else is ready it is popped early.",
        _FRAMEWORK + "#queueinghint",
    ),
    "errorBackoff": (
        "Failed with an internal error and waits for its backoff to end; never popped early.",
        _FRAMEWORK + "#queueinghint",
    ),
    "unschedulable": (
        "Was rejected, and nothing that may help has happened since. Events wake it if a plugin's hint says so, and "
        "after five minutes it is tried anyway.",
        _FRAMEWORK + "#queueinghint",
    ),
    "gated": (
        "A PreEnqueue plugin keeps the pod out, usually because of scheduling gates.",
        "/concepts/scheduling-eviction/pod-scheduling-readiness/",
    ),
    "inFlight": ("Being tried just now.", _FRAMEWORK + "#scheduling-cycle-binding-cycle"),
    "waiting": ("Has a node, and waits at Permit before it is bound.", _FRAMEWORK + "#permit"),
    "bound": ("Has its node.", _FRAMEWORK + "#bind"),
    "ignored": (
        "No profile has the pod's schedulerName: another scheduler may take it.",
        _CONFIG + "#multiple-profiles",
    ),
    "gone": ("Was deleted, or has ended.", "/concepts/workloads/pods/pod-lifecycle/"),
}

HINTS: Entries = {
    "Queue": (
        "The event may make the pod schedulable: it goes to the active or the backoff queue.",
        _FRAMEWORK + "#queueinghint",
    ),
    "QueueSkip": ("The event cannot help the pod: it stays where it is.", _FRAMEWORK + "#queueinghint"),
}

KINDS: Mapping[str, Entries] = {
    "point": POINTS,
    "step": STEPS,
    "plugin": {**PLUGINS, **LEGACY_PLUGINS},
    "code": CODES,
    "lane": LANES,
    "hint": HINTS,
    "event": EVENTS,
}


def look_up(kind: str, name: str) -> dict[str, Any] | None:
    """`{"kind", "name", "text": Sentence, "url"}`; None for what is not known, such as out-of-tree plugins."""
    found = KINDS.get(kind, {}).get(name)
    if found is None:
        return None
    text, path = found
    return {"kind": kind, "name": name, "text": Template(text)(), "url": DOCS + path}


def glossary() -> list[dict[str, Any]]:
    """All entries, kind by kind, as `look_up` gives them."""
    return [entry for kind, names in KINDS.items() for name in names if (entry := look_up(kind, name))]
