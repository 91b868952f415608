"""The Go types of a NodeList, to decode Node objects in a response as upstream does.

Source: k8s.io/api/core/v1 types.go, k8s.io/apimachinery/pkg/apis/meta/v1 types.go.
"""

from typing import Any

from kube_objects.quantity import parse_quantity
from kube_objects.read import parse_time
from scheduler_core.extender.go_types import (
    BOOL,
    INT64,
    TEXT,
    TEXT_MAP,
    TEXTS,
    Custom,
    GoString,
    Int,
    Map,
    Pointer,
    Slice,
    Struct,
)


def _quantity(json: Any) -> str:
    """Return a quantity from its JSON. Source: apimachinery/pkg/api/resource Quantity.UnmarshalJSON."""
    if isinstance(json, bool):
        text = "true" if json else "false"
    elif isinstance(json, dict | list):
        text = "{}"
    else:
        text = str(json).strip()
    parse_quantity(text)
    return text


def _time(json: str) -> str:
    if parse_time(json) is None:
        raise ValueError(f'parsing time "{json}" as "2006-01-02T15:04:05Z07:00": cannot parse "{json}" as "2006"')
    return json


TIME = Custom(_time, only_text=True)
UID = GoString("types.UID")
RESOURCE_LIST = Map(Custom(_quantity, zero="0"), "v1.ResourceList")
TYPE_META = {"kind": TEXT, "apiVersion": TEXT}
IN_TYPE_META = dict.fromkeys(TYPE_META, "TypeMeta")

LIST_META = Struct(
    "ListMeta", {"selfLink": TEXT, "resourceVersion": TEXT, "continue": TEXT, "remainingItemCount": Pointer(INT64)}
)
OWNER_REFERENCE = Struct(
    "OwnerReference",
    {
        **dict.fromkeys(("apiVersion", "kind", "name"), TEXT),
        "uid": UID,
        **dict.fromkeys(("controller", "blockOwnerDeletion"), Pointer(BOOL)),
    },
)
MANAGED_FIELDS_ENTRY = Struct(
    "ManagedFieldsEntry",
    {
        **dict.fromkeys(("manager", "apiVersion", "fieldsType", "subresource"), TEXT),
        "operation": GoString("v1.ManagedFieldsOperationType"),
        "time": Pointer(TIME),
        "fieldsV1": Pointer(Custom(lambda json: json)),
    },
)
OBJECT_META = Struct(
    "ObjectMeta",
    {
        **dict.fromkeys(("name", "generateName", "namespace", "selfLink", "resourceVersion"), TEXT),
        "uid": UID,
        "generation": INT64,
        "creationTimestamp": TIME,
        "deletionTimestamp": Pointer(TIME),
        "deletionGracePeriodSeconds": Pointer(INT64),
        "labels": TEXT_MAP,
        "annotations": TEXT_MAP,
        "ownerReferences": Slice(OWNER_REFERENCE),
        "finalizers": TEXTS,
        "managedFields": Slice(MANAGED_FIELDS_ENTRY),
    },
)
TAINT = Struct("Taint", {"key": TEXT, "value": TEXT, "effect": GoString("v1.TaintEffect"), "timeAdded": Pointer(TIME)})
CONFIG_MAP_SOURCE = Struct(
    "ConfigMapNodeConfigSource",
    {**dict.fromkeys(("namespace", "name", "resourceVersion", "kubeletConfigKey"), TEXT), "uid": UID},
)
CONFIG_SOURCE = Pointer(Struct("NodeConfigSource", {"configMap": Pointer(CONFIG_MAP_SOURCE)}))
NODE_SPEC = Struct(
    "NodeSpec",
    {
        **dict.fromkeys(("podCIDR", "providerID", "externalID"), TEXT),
        "podCIDRs": TEXTS,
        "unschedulable": BOOL,
        "taints": Slice(TAINT),
        "configSource": CONFIG_SOURCE,
    },
)
CONDITION = Struct(
    "NodeCondition",
    {
        "type": GoString("v1.NodeConditionType"),
        "status": GoString("v1.ConditionStatus"),
        **dict.fromkeys(("lastHeartbeatTime", "lastTransitionTime"), TIME),
        **dict.fromkeys(("reason", "message"), TEXT),
    },
)
SYSTEM_INFO = Struct(
    "NodeSystemInfo",
    {
        **dict.fromkeys(
            (
                "machineID",
                "systemUUID",
                "bootID",
                "kernelVersion",
                "osImage",
                "containerRuntimeVersion",
                "kubeletVersion",
                "kubeProxyVersion",
                "operatingSystem",
                "architecture",
            ),
            TEXT,
        ),
        "swap": Pointer(Struct("NodeSwapStatus", {"capacity": Pointer(INT64)})),
    },
)
HANDLER_FEATURES = Struct(
    "NodeRuntimeHandlerFeatures", dict.fromkeys(("recursiveReadOnlyMounts", "userNamespaces"), Pointer(BOOL))
)
VOLUME_NAME = GoString("v1.UniqueVolumeName")
NODE_STATUS = Struct(
    "NodeStatus",
    {
        "capacity": RESOURCE_LIST,
        "allocatable": RESOURCE_LIST,
        "phase": GoString("v1.NodePhase"),
        "conditions": Slice(CONDITION),
        "addresses": Slice(Struct("NodeAddress", {"type": GoString("v1.NodeAddressType"), "address": TEXT})),
        "daemonEndpoints": Struct(
            "NodeDaemonEndpoints", {"kubeletEndpoint": Struct("DaemonEndpoint", {"Port": Int("int32")})}
        ),
        "nodeInfo": SYSTEM_INFO,
        "images": Slice(Struct("ContainerImage", {"names": TEXTS, "sizeBytes": INT64})),
        "volumesInUse": Slice(VOLUME_NAME),
        "volumesAttached": Slice(Struct("AttachedVolume", {"name": VOLUME_NAME, "devicePath": TEXT})),
        "config": Pointer(
            Struct(
                "NodeConfigStatus",
                {**dict.fromkeys(("assigned", "active", "lastKnownGood"), CONFIG_SOURCE), "error": TEXT},
            )
        ),
        "runtimeHandlers": Slice(Struct("NodeRuntimeHandler", {"name": TEXT, "features": Pointer(HANDLER_FEATURES)})),
        "features": Pointer(Struct("NodeFeatures", {"supplementalGroupsPolicy": Pointer(BOOL)})),
    },
)
NODE = Struct("Node", {**TYPE_META, "metadata": OBJECT_META, "spec": NODE_SPEC, "status": NODE_STATUS}, IN_TYPE_META)
NODE_LIST = Struct("NodeList", {**TYPE_META, "metadata": LIST_META, "items": Slice(NODE)}, IN_TYPE_META)
