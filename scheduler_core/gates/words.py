"""Descriptions of the feature gates that concern scheduling; no other gate has an effect here."""

from collections.abc import Mapping

from scheduler_core.gates.effects import EFFECTS
from scheduler_core.gates.table import Gate

# Gates with an effect here.
CHANGES: Mapping[str, str] = {
    "SchedulerPopFromBackoffQ": "Off: a pod stays in its backoff to the end, even when nothing else waits.",
    "DRAPrioritizedList": "Off: pods whose claims list alternatives (firstAvailable) are rejected.",
    "DynamicResourceAllocation": "Off: DynamicResources is no default plugin and does nothing; claims are ignored.",
    "GenericWorkload": "On: the pods of a PodGroup are tried in one cycle, and bound or sent back together.",
    "GangScheduling": "On: a gang waits until minCount of its pods are there, and is bound when as many find room.",
    "NodeDeclaredFeatures": "Off: pods that need a feature of the kubelet also go to nodes that do not declare it.",
    "DRAExtendedResource": "Off: devices serve no extended resources; only what nodes report counts.",
    "DRAPartitionableDevices": "Off: devices that share counters or choose their own nodes are not allocated.",
    "DRADeviceTaints": "Off: taints keep no claim off a device.",
    "DRAConsumableCapacity": "Off: a device is given to one claim as a whole, never in parts.",
    "DRADeviceBindingConditions": "Off: devices that have to be made ready for binding are not allocated.",
}
# Gates with an effect in kube-scheduler that the playground doesn't emulate.
NOT_PLAYED: Mapping[str, str] = {
    "TopologyAwareWorkloadScheduling": "On: placements of a whole group are made and compared.",
    "WorkloadAwarePreemption": "On: pods are evicted for a group as a whole.",
    "StorageCapacityScoring": "On: VolumeBinding scores nodes by what is left of their storage.",
    "TaintTolerationComparisonOperators": "On: tolerations may compare numbers (Lt, Gt).",
    "MatchLabelKeysInPodTopologySpread": "Off: matchLabelKeys of spread constraints are ignored.",
    "PodLevelResources": "Off: requests of the pod as a whole are ignored.",
    "InPlacePodVerticalScaling": "Off: a resize that is under way is not counted.",
    "InPlacePodLevelResourcesVerticalScaling": "A resize of the pod as a whole that is under way is counted.",
    "NominatedNodeNameForExpectation": "A pod on its way to a node that takes time names it in its status.",
    "VolumeAttributesClass": "A claim's volume must be of its class of attributes.",
    "VolumeLimitScaling": "On: attach limits follow the drivers on the nodes.",
    "DRAListTypeAttributes": "On: attributes of devices may be lists.",
    "DRADeviceTaintRules": "On: taints of devices also come from DeviceTaintRule objects.",
    "DRANodeAllocatableResources": "On: devices may take from what a node can allocate otherwise.",
    "DRAWorkloadResourceClaims": "On: pod groups may have claims of their own.",
}
# Gates that change timing or recorded data, but no decision.
NO_DECISION: Mapping[str, str] = {
    "SchedulerAsyncPreemption": "Evictions do not hold up the cycle; here they take no time.",
    "SchedulerAsyncAPICalls": "Writes to the API server do not hold up the cycle; here they take no time.",
    "SchedulerQueueingHints": "Plugins say which events may help a pod that they rejected; always on.",
    "OpportunisticBatching": "Answers are used again for equal pods within half a second; that only saves time.",
    "DRASchedulerFilterTimeout": "The search for devices is given up after a while; here it is not timed.",
    "DRAResourceClaimDeviceStatus": "Drivers write the state of devices into claims; nobody plays them here.",
    "ClearingNominatedNodeNameAfterBinding": "The API server clears the nomination of a pod that is bound.",
    "DRAAdminAccess": "Administrators may be given devices that are in use; always on in v1.36.",
    "SidecarContainers": "Init containers that keep running count as long as the pod; always on.",
    "NodeInclusionPolicyInPodTopologySpread": "Spread constraints say which nodes count; always on.",
}


def describe_gate(version: str, gate: Gate) -> tuple[str, str]:
    """Return (description, effect here: `changes`, `notPlayed` or `nothing`)."""
    if gate.name in EFFECTS.get(version, {}) and not gate.locked:
        return CHANGES[gate.name], "changes"
    played_not = NOT_PLAYED.get(gate.name) or (CHANGES.get(gate.name) if not gate.locked else None)
    if played_not:
        return played_not, "notPlayed"
    return NO_DECISION.get(gate.name, ""), "nothing"


def all_descriptions() -> dict[str, str]:
    """Return all descriptions, for translation."""
    return {text: "" for table in (CHANGES, NOT_PLAYED, NO_DECISION) for text in table.values()}
