"""What the fields of a configuration are for, and the values that make sense, for whoever fills them in.

Types, names and defaults are the dataclasses'; only what these cannot say is here. Limits are those that validation
holds to: a test compares them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scheduler_core.config.args import (
    LEAST_ALLOCATED,
    LIST_DEFAULTING,
    MOST_ALLOCATED,
    REQUESTED_TO_CAPACITY_RATIO,
    SYSTEM_DEFAULTING,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatio,
    ResourceSpec,
    ScoringStrategy,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from scheduler_core.config.core import (
    NodeAffinity,
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    TopologySpreadConstraint,
)
from scheduler_core.config.types import (
    ClientConnection,
    Extender,
    ExtenderManagedResource,
    ExtenderTLSConfig,
    LeaderElection,
    SchedulerConfiguration,
)
from scheduler_core.config.v1_36 import DynamicResourcesArgs136


@dataclass(frozen=True, slots=True)
class Help:
    """`least` and `most` bound a number; `choices` are all there is. `inert`: kept for the export, without effect
    in a simulation. `hidden`: not offered in a form, since nothing may be said there."""

    text: str
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    inert: bool = False
    hidden: bool = False


_HIDDEN = Help("", hidden=True)
_MAX_INT32 = (1 << 31) - 1
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_POLICIES = ("Honor", "Ignore")
_LEASE = "Only a real kube-scheduler elects a leader; here it is kept for the export."

_FILTER_TIMEOUT = "The longest that allocating devices on one node may take; 0s: no limit."

FIELD_HELP: Mapping[type[Any], Mapping[str, Help]] = {
    SchedulerConfiguration: {
        "kind": _HIDDEN,
        "apiVersion": _HIDDEN,
        "parallelism": Help(
            "How many nodes kube-scheduler looks at in parallel. It changes how long a cycle takes, not what it "
            "decides.",
            least=1,
        ),
        "leaderElection": Help(_LEASE, inert=True),
        "clientConnection": Help("How a real kube-scheduler talks to its API server.", inert=True),
        "enableProfiling": Help("Serve profiling data of the program over HTTP.", inert=True),
        "enableContentionProfiling": Help("Profile locks, too; follows enableProfiling.", inert=True),
        "percentageOfNodesToScore": Help(
            "When this share of all nodes has been found to fit, the search ends and these are scored. 0 is adaptive: "
            "50 % at 100 nodes, less in larger clusters, at least 5 %; never fewer than 100 nodes.",
            least=0,
            most=100,
        ),
        "podInitialBackoffSeconds": Help("How long a pod waits after its first failed attempt; doubled each time.", 1),
        "podMaxBackoffSeconds": Help("The longest that a pod waits between two attempts.", least=1),
        "profiles": _HIDDEN,
        "extenders": _HIDDEN,
        "delayCacheUntilActive": Help("Fill the caches only when elected leader.", inert=True),
    },
    LeaderElection: {
        "leaderElect": Help("Elect a leader before scheduling.", inert=True),
        "leaseDuration": Help("After this time without renewal another one may take the lease.", inert=True),
        "renewDeadline": Help("The leader gives up when it could not renew for this long.", inert=True),
        "retryPeriod": Help("Time between two tries.", inert=True),
        "resourceLock": Help("The kind of object that is the lock.", choices=("leases",), inert=True),
        "resourceName": Help("Name of the lock; a second scheduler needs one of its own.", inert=True),
        "resourceNamespace": Help("Namespace of the lock.", inert=True),
    },
    ClientConnection: {
        "kubeconfig": Help("Path of the file that says where the API server is.", inert=True),
        "acceptContentTypes": Help("Content types asked for.", inert=True),
        "contentType": Help("Content type sent.", inert=True),
        "qps": Help("Requests a second.", inert=True),
        "burst": Help("Requests that may exceed qps for a moment.", least=0, inert=True),
    },
    Extender: {
        "urlPrefix": Help("Where the webhook is: https://host/path. Verbs are appended to it."),
        "filterVerb": Help("Path of the filter call; empty: not called."),
        "preemptVerb": Help("Path of the preempt call; empty: not called."),
        "prioritizeVerb": Help("Path of the prioritize call; empty: not called."),
        "weight": Help("Factor for the extender's scores; needed with prioritizeVerb.", least=0),
        "bindVerb": Help("Path of the bind call; only one extender may have one."),
        "enableHTTPS": Help("Use HTTPS."),
        "tlsConfig": Help("Certificates; the playground reads no files, they are kept for the export.", inert=True),
        "httpTimeout": Help("A filter call that takes longer fails the cycle; 0s means five seconds."),
        "nodeCacheCapable": Help("The extender knows the nodes: it is sent names only."),
        "managedResources": Help("Asked only about pods that request one of these; none: about all pods."),
        "ignorable": Help("Go on without it when it does not answer."),
    },
    ExtenderManagedResource: {
        "name": Help("An extended resource, such as example.com/gpu."),
        "ignoredByScheduler": Help("NodeResourcesFit leaves this resource to the extender."),
    },
    ExtenderTLSConfig: {
        "insecure": Help("Trust any certificate.", inert=True),
        "serverName": Help("Name that the certificate must have.", inert=True),
        "certFile": Help("Path of the client's certificate.", inert=True),
        "keyFile": Help("Path of the client's key.", inert=True),
        "caFile": Help("Path of the trusted certificates.", inert=True),
        "certData": Help("The client's certificate, in base64.", inert=True),
        "keyData": Help("The client's key, in base64.", inert=True),
        "caData": Help("The trusted certificates, in base64.", inert=True),
    },
    DefaultPreemptionArgs: {
        "minCandidateNodesPercentage": Help("Dry runs of preemption on at least this share of the nodes.", 0, 100),
        "minCandidateNodesAbsolute": Help("… and on at least this many nodes.", least=0),
    },
    DynamicResourcesArgs: {
        "filterTimeout": Help(_FILTER_TIMEOUT),
    },
    DynamicResourcesArgs136: {
        "filterTimeout": Help(_FILTER_TIMEOUT),
        "bindingTimeout": Help("How long binding waits for devices that get ready only then.", inert=True),
    },
    InterPodAffinityArgs: {
        "hardPodAffinityWeight": Help(
            "What a required affinity term of a running pod counts for when nodes are scored; 0: nothing.", 0, 100
        ),
        "ignorePreferredTermsOfExistingPods": Help("Score by the terms of the new pod only; faster."),
    },
    NodeAffinityArgs: {
        "addedAffinity": Help("A node affinity for every pod of this profile, beside its own."),
    },
    NodeResourcesBalancedAllocationArgs: {
        "resources": Help("The resources to balance; their weights must be 1."),
    },
    NodeResourcesFitArgs: {
        "ignoredResources": Help("Extended resources that the filter does not look at."),
        "ignoredResourceGroups": Help("Groups of them: example.com stands for example.com/…"),
        "scoringStrategy": Help("Which nodes score high: those with much left, or those with little."),
    },
    ScoringStrategy: {
        "type": Help(
            "LeastAllocated spreads, MostAllocated packs, RequestedToCapacityRatio follows a shape of your own.",
            choices=(LEAST_ALLOCATED, MOST_ALLOCATED, REQUESTED_TO_CAPACITY_RATIO),
        ),
        "resources": Help("The resources to look at, and how much each counts."),
        "requestedToCapacityRatio": Help("Needed for RequestedToCapacityRatio: score by used share."),
    },
    RequestedToCapacityRatio: {
        "shape": Help("Points of a line: at this used share this score; at least one, shares rising."),
    },
    UtilizationShapePoint: {
        "utilization": Help("Used share, in percent.", 0, 100),
        "score": Help("Score there.", 0, 10),
    },
    ResourceSpec: {
        "name": Help("cpu, memory, ephemeral-storage, or an extended resource."),
        "weight": Help("How much it counts beside the others.", 1, 100),
    },
    PodTopologySpreadArgs: {
        "defaultConstraints": Help("For pods that have no constraints of their own; needs defaultingType List."),
        "defaultingType": Help(
            "System: spread softly over zones and hostnames. List: by defaultConstraints.",
            choices=(SYSTEM_DEFAULTING, LIST_DEFAULTING),
        ),
    },
    TopologySpreadConstraint: {
        "maxSkew": Help("The most that two domains may differ by, in pods.", least=1, most=_MAX_INT32),
        "topologyKey": Help("Label of the nodes whose values are the domains."),
        "whenUnsatisfiable": Help(
            "Rule out the node, or only score it lower.", choices=("DoNotSchedule", "ScheduleAnyway")
        ),
        "labelSelector": _HIDDEN,
        "minDomains": Help("Count as many domains at least; with fewer the lowest count is 0.", least=1),
        "nodeAffinityPolicy": Help("Honor: only nodes that the pod's affinity allows count.", choices=_POLICIES),
        "nodeTaintsPolicy": Help("Honor: only nodes whose taints it tolerates count.", choices=_POLICIES),
        "matchLabelKeys": Help("Pods are counted apart by these labels of theirs."),
    },
    VolumeBindingArgs: {
        "bindTimeoutSeconds": Help("The longest that binding a pod's volumes may take.", least=0),
        "shape": Help("Belongs to the feature gate StorageCapacityScoring, which is off.", hidden=True),
    },
    NodeAffinity: {
        "requiredDuringSchedulingIgnoredDuringExecution": Help("Nodes must match one of the terms."),
        "preferredDuringSchedulingIgnoredDuringExecution": Help("Nodes that match score higher."),
    },
    NodeSelector: {"nodeSelectorTerms": Help("One of these must match.")},
    NodeSelectorTerm: {
        "matchExpressions": Help("Requirements on labels; all must hold."),
        "matchFields": Help("Requirements on metadata.name; all must hold."),
    },
    PreferredSchedulingTerm: {
        "weight": Help("How much a match counts beside the other terms."),
        "preference": Help("What a node should match."),
    },
    NodeSelectorRequirement: {
        "key": Help("Label, or the field metadata.name."),
        "operator": Help("How key and values belong together.", choices=_OPERATORS),
        "values": Help("In and NotIn: the list. Gt and Lt: one whole number. Exists, DoesNotExist: none."),
    },
}
