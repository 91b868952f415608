"""Reasons about devices: claims that cannot be allocated, and devices that are not ready for binding.

Source: pkg/scheduler/framework/plugins/dynamicresources, dynamic-resource-allocation/structured.
"""

from simulator.explain.known.entry import DEPENDS, KnownReason, reason
from simulator.explain.known.inspections import (
    CONFIGURATION,
    DEVICE_CONDITIONS,
    DEVICES,
    RESOURCE_CLAIMS,
    SCHEDULER_LOG,
)

DEVICE_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"cannot allocate all claims|resourceclaim not available on the node|cannot fit resource"
        r"|timed out trying to allocate devices|cannot schedule extended resource claim"
        r"|resource claim \S+ is in the process of being allocated|resourceclaim in use"
        r"|request \S+: device class \S+ does not exist"
        r'|waiting for (dynamic resource controller|resource claim controller) to create the resourceclaim "[^"]*"'
        r"|invalid resource pools were encountered",
        "DynamicResources",
        "the devices requested by the Pod's claims are not available",
        RESOURCE_CLAIMS,
    ),
    reason(
        r'pod "[^"]*": ResourceClaim not created yet|could not find ResourceClaim "[^"]*"'
        r'|resourceclaim "[^"]*" is being deleted'
        r"|ResourceClaim \S+ was not created for [Pp]od \S+ \([Pp]od is not owner\)",
        "DynamicResources",
        "a resource claim that the pod names is not there, or is not the pod's own",
        RESOURCE_CLAIMS,
        point="PreFilter",
    ),
    reason(
        r"waiting for binding conditions for device on node (?P<node>\S+)",
        "DynamicResources",
        "the pod has the node {node} and its devices, which a driver has to make ready before the pod is bound",
        DEVICE_CONDITIONS,
        versions="since v1.36",
        point="PreBind",
    ),
    reason(
        r"device binding timeout: (context deadline exceeded|claim=(?P<claim>\S+))",
        "DynamicResources",
        "a device was not ready within bindingTimeout (10 minutes by default); the next attempt lets the claim go",
        DEVICE_CONDITIONS,
        CONFIGURATION,
        versions="since v1.36",
        point="PreBind",
    ),
    reason(
        r"device binding failed: claim=(?P<claim>[^,\s]+), reason=(?P<reason>[^,]*), message=.*",
        "DynamicResources",
        "the driver could not make a device of the claim {claim} ready; the next attempt lets the claim go",
        DEVICE_CONDITIONS,
        versions="since v1.36",
        point="PreBind",
    ),
    reason(
        r"context canceled",
        "",
        "the pod was deleted or preempted while it was about to be bound",
        versions="since v1.36",
        point="PreBind",
    ),
    reason(
        r"claim (?P<claim>\S+) got (deleted|allocated elsewhere|deallocated elsewhere) in the meantime",
        "DynamicResources",
        "somebody changed the claim {claim} after the scheduler had chosen devices for it; the pod is tried again",
        RESOURCE_CLAIMS,
        point="PreBind",
    ),
    reason(
        r"nil or empty request mappings, no update of pod \S+ ExtendedResourceClaimStatus",
        "DynamicResources",
        "known kube-scheduler bug: a Pod with its own resource claim cannot get an extended resource "
        "of a device plugin",
        RESOURCE_CLAIMS,
        versions="since v1.36",
        point="PreBind",
    ),
    reason(
        r"(resource )?claim (?P<claim>[^,\s]+), request (?P<request>[^:\s]+): has (subrequests|capacity requests), "
        r"but the (?P<gate>\w+) feature is disabled",
        "DynamicResources",
        "the claim {claim} needs the feature gate {gate}, which is off",
        CONFIGURATION,
        point="PreFilter",
    ),
    reason(
        r"claim (?P<claim>[^,\s]+), request (?P<request>[^:\s]+): asks for all devices, but resource pool "
        r"(?P<pool>\S+) is currently (being updated|invalid)",
        "DynamicResources",
        "{request} of {claim} wants all devices, and the slices of the pool {pool} are not all there, or contradict "
        "each other",
        DEVICES,
    ),
    reason(
        r"claim (?P<claim>[^,\s]+), request (?P<request>[^:\s]+): cannot add device (?P<device>\S+) because a claim "
        r"constraint would not be satisfied",
        "DynamicResources",
        "{request} of {claim} wants all devices, and {device} does not satisfy a constraint of the claim",
        RESOURCE_CLAIMS,
    ),
    reason(
        r"claim (?P<claim>[^:\s]+): number of requested devices \d+ exceeds the claim limit of \d+"
        r"|allocation max size exceeded",
        "DynamicResources",
        "a claim cannot be given more than 32 devices",
        RESOURCE_CLAIMS,
    ),
    reason(
        r"pool (?P<pool>\S+) is invalid: .*",
        "DynamicResources",
        "the slices of the pool {pool} contradict each other, which its driver has to mend",
        DEVICES,
        versions="up to v1.35",
    ),
    reason(
        r"(?P<whose>(class|claim) [^:\s]+): selector #(?P<number>\d+): CEL (compile|runtime) error: .*",
        "DynamicResources",
        "the expression of selector {number} (counted from 0) of {whose} is wrong, or fails for a device",
        RESOURCE_CLAIMS,
        evicting=DEPENDS,
    ),
    reason(
        r"claim allocation not found for node",
        "DynamicResources",
        "an internal error: the node was chosen without devices having been found on it",
        SCHEDULER_LOG,
        point="Reserve",
    ),
)
