"""Reasons from preemption, and messages that are not about a node."""

from simulator.explain.known.entry import KnownReason, reason
from simulator.explain.known.inspections import (
    CONFIGURATION,
    CORDONED,
    GATES,
    NOMINATED,
    PRIORITIES,
    PRIORITY_CLASS,
    RESOURCE_CLAIMS,
    SCHEDULER_LOG,
)

PHASE_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"Preemption is not helpful for scheduling",
        "DefaultPreemption",
        "evicting pods would not remove what keeps the pod off these nodes",
        point="PostFilter",
    ),
    reason(
        r"No preemption victims found for incoming pod",
        "DefaultPreemption",
        "there is no pod of lower priority on these nodes",
        PRIORITIES,
        point="PostFilter",
    ),
    reason(
        r"not eligible due to preemptionPolicy=Never\.?",
        "DefaultPreemption",
        "the pod's priority class says that it never evicts others (preemptionPolicy: Never)",
        PRIORITY_CLASS,
        point="PostFilter",
    ),
    reason(
        r"not eligible due to a terminating pod on the nominated node\.?",
        "DefaultPreemption",
        "the pod has evicted others before and waits for them to end; this passes by itself",
        NOMINATED,
        point="PostFilter",
    ),
    reason(
        r"no candidate node for preemption|\[?expected at least one victim pod on node .*",
        "DefaultPreemption",
        "extenders left no node on which evicting pods would help",
        CONFIGURATION,
        point="PostFilter",
    ),
    reason(
        r"no new claims to deallocate|still not schedulable|plugin disabled",
        "DynamicResources",
        "no resource claim could be freed for the pod; v1.34 says so for pods without claims too",
        point="PostFilter",
    ),
    reason(
        r"(deallocation|deletion) of ResourceClaim completed",
        "DynamicResources",
        "a resource claim was freed; the pod is tried again",
        RESOURCE_CLAIMS,
        point="PostFilter",
    ),
    reason(
        r"pod \S+ is in the cache, so can't be assumed",
        "",
        "the scheduler's cache holds the pod already, from an earlier attempt whose binding is not over",
        SCHEDULER_LOG,
        point="",
    ),
    reason(
        r"no nodes available to schedule pods",
        "",
        "the cluster has no nodes at all, or the scheduler does not see any",
        CORDONED,
        point="",
    ),
    reason(
        r"waiting for scheduling gates: .*|Scheduling is blocked due to non-empty scheduling gates",
        "SchedulingGates",
        "the pod has scheduling gates: it is not tried before somebody removes them",
        GATES,
        point="PreEnqueue",
    ),
    reason(
        r"rejected due to timeout after waiting (?P<time>\S+) at plugin (?P<name>\S+?)",
        "",
        "the plugin {name} made the pod wait at Permit, and nobody let it go on within {time}",
        CONFIGURATION,
        point="Permit",
    ),
    reason(
        r"skip schedule deleting pod: (?P<pod>\S+)",
        "",
        "the pod {pod} is being deleted, so it is not scheduled",
        point="",
    ),
    reason(
        r"not found",
        "DynamicResources",
        "an internal error of PostFilter: PreFilter had ended before this plugin ran, so preemption was not tried",
        SCHEDULER_LOG,
        point="PostFilter",
    ),
)
