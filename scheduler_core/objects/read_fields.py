"""Which fields of which kinds scheduling reads; everything else is kept, and said to be unused.

A field maps to the fields below it, or to ALL if everything below it is read. Lists are looked through.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

Fields: TypeAlias = Mapping[str, "Fields | None"]

ALL = None

META_FIELDS: Fields = dict.fromkeys(
    (
        "name",
        "generateName",
        "namespace",
        "uid",
        "labels",
        "annotations",
        "ownerReferences",
        "creationTimestamp",
        "deletionTimestamp",
    ),
    ALL,
)
_SELECTOR: Fields = {"matchLabels": ALL, "matchExpressions": ALL}
_POD_TERM: Fields = {
    "labelSelector": _SELECTOR,
    "namespaceSelector": _SELECTOR,
    "namespaces": ALL,
    "topologyKey": ALL,
    "matchLabelKeys": ALL,
    "mismatchLabelKeys": ALL,
}
_POD_AFFINITY: Fields = {
    "requiredDuringSchedulingIgnoredDuringExecution": _POD_TERM,
    "preferredDuringSchedulingIgnoredDuringExecution": {"weight": ALL, "podAffinityTerm": _POD_TERM},
}
_RESOURCES: Fields = {"requests": ALL, "limits": ALL}
_CONTAINER: Fields = {
    "name": ALL,
    "image": ALL,
    "resources": _RESOURCES,
    "restartPolicy": ALL,
    "ports": {"containerPort": ALL, "hostPort": ALL, "hostIP": ALL, "protocol": ALL},
}
_CONTAINER_STATUS: Fields = {"name": ALL, "resources": {"requests": ALL}, "allocatedResources": ALL}
_CONDITION: Fields = {"type": ALL, "status": ALL, "reason": ALL, "message": ALL, "lastTransitionTime": ALL}
_POD: Fields = {
    "spec": {
        "schedulerName": ALL,
        "priority": ALL,
        "priorityClassName": ALL,
        "preemptionPolicy": ALL,
        "nodeName": ALL,
        "nodeSelector": ALL,
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": ALL,
                "preferredDuringSchedulingIgnoredDuringExecution": ALL,
            },
            "podAffinity": _POD_AFFINITY,
            "podAntiAffinity": _POD_AFFINITY,
        },
        "tolerations": {"key": ALL, "operator": ALL, "value": ALL, "effect": ALL, "tolerationSeconds": ALL},
        "topologySpreadConstraints": {
            "maxSkew": ALL,
            "topologyKey": ALL,
            "whenUnsatisfiable": ALL,
            "labelSelector": _SELECTOR,
            "minDomains": ALL,
            "nodeAffinityPolicy": ALL,
            "nodeTaintsPolicy": ALL,
            "matchLabelKeys": ALL,
        },
        "containers": _CONTAINER,
        "initContainers": _CONTAINER,
        "hostNetwork": ALL,
        "overhead": ALL,
        "resources": _RESOURCES,
        "schedulingGates": ALL,
        "schedulingGroup": {"podGroupName": ALL},
        "resourceClaims": {"name": ALL, "resourceClaimName": ALL, "resourceClaimTemplateName": ALL},
        "volumes": {
            "name": ALL,
            "persistentVolumeClaim": ALL,
            "ephemeral": ALL,
            "awsElasticBlockStore": ALL,
            "azureDisk": ALL,
            "cinder": ALL,
            "csi": ALL,
            "gcePersistentDisk": ALL,
            "iscsi": ALL,
            "portworxVolume": ALL,
            "rbd": ALL,
            "vsphereVolume": ALL,
        },
    },
    "status": {
        "phase": ALL,
        "nominatedNodeName": ALL,
        "startTime": ALL,
        "conditions": _CONDITION,
        "resourceClaimStatuses": {"name": ALL, "resourceClaimName": ALL},
        "containerStatuses": _CONTAINER_STATUS,
        "initContainerStatuses": _CONTAINER_STATUS,
    },
}
_NODE: Fields = {
    "spec": {"unschedulable": ALL, "taints": {"key": ALL, "value": ALL, "effect": ALL}},
    "status": {
        "allocatable": ALL,
        "capacity": ALL,
        "images": ALL,
        "conditions": {"type": ALL, "status": ALL},
        "declaredFeatures": ALL,
    },
}
_WORKLOAD: Fields = {"spec": {"selector": ALL}}
_PERSISTENT_VOLUME: Fields = {
    "spec": {
        "capacity": ALL,
        "accessModes": ALL,
        "storageClassName": ALL,
        "volumeMode": ALL,
        "volumeAttributesClassName": ALL,
        "nodeAffinity": ALL,
        "claimRef": {"namespace": ALL, "name": ALL, "uid": ALL, "kind": ALL, "apiVersion": ALL},
        "awsElasticBlockStore": ALL,
        "azureDisk": ALL,
        "cinder": ALL,
        "csi": ALL,
        "gcePersistentDisk": ALL,
        "portworxVolume": ALL,
        "vsphereVolume": ALL,
    },
    "status": {"phase": ALL},
}
_PERSISTENT_VOLUME_CLAIM: Fields = {
    "spec": {
        "accessModes": ALL,
        "storageClassName": ALL,
        "volumeMode": ALL,
        "volumeName": ALL,
        "volumeAttributesClassName": ALL,
        "selector": ALL,
        "resources": {"requests": ALL},
    },
    "status": {"phase": ALL},
}

_DEVICE_SELECTORS: Fields = {"cel": {"expression": ALL}}
_NODE_SELECTION: Fields = {"nodeName": ALL, "nodeSelector": ALL, "allNodes": ALL}
_RESOURCE_SLICE: Fields = {
    "spec": {
        "driver": ALL,
        "pool": {"name": ALL, "generation": ALL, "resourceSliceCount": ALL},
        **_NODE_SELECTION,
        "perDeviceNodeSelection": ALL,
        "devices": {
            "name": ALL,
            "attributes": ALL,
            "capacity": ALL,
            "consumesCounters": {"counterSet": ALL, "counters": ALL},
            "taints": {"key": ALL, "value": ALL, "effect": ALL},
            **_NODE_SELECTION,
            "allowMultipleAllocations": ALL,
            "bindsToNode": ALL,
            "bindingConditions": ALL,
        },
        "sharedCounters": {"name": ALL, "counters": ALL},
    },
}
_DEVICE_REQUEST: Fields = {
    "deviceClassName": ALL,
    "allocationMode": ALL,
    "count": ALL,
    "selectors": _DEVICE_SELECTORS,
    "tolerations": {"key": ALL, "operator": ALL, "value": ALL, "effect": ALL, "tolerationSeconds": ALL},
    "capacity": {"requests": ALL},
}
_CLAIM_SPEC: Fields = {
    "devices": {
        "requests": {
            "name": ALL,
            "exactly": {**_DEVICE_REQUEST, "adminAccess": ALL},
            "firstAvailable": {"name": ALL, **_DEVICE_REQUEST},
        },
        "constraints": {"requests": ALL, "matchAttribute": ALL, "distinctAttribute": ALL},
        "config": ALL,
    }
}
_RESOURCE_CLAIM: Fields = {
    "metadata": {**META_FIELDS, "finalizers": ALL},
    "spec": _CLAIM_SPEC,
    "status": {
        "allocation": ALL,
        "reservedFor": {"apiGroup": ALL, "resource": ALL, "name": ALL, "uid": ALL},
    },
}

# Kind → what is read besides apiVersion, kind and the metadata of all kinds.
READ_FIELDS: Mapping[str, Fields] = {
    "Pod": _POD,
    "Node": _NODE,
    "Namespace": {},
    "Service": {"spec": {"selector": ALL}},
    "ReplicationController": {"spec": {"selector": ALL, "template": {"metadata": {"labels": ALL}}}},
    "ReplicaSet": _WORKLOAD,
    "StatefulSet": _WORKLOAD,
    "PriorityClass": {"value": ALL, "globalDefault": ALL, "preemptionPolicy": ALL},
    "PodGroup": {
        "spec": {"schedulingPolicy": {"basic": ALL, "gang": {"minCount": ALL}}},
        "status": {"conditions": _CONDITION},
    },
    "PodDisruptionBudget": {
        "spec": {"selector": ALL},
        "status": {"disruptionsAllowed": ALL, "disruptedPods": ALL},
    },
    "PersistentVolume": _PERSISTENT_VOLUME,
    "PersistentVolumeClaim": _PERSISTENT_VOLUME_CLAIM,
    "StorageClass": {"provisioner": ALL, "volumeBindingMode": ALL, "allowedTopologies": ALL},
    "CSINode": {"spec": {"drivers": {"name": ALL, "nodeID": ALL, "allocatable": ALL}}},
    "CSIDriver": {"spec": {"storageCapacity": ALL}},
    "CSIStorageCapacity": {
        "storageClassName": ALL,
        "nodeTopology": ALL,
        "capacity": ALL,
        "maximumVolumeSize": ALL,
    },
    "VolumeAttachment": {
        "spec": {"attacher": ALL, "nodeName": ALL, "source": {"persistentVolumeName": ALL}},
    },
    "DeviceClass": {"spec": {"selectors": _DEVICE_SELECTORS, "config": ALL, "extendedResourceName": ALL}},
    "ResourceSlice": _RESOURCE_SLICE,
    "ResourceClaim": _RESOURCE_CLAIM,
    "ResourceClaimTemplate": {"spec": {"metadata": {"labels": ALL, "annotations": ALL}, "spec": _CLAIM_SPEC}},
}
_ROOTS: Mapping[str, Fields] = {
    kind: {"apiVersion": ALL, "kind": ALL, "metadata": META_FIELDS, **fields} for kind, fields in READ_FIELDS.items()
}


def unused_paths(kind: str, manifest: Mapping[str, Any]) -> set[str]:
    """The paths in a manifest of a known kind that scheduling does not read; of those below one another the top one.

    List items are not told apart: `spec.containers[].env`. Empty values are left out.
    """
    found: set[str] = set()
    _walk(manifest, _ROOTS[kind], "", found)
    return found


def _walk(value: Mapping[str, Any], fields: Fields, path: str, found: set[str]) -> None:
    for key, inner in value.items():
        if key not in fields:
            if inner is not None and inner != {} and inner != []:
                found.add(f"{path}{key[:80]}")
            continue
        below = fields[key]
        if below is None:
            continue
        if type(inner) is dict:
            _walk(inner, below, f"{path}{key}.", found)
        elif type(inner) is list:
            for item in inner:
                if type(item) is dict:
                    _walk(item, below, f"{path}{key}[].", found)
