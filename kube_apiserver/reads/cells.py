"""The cells of each kind by column name. Source: pkg/printers/internalversion/printers.go."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from kube_apiserver.reads import amount_cells, other_cells, policy_cells
from kube_apiserver.reads.pod_cells import pod
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = Mapping[str, Any]
Cells = dict[str, Any]
NONE, UNKNOWN, UNSET = "<none>", "<unknown>", "<unset>"


class Now(datetime):
    """The virtual time of a cluster. `wall` is the clients' time, for time stamps ahead of the virtual time."""

    wall: datetime


def cells_of(kind: str, value: Object, now: datetime) -> Cells:
    """Return the cells of a kind besides name and age."""
    printer = _PRINTERS.get(kind)
    return printer(value, now) if printer else {}


def since(written: Any, now: datetime) -> str:
    """Return the age of a time stamp."""
    try:
        when = datetime.fromisoformat(str(written))
    except ValueError:
        return UNKNOWN
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    if isinstance(now, Now) and now < when:
        return duration((now.wall - when).total_seconds())
    return duration((now - when).total_seconds())


def duration(seconds: float) -> str:
    """Return a duration as `kubectl get` prints it. Source: apimachinery/pkg/util/duration HumanDuration."""
    whole = int(seconds)
    if whole < -1:
        return "<invalid>"
    if whole < 0:
        return "0s"
    minutes, hours, days = whole // 60, whole // 3600, whole // 86400
    if whole < 120:
        return f"{whole}s"
    if minutes < 10:
        return f"{minutes}m{whole % 60}s" if whole % 60 else f"{minutes}m"
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m" if minutes % 60 else f"{hours}h"
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d{hours % 24}h" if hours % 24 else f"{days}d"
    if days < 365 * 2:
        return f"{days}d"
    years, left = days // 365, days % 365
    return f"{years}y{left}d" if days < 365 * 8 and left else f"{years}y"


def _spec(value: Object) -> Mapping[str, Any]:
    return value.get("spec") or {}


def _status(value: Object) -> Mapping[str, Any]:
    return value.get("status") or {}


def selector(written: Any) -> str:
    """Return a label selector, or a map of labels, as text."""
    if not written:
        return NONE
    if not isinstance(written, Mapping):
        return UNKNOWN
    if "matchLabels" not in written and "matchExpressions" not in written:
        return ",".join(f"{key}={written[key]}" for key in sorted(written))
    terms = [f"{key}={item}" for key, item in sorted((written.get("matchLabels") or {}).items())]
    for requirement in written.get("matchExpressions") or ():
        values = ",".join(requirement.get("values") or ())
        terms.append(
            {
                "In": f"{requirement.get('key')} in ({values})",
                "NotIn": f"{requirement.get('key')} notin ({values})",
                "Exists": str(requirement.get("key")),
                "DoesNotExist": f"!{requirement.get('key')}",
            }.get(str(requirement.get("operator")), UNKNOWN)
        )
    return ",".join(terms) or NONE


def _pod_template(value: Object) -> Cells:
    containers = ((_spec(value).get("template") or {}).get("spec") or {}).get("containers") or ()
    return {
        "Containers": ",".join(str(each.get("name", "")) for each in containers),
        "Images": ",".join(str(each.get("image", "")) for each in containers),
    }


def _node(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    info, labels = status.get("nodeInfo") or {}, (value.get("metadata") or {}).get("labels") or {}
    ready = next((each for each in status.get("conditions") or () if each.get("type") == "Ready"), None)
    state = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    prefix = "node-role.kubernetes.io/"
    roles = {key.removeprefix(prefix) for key in labels if key.startswith(prefix) and key != prefix}
    if labels.get("kubernetes.io/role"):
        roles.add(labels["kubernetes.io/role"])
    addresses = {each.get("type"): each.get("address") for each in reversed(status.get("addresses") or ())}
    kernel = info.get("kernelVersion")
    if kernel and info.get("architecture"):
        kernel = f"{kernel} ({info['architecture']})"
    return {
        "Status": state + (",SchedulingDisabled" if spec.get("unschedulable") else ""),
        "Roles": ",".join(sorted(roles)) or NONE,
        "Version": info.get("kubeletVersion", ""),
        "Internal-IP": addresses.get("InternalIP") or NONE,
        "External-IP": addresses.get("ExternalIP") or NONE,
        "OS-Image": info.get("osImage") or UNKNOWN,
        "Kernel-Version": kernel or UNKNOWN,
        "Container-Runtime": info.get("containerRuntimeVersion") or UNKNOWN,
    }


def _service(value: Object, now: datetime) -> Cells:
    spec = _spec(value)
    ports = []
    for each in spec.get("ports") or ():
        node_port = f":{each['nodePort']}" if each.get("nodePort") else ""
        ports.append(f"{each.get('port')}{node_port}/{each.get('protocol', 'TCP')}")
    return {
        "Type": spec.get("type", "ClusterIP"),
        "Cluster-IP": spec.get("clusterIP") or NONE,
        "External-IP": _external(value) or NONE,
        "Port(s)": ",".join(ports) or NONE,
        "Selector": selector(spec.get("selector")),
    }


def _external(value: Object) -> str:
    spec = _spec(value)
    addresses = [*(spec.get("externalIPs") or ())]
    if spec.get("type") == "LoadBalancer":
        balancers = (_status(value).get("loadBalancer") or {}).get("ingress") or ()
        addresses = [*(each.get("ip") or each.get("hostname") or "" for each in balancers), *addresses]
        return ",".join(addresses) or "<pending>"
    return str(spec.get("externalName") or "") if spec.get("type") == "ExternalName" else ",".join(addresses)


def _replicas(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    return {
        "Desired": spec.get("replicas", 1),
        "Current": status.get("replicas", 0),
        "Ready": status.get("readyReplicas", 0),
        "Selector": selector(spec.get("selector")),
        **_pod_template(value),
    }


def _deployment(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    return {
        "Ready": f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}",
        "Up-to-date": status.get("updatedReplicas", 0),
        "Available": status.get("availableReplicas", 0),
        "Selector": selector(spec.get("selector")),
        **_pod_template(value),
    }


def _daemon_set(value: Object, now: datetime) -> Cells:
    status = _status(value)
    names = {
        "Desired": "desiredNumberScheduled",
        "Current": "currentNumberScheduled",
        "Ready": "numberReady",
        "Up-to-date": "updatedNumberScheduled",
        "Available": "numberAvailable",
    }
    template = (_spec(value).get("template") or {}).get("spec") or {}
    return {
        **{column: status.get(name, 0) for column, name in names.items()},
        "Node Selector": selector(template.get("nodeSelector")),
        "Selector": selector(_spec(value).get("selector")),
        **_pod_template(value),
    }


def _volume(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    claim = spec.get("claimRef") or {}
    phase = status.get("phase", "")
    return {
        "Capacity": (spec.get("capacity") or {}).get("storage", ""),
        "Access Modes": _modes(spec.get("accessModes")),
        "Reclaim Policy": spec.get("persistentVolumeReclaimPolicy", ""),
        "Status": "Terminating" if (value.get("metadata") or {}).get("deletionTimestamp") else phase,
        "Claim": f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else "",
        "StorageClass": _class_of(value),
        "VolumeAttributesClass": spec.get("volumeAttributesClassName") or UNSET,
        "Reason": status.get("reason", ""),
        "VolumeMode": spec.get("volumeMode") or UNSET,
    }


def _claim(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    is_bound = bool(spec.get("volumeName"))
    terminating = (value.get("metadata") or {}).get("deletionTimestamp")
    return {
        "Status": "Terminating" if terminating else status.get("phase", ""),
        "Volume": spec.get("volumeName", ""),
        "Capacity": (status.get("capacity") or {}).get("storage", "0") if is_bound else "",
        "Access Modes": _modes(status.get("accessModes")) if is_bound else "",
        "StorageClass": _class_of(value),
        "VolumeAttributesClass": spec.get("volumeAttributesClassName") or UNSET,
        "VolumeMode": spec.get("volumeMode") or UNSET,
    }


def _class_of(value: Object) -> str:
    """Return the name of a claim's or a volume's StorageClass, the annotation first.

    Source: GetPersistentVolumeClaimClass.
    """
    annotations = (value.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(CLASS_ANNOTATION, _spec(value).get("storageClassName") or ""))


def _modes(written: Any) -> str:
    short = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
    return ",".join(name for mode, name in short.items() if mode in (written or ()))


def _budget(value: Object, now: datetime) -> Cells:
    spec = _spec(value)
    most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
    return {
        "Min Available": "N/A" if least is None else str(least),
        "Max Unavailable": "N/A" if most is None else str(most),
        "Allowed Disruptions": _status(value).get("disruptionsAllowed", 0),
    }


def _event(value: Object, now: datetime) -> Cells:
    involved, source = value.get("involvedObject") or {}, value.get("source") or {}
    component = source.get("component") or value.get("reportingComponent")
    host = source.get("host") or value.get("reportingInstance")
    first = value.get("firstTimestamp") or value.get("eventTime")
    series = value.get("series") or {}
    last = series.get("lastObservedTime") or value.get("lastTimestamp") or first
    return {
        "Last Seen": since(last, now),
        "Type": value.get("type", ""),
        "Reason": value.get("reason", ""),
        "Object": f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}",
        "Subobject": involved.get("fieldPath", ""),
        "Source": ", ".join(filter(None, (component, host))),
        "Message": str(value.get("message", "")).strip(),
        "First Seen": since(first, now),
        "Count": series.get("count") or value.get("count") or 1,
    }


def _storage_class(value: Object, now: datetime) -> Cells:
    annotations = (value.get("metadata") or {}).get("annotations") or {}
    name = (value.get("metadata") or {}).get("name", "")
    is_default = annotations.get("storageclass.kubernetes.io/is-default-class") == "true"
    return {
        "Name": f"{name} (default)" if is_default else name,
        "Provisioner": value.get("provisioner", ""),
        "ReclaimPolicy": value.get("reclaimPolicy") or "Delete",
        "VolumeBindingMode": value.get("volumeBindingMode") or "Immediate",
        "AllowVolumeExpansion": bool(value.get("allowVolumeExpansion")),
    }


def _priority_class(value: Object, now: datetime) -> Cells:
    return {
        "Value": value.get("value", 0),
        "Global-Default": bool(value.get("globalDefault")),
        "PreemptionPolicy": value.get("preemptionPolicy") or "PreemptLowerPriority",
    }


def _job(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    done, wanted = status.get("succeeded", 0), spec.get("completions")
    parallel = spec.get("parallelism") or 1
    true = {each.get("type") for each in status.get("conditions") or () if each.get("status") == "True"}
    state = next((each for each in ("Complete", "Failed", "Suspended", "FailureTarget") if each in true), "Running")
    terminating = (value.get("metadata") or {}).get("deletionTimestamp")
    many = f"{done}/1 of {parallel}" if parallel > 1 else f"{done}/1"
    begun, over = status.get("startTime"), status.get("completionTime")
    took = ""
    if begun:
        took = since(begun, datetime.fromisoformat(over) if over else now)
    return {
        "Status": "Terminating" if terminating else state,
        "Completions": many if wanted is None else f"{done}/{wanted}",
        "Duration": took,
        "Selector": selector(spec.get("selector")),
        **_pod_template(value),
    }


def _cron_job(value: Object, now: datetime) -> Cells:
    spec, status = _spec(value), _status(value)
    template = {"spec": (spec.get("jobTemplate") or {}).get("spec") or {}}
    last = status.get("lastScheduleTime")
    return {
        "Schedule": spec.get("schedule", ""),
        "Timezone": spec.get("timeZone") or NONE,
        "Suspend": "True" if spec.get("suspend") else "False",
        "Active": len(status.get("active") or ()),
        "Last Schedule": since(last, now) if last else NONE,
        "Selector": selector(template["spec"].get("selector")),
        **_pod_template(template),
    }


def _csi_driver(value: Object, now: datetime) -> Cells:
    spec = _spec(value)
    audiences = [str(each.get("audience", "")) for each in spec.get("tokenRequests") or ()]
    return {
        "AttachRequired": spec.get("attachRequired", True),
        "PodInfoOnMount": spec.get("podInfoOnMount", False),
        "StorageCapacity": spec.get("storageCapacity", False),
        "TokenRequests": ",".join(audiences) or UNSET,
        "RequiresRepublish": spec.get("requiresRepublish", False),
        "Modes": ",".join(spec.get("volumeLifecycleModes") or ["Persistent"]),
    }


_PRINTERS: Mapping[str, Callable[[Object, datetime], Cells]] = {
    **policy_cells.PRINTERS,
    "ClusterRoleBinding": other_cells.role_binding,
    "ControllerRevision": other_cells.controller_revision,
    "APIService": other_cells.api_service,
    "EndpointSlice": other_cells.endpoint_slice,
    "Endpoints": other_cells.endpoints,
    "HorizontalPodAutoscaler": amount_cells.autoscaler,
    "IPAddress": other_cells.ip_address,
    "Ingress": other_cells.ingress,
    "IngressClass": other_cells.ingress_class,
    "NetworkPolicy": lambda value, _: {"Pod-Selector": selector(_spec(value).get("podSelector"))},
    "RoleBinding": other_cells.role_binding,
    "ServiceCIDR": other_cells.service_cidr,
    "VolumeAttributesClass": lambda value, _: {"DriverName": value.get("driverName", "")},
    "ResourceQuota": amount_cells.quota,
    "Scale": lambda value, _: {
        "Desired": _spec(value).get("replicas", 0),
        "Available": _status(value).get("replicas", 0),
    },
    "ComponentStatus": other_cells.component_status,
    "ConfigMap": lambda value, _: {"Data": len(value.get("data") or ()) + len(value.get("binaryData") or ())},
    "CertificateSigningRequest": lambda value, _: other_cells.certificate_request(value, duration),
    "CronJob": _cron_job,
    "CSIDriver": _csi_driver,
    "CSINode": lambda value, _: {"Drivers": len(_spec(value).get("drivers") or ())},
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "Event": _event,
    "Job": _job,
    "Lease": lambda value, _: {"Holder": _spec(value).get("holderIdentity", "")},
    "Namespace": lambda value, _: {"Status": _status(value).get("phase", "Active")},
    "Node": _node,
    "PersistentVolume": _volume,
    "PersistentVolumeClaim": _claim,
    "Pod": lambda value, now: pod(value, lambda written: since(written, now)),
    "PodDisruptionBudget": _budget,
    "PriorityClass": _priority_class,
    "ReplicaSet": _replicas,
    "ReplicationController": _replicas,
    "ResourceClaim": other_cells.resource_claim,
    "ResourceSlice": lambda value, _: {
        "Node": _spec(value).get("nodeName") or "",
        "Driver": _spec(value).get("driver", ""),
        "Pool": (_spec(value).get("pool") or {}).get("name", ""),
    },
    "RuntimeClass": lambda value, _: {"Handler": value.get("handler", "")},
    "Secret": lambda value, _: {"Type": value.get("type", "Opaque"), "Data": len(value.get("data") or ())},
    "Service": _service,
    "StatefulSet": lambda value, _: {
        "Ready": f"{_status(value).get('readyReplicas', 0)}/{_spec(value).get('replicas', 1)}",
        **_pod_template(value),
    },
    "StorageClass": _storage_class,
    "VolumeAttachment": lambda value, _: {
        "Attacher": _spec(value).get("attacher", ""),
        "PV": (_spec(value).get("source") or {}).get("persistentVolumeName", ""),
        "Node": _spec(value).get("nodeName", ""),
        "Attached": bool(_status(value).get("attached")),
    },
}
