"""Reasons about the node itself: resources, taints, labels, name, ports and conditions."""

from simulator.explain.known.entry import COULD, DEPENDS, KnownReason, reason
from simulator.explain.known.inspections import (
    CONDITIONS,
    CONFIGURATION,
    CORDONED,
    DECLARED_FEATURES,
    HOST_PORTS,
    LABELS,
    NODE_AFFINITY,
    NODE_NAME,
    NODES_ROOM,
    OTHER_PODS,
    PODS_REQUESTS,
    TAINTS,
    TOLERATIONS,
)

_TAINT_BRACES = r"\{(?P<key>[^:}]*): (?P<value>[^}]*)\}"
_TAINT = "the node has the taint {key}={value}, which the pod does not tolerate; only the first such taint is named"
# As kubectl writes it, and before the rest: what a card has no room for is cut.
_UNTOLERATED = "taint {key}={value} not tolerated"

NODE_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"Insufficient (?P<resource>\S+)",
        "NodeResourcesFit",
        "the node has less {resource} left than the pod requests; limits and real usage do not matter, requests do",
        PODS_REQUESTS,
        NODES_ROOM,
        evicting=DEPENDS,
        plain="too little {resource}",
    ),
    reason(
        r"Too many pods",
        "NodeResourcesFit",
        "the node runs as many pods as it may (allocatable pods, often 110)",
        NODES_ROOM,
        evicting=COULD,
        plain="no room for more pods",
    ),
    reason(
        rf"node\(s\) had untolerated taint {_TAINT_BRACES}",
        "TaintToleration",
        _TAINT,
        TAINTS,
        TOLERATIONS,
        plain=_UNTOLERATED,
    ),
    reason(
        rf"node\(s\) had taint {_TAINT_BRACES}, that the pod didn't tolerate",
        "TaintToleration",
        _TAINT,
        TAINTS,
        TOLERATIONS,
        versions="v1.18 – v1.23",
        plain=_UNTOLERATED,
    ),
    reason(
        r"node\(s\) had (untolerated taint\(s\)|taints that the pod didn't tolerate)|PodToleratesNodeTaints",
        "TaintToleration",
        "the node has a taint that the pod does not tolerate",
        TAINTS,
        TOLERATIONS,
        versions="not v1.34",
        plain="untolerated taint",
    ),
    reason(
        r"node\(s\) didn't match Pod's required features",
        "NodeDeclaredFeatures",
        "the pod needs a feature of the kubelet that the node does not declare",
        DECLARED_FEATURES,
        versions="not v1.34",
    ),
    reason(
        r"node\(s\) were unschedulable|NodeUnschedulable",
        "NodeUnschedulable",
        "the node is cordoned (spec.unschedulable), as it is while it is drained",
        CORDONED,
        plain="cordoned",
    ),
    reason(
        r"node\(s\) didn't match (Pod's node affinity(/selector)?|node selector)|MatchNodeSelector",
        "NodeAffinity",
        "the node's labels do not match the pod's nodeSelector or required node affinity",
        NODE_AFFINITY,
        LABELS,
        plain="not matching the pod's node affinity",
    ),
    reason(
        r"node\(s\) didn't match scheduler-enforced node affinity",
        "NodeAffinity",
        "the profile adds a node affinity to every pod (addedAffinity), and the node does not match it",
        CONFIGURATION,
        LABELS,
        plain="not matching the profile's node affinity",
    ),
    reason(
        r"pod affinity terms conflict",
        "NodeAffinity",
        "the pod's required node affinity names nodes in a way that no node can satisfy",
        NODE_AFFINITY,
        point="PreFilter",
    ),
    reason(
        r"node\(s\) didn't match the requested (node name|hostname)|HostName",
        "NodeName",
        "the pod asks for another node by name (spec.nodeName)",
        NODE_NAME,
        plain="not the node that the pod names",
    ),
    reason(
        r"node\(s\) didn't satisfy plugin(\(s\))? \[?(?P<plugins>[^\]]*?)\]?( simultaneously)?",
        "",
        "{plugins} had narrowed the search to nodes that the pod names, and this was not one of them",
        NODE_AFFINITY,
        point="PreFilter",
        plain="not among the nodes that the pod names",
    ),
    reason(
        r"node\(s\) didn't have the requested labels|CheckNodeLabelPresence",
        "NodeLabel",
        "the scheduler's policy wants labels that the node does not have",
        CONFIGURATION,
        LABELS,
        versions="up to v1.22",
    ),
    reason(
        r"node\(s\) didn't match service affinity|CheckServiceAffinity",
        "ServiceAffinity",
        "pods of one service must be on nodes with equal labels, by the scheduler's policy",
        CONFIGURATION,
        LABELS,
        versions="up to v1.22",
    ),
    reason(
        r"node\(s\) didn't have free ports for the requested pod ports|PodFitsHostPorts",
        "NodePorts",
        "a pod on the node holds a host port that this pod wants too",
        HOST_PORTS,
        OTHER_PODS,
        evicting=COULD,
        plain="a host port of the pod is taken",
    ),
    reason(
        r"node\(s\) (were not ready|had (memory|disk|pid) pressure|had unavailable network|were out of disk space"
        r"|had unknown conditions)|NodeNotReady|NodeOutOfDisk|NodeNetworkUnavailable|NodeUnknownCondition"
        r"|NodeUnder(Memory|Disk|PID)Pressure",
        "TaintToleration",
        "the node is not well; since v1.12 its conditions are told by taints like node.kubernetes.io/not-ready",
        CONDITIONS,
        versions="up to v1.18",
    ),
)
