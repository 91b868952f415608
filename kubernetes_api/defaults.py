"""What an API server fills in where a client left it out. Source: pkg/apis/core/v1/defaults.go, default admission."""

from collections.abc import Callable, Mapping
from typing import Any

from kubernetes_api.quality import quality_of_service

Object = dict[str, Any]

_NOT_READY = "node.kubernetes.io/not-ready"
_NODE_INFO = (
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)
_PATIENCE = [
    {"effect": "NoExecute", "key": f"node.kubernetes.io/{name}", "operator": "Exists", "tolerationSeconds": 300}
    for name in ("not-ready", "unreachable")
]


def fill_in(kind: str, value: Object) -> None:
    """Changes a new object."""
    filler = _FILLERS.get(kind)
    if filler is not None:
        filler(value)


def _pod(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    spec.setdefault("enableServiceLinks", True)
    _pod_spec(spec)
    status = value.setdefault("status", {})
    status.setdefault("phase", "Pending")
    status.setdefault("qosClass", quality_of_service(spec))


def admit(kind: str, value: Object) -> None:
    """What admission adds to a new object, after its fields have got their owner."""
    if kind == "Node":
        _not_ready(value)
    spec = value.get("spec")
    if kind != "Pod" or not isinstance(spec, dict):
        return
    tolerations = spec.get("tolerations") or []
    if isinstance(tolerations, list):
        missing = [each for each in _PATIENCE if not any(_covers(there, each) for there in tolerations)]
        spec["tolerations"] = [*tolerations, *missing]
    if not spec.get("priorityClassName") and spec.get("priority") is None:
        spec["priority"], spec["preemptionPolicy"] = 0, spec.get("preemptionPolicy", "PreemptLowerPriority")


def _covers(there: Any, wanted: Mapping[str, Any]) -> bool:
    if not isinstance(there, dict) or there.get("effect") not in (None, "", "NoExecute"):
        return False
    return there.get("key") == wanted["key"] or (not there.get("key") and there.get("operator") == "Exists")


def _pod_spec(spec: Object) -> None:
    for key, default in (
        ("dnsPolicy", "ClusterFirst"),
        ("restartPolicy", "Always"),
        ("schedulerName", "default-scheduler"),
        ("terminationGracePeriodSeconds", 30),
    ):
        spec.setdefault(key, default)
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    for name in ("initContainers", "containers"):
        for each in _dicts(spec.get(name)):
            _container(each)


def _container(container: Object) -> None:
    image = str(container.get("image", ""))
    tag = image.rpartition("/")[2].partition(":")[2]
    is_latest = "@" not in image and tag in ("", "latest")
    container.setdefault("imagePullPolicy", "Always" if is_latest else "IfNotPresent")
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    container.setdefault("resources", {})
    for port in _dicts(container.get("ports")):
        port.setdefault("protocol", "TCP")
    resources = container["resources"]
    if isinstance(resources, dict) and isinstance(resources.get("limits"), dict):
        # What is limited and not asked for is asked for.
        requests = resources.get("requests") or {}
        if isinstance(requests, dict):
            resources["requests"] = {**resources["limits"], **requests}


def _template(value: Object) -> None:
    spec = value.get("spec")
    template = spec.get("template") if isinstance(spec, dict) else None
    inner = template.get("spec") if isinstance(template, dict) else None
    if isinstance(inner, dict):
        _pod_spec(inner)
    if isinstance(spec, dict) and value["kind"] in ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"):
        spec.setdefault("replicas", 1)
    value.setdefault("status", {})


def _namespace(value: Object) -> None:
    metadata = value["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata.get("name", "")}
    value["spec"] = {"finalizers": ["kubernetes"]}
    value["status"] = {"phase": "Active"}


def _not_ready(value: Object) -> None:
    """A node's controller takes the taint away once it has seen it ready; until then nothing is put there."""
    spec = value.setdefault("spec", {})
    if isinstance(spec, dict):
        taints = spec.get("taints") or []
        if isinstance(taints, list) and not any(_is_not_ready(each) for each in taints):
            spec["taints"] = [*taints, {"effect": "NoSchedule", "key": _NOT_READY}]


def _node(value: Object) -> None:
    value.setdefault("spec", {})
    status = value.setdefault("status", {})
    if isinstance(status, dict):
        status.setdefault("daemonEndpoints", {"kubeletEndpoint": {"Port": 0}})
        info = status.get("nodeInfo")
        status["nodeInfo"] = {**dict.fromkeys(_NODE_INFO, ""), **(info if isinstance(info, dict) else {})}


def _is_not_ready(taint: Any) -> bool:
    return isinstance(taint, dict) and (taint.get("key"), taint.get("effect")) == (_NOT_READY, "NoSchedule")


def _volume(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if isinstance(spec, dict):
        spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
        spec.setdefault("volumeMode", "Filesystem")
    value["status"] = {"phase": "Pending"}


def _storage_class(value: Object) -> None:
    value.setdefault("reclaimPolicy", "Delete")
    value.setdefault("volumeBindingMode", "Immediate")


def _priority_class(value: Object) -> None:
    value.setdefault("preemptionPolicy", "PreemptLowerPriority")


def _secret(value: Object) -> None:
    value.setdefault("type", "Opaque")


def _claim(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if isinstance(spec, dict):
        spec.setdefault("volumeMode", "Filesystem")
    value.setdefault("status", {}).setdefault("phase", "Pending")


def _dicts(items: Any) -> list[Object]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


_FILLERS: Mapping[str, Callable[[Object], None]] = {
    "DaemonSet": _template,
    "Deployment": _template,
    "Namespace": _namespace,
    "Node": _node,
    "PersistentVolume": _volume,
    "PersistentVolumeClaim": _claim,
    "Pod": _pod,
    "PriorityClass": _priority_class,
    "ReplicaSet": _template,
    "ReplicationController": _template,
    "Secret": _secret,
    "StatefulSet": _template,
    "StorageClass": _storage_class,
}
