"""Reasons from binding volumes and pods, from Volcano, and from Karpenter, which adds nodes.

Source: pkg/scheduler/framework/plugins/volumebinding, volcano pkg/scheduler/api, karpenter
pkg/controllers/provisioning/scheduling.
"""

from simulator.explain.known.entry import DEPENDS, KnownReason, reason
from simulator.explain.known.inspections import (
    CLAIMS,
    CLASSES,
    CONFIGURATION,
    EVENTS,
    LABELS,
    NODES_ROOM,
    PODS_REQUESTS,
    SCHEDULER_LOG,
    TOLERATIONS,
    VOLUMES,
)

OTHER_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"(binding volumes|Failed to bind volumes): (timed out waiting for the condition|context deadline exceeded)",
        "VolumeBinding",
        "a node was chosen, but the driver has not provided the volume in time (10 minutes by default)",
        CLAIMS,
        CLASSES,
        EVENTS,
        point="PreBind",
    ),
    reason(
        r"((binding volumes|Failed to bind volumes): )?(provisioning failed for PVC \"[^\"]*\""
        r"|failed to check provisioning pvc.*|pv \"[^\"]*\" node affinity doesn't match node .*"
        r"|selectedNode annotation .*|pvc .* not bound.*"
        r"|claims? not found.*|could not get PVC.*)",
        "VolumeBinding",
        "a node was chosen, but the volume could not be made or bound there; the pod is tried again",
        CLAIMS,
        VOLUMES,
        EVENTS,
        point="PreBind",
    ),
    reason(
        r"((binding volumes|Failed to bind volumes): )?Operation cannot be fulfilled on .*",
        "",
        "somebody else changed the object at the same moment; this passes by itself when the pod is tried again",
        SCHEDULER_LOG,
        point="PreBind",
    ),
    reason(
        r"pods \"(?P<pod>[^\"]*)\" (not found|is forbidden.*|is being deleted.*)",
        "DefaultBinder",
        "a node was chosen, but the API server did not take the binding of {pod}",
        SCHEDULER_LOG,
        point="Bind",
    ),
    reason(
        r"node\(s\) resource fit failed",
        "",
        "Volcano's: the node has less left than the pod requests",
        PODS_REQUESTS,
        NODES_ROOM,
        evicting=DEPENDS,
    ),
    reason(
        r"node\(s\) pod number exceeded",
        "",
        "Volcano's: the node runs as many pods as it may",
        NODES_ROOM,
        evicting=DEPENDS,
    ),
    reason(
        r"(\d+/\d+ tasks in gang unschedulable: )?pod group is not ready(, .*)?",
        "",
        "Volcano's: the pods of a group start together, and some of them find no place yet",
        PODS_REQUESTS,
        NODES_ROOM,
        evicting=DEPENDS,
        point="",
    ),
    reason(
        r"(\d+/\d+ tasks in gang unschedulable: )?(all nodes are unavailable|queue resource quota insufficient.*)",
        "",
        "Volcano's: no node can be used, or the queue has used up its share",
        NODES_ROOM,
        CONFIGURATION,
        evicting=DEPENDS,
        point="",
    ),
    reason(
        r"did not tolerate (taint.*|[^\s,]+:(NoSchedule|PreferNoSchedule|NoExecute).*)",
        "",
        "Karpenter's: nodes of this pool would have a taint that the pod does not tolerate",
        TOLERATIONS,
        point="",
    ),
    reason(
        r"no instance type .*",
        "",
        "Karpenter's: no machine of this pool is large enough, allowed and to be had at once",
        PODS_REQUESTS,
        LABELS,
        point="",
    ),
    reason(
        r"incompatible requirements, .*",
        "",
        "Karpenter's: the nodes of this pool would not have the labels that the pod asks for",
        LABELS,
        point="",
    ),
    reason(
        r"all available instance types exceed limits for .*",
        "",
        "Karpenter's: the pool has reached its limits",
        CONFIGURATION,
        point="",
    ),
)
