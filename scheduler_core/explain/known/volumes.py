"""Reasons that come from volumes and devices."""

from scheduler_core.explain.known.entry import COULD, KnownReason, reason
from scheduler_core.explain.known.looks import (
    ATTACHABLE,
    CAPACITY,
    CLAIMS,
    CLASSES,
    EVENTS,
    LABELS,
    OTHER_PODS,
    RESOURCE_CLAIMS,
    VOLUMES,
)

VOLUME_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"pod has unbound (immediate )?PersistentVolumeClaims( \(repeated \d+ times\))?",
        "VolumeBinding",
        "a claim of the pod is not bound yet, and its storage class binds at once, not when a pod comes",
        CLAIMS,
        CLASSES,
        point="PreFilter",
    ),
    reason(
        r"node\(s\) (didn't match PersistentVolume's node affinity|had volume node affinity conflict)"
        r"|VolumeNodeAffinityConflict|NoVolumeNodeConflict",
        "VolumeBinding",
        "a volume of the pod can only be used on other nodes, often those of another zone",
        CLAIMS,
        VOLUMES,
        plain="a volume of the pod cannot be used there",
    ),
    reason(
        r"node\(s\) didn't find available persistent volumes to bind|VolumeBindingNoMatch",
        "VolumeBinding",
        "a claim that waits for its first pod finds no free volume for this node, and none can be made there",
        CLAIMS,
        VOLUMES,
        CLASSES,
        plain="no volume for a claim of the pod",
    ),
    reason(
        r"node\(s\) did not have enough free storage",
        "VolumeBinding",
        "the storage that the node can reach has no room for a volume of that size",
        CLAIMS,
        CAPACITY,
        plain="too little storage for the pod's volume",
    ),
    reason(
        r"(node\(s\) unavailable due to one or more )?pvc\(s\) bound to non-existent pv\(s\)",
        "VolumeBinding",
        "a claim of the pod is bound to a volume that does not exist any more",
        CLAIMS,
        VOLUMES,
    ),
    reason(
        r'persistentvolumeclaim "(?P<claim>[^"]*)" not found',
        "VolumeBinding",
        "the pod uses the claim {claim}, which does not exist",
        CLAIMS,
        point="PreFilter",
    ),
    reason(
        r'persistentvolumeclaim "(?P<claim>[^"]*)" bound to non-existent persistentvolume "(?P<volume>[^"]*)"',
        "VolumeBinding",
        "the claim {claim} has lost its volume {volume}",
        CLAIMS,
        VOLUMES,
        point="PreFilter",
    ),
    reason(
        r'persistentvolumeclaim "(?P<claim>[^"]*)" is being deleted',
        "VolumeBinding",
        "the claim {claim} is being deleted",
        CLAIMS,
        point="PreFilter",
    ),
    reason(
        r'waiting for ephemeral volume controller to create the persistentvolumeclaim "(?P<claim>[^"]*)"',
        "VolumeBinding",
        "the claim {claim} of an ephemeral volume has not been made yet; this passes by itself",
        EVENTS,
        point="PreFilter",
    ),
    reason(
        r"PVC (?P<claim>\S+) was not created for pod \S+ \(pod is not owner\)",
        "VolumeBinding",
        "the claim {claim} has the name of the pod's ephemeral volume, but belongs to somebody else",
        CLAIMS,
        point="PreFilter",
    ),
    reason(
        r"node\(s\) had no available volume zone|NoVolumeZoneConflict",
        "VolumeZone",
        "a volume of the pod is in another zone than the node",
        VOLUMES,
        LABELS,
    ),
    reason(
        r'persistentvolume "(?P<volume>[^"]*)" not found',
        "VolumeZone",
        "a claim of the pod is bound to the volume {volume}, which does not exist",
        VOLUMES,
        point="PreFilter",
    ),
    reason(
        r'(failed to find storage class |storageclass\.storage\.k8s\.io )"(?P<name>[^"]*)"( not found)?',
        "VolumeZone",
        "a claim of the pod wants the storage class {name}, which does not exist",
        CLASSES,
        CLAIMS,
        point="PreFilter",
    ),
    reason(
        r"PersistentVolumeClaim had no (pv name and storageClass )?name|PersistentVolume had no name"
        r'|VolumeBindingMode not set for StorageClass "[^"]*"',
        "VolumeZone",
        "a claim of the pod is not bound, and its storage class does not wait for the pod",
        CLAIMS,
        CLASSES,
        point="PreFilter",
    ),
    reason(
        r"node\(s\) exceed max volume count|MaxVolumeCount",
        "NodeVolumeLimits",
        "the node cannot attach that many volumes of the driver",
        ATTACHABLE,
        evicting=COULD,
    ),
    reason(
        r'looking up PVC \S+: persistentvolumeclaim "(?P<claim>[^"]*)" not found',
        "NodeVolumeLimits",
        "the pod uses the claim {claim}, which does not exist",
        CLAIMS,
    ),
    reason(
        r"node\(s\) had no available disk|NoDiskConflict",
        "VolumeRestrictions",
        "a pod on the node uses a disk that cannot be shared with this pod",
        OTHER_PODS,
        evicting=COULD,
    ),
    reason(
        r"node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use"
        r" by another pod",
        "VolumeRestrictions",
        "a claim of the pod may be used by one pod only (ReadWriteOncePod), and another pod uses it",
        CLAIMS,
        OTHER_PODS,
        evicting=COULD,
    ),
    reason(
        r"cannot allocate all claims|resourceclaim not available on the node|cannot fit resource"
        r"|timed out trying to allocate devices|cannot schedule extended resource claim"
        r"|resource claim \S+ is in the process of being allocated|resourceclaim in use"
        r"|request \S+: device class \S+ does not exist"
        r'|waiting for (dynamic resource controller|resource claim controller) to create the resourceclaim "[^"]*"'
        r"|invalid resource pools were encountered",
        "DynamicResources",
        "the devices that the pod claims are not to be had",
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
)
