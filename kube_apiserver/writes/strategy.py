"""Strategies: the fields that an API server itself sets in an object of each kind.

Source: the strategy.go of each kind in pkg/registry, apiserver/pkg/registry/rest. UIDs and generated names follow from
a seed, so that the same write in the same cluster gives the same object.
"""

import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from kube_apiserver import api_services, causes
from kube_apiserver.access import UserInfo
from kube_apiserver.admission.attributes import ClusterReader
from kube_apiserver.admission.daemon_sets import TEMPLATE_GENERATION, counted, first
from kube_apiserver.admission.pod_parts import CONTAINERS, TEMPLATES
from kube_apiserver.causes import Cause
from kube_apiserver.defaults import table as defaults
from kube_apiserver.defaults import workloads
from kube_apiserver.defaults.fields import clone, get_part, list_objects
from kube_apiserver.pod_fields import quality_of_service
from kube_apiserver.resources import Resource
from kube_apiserver.validation.groups.certificates import APPROVED, DENIED, list_conditions
from kube_apiserver.writes import addresses, codec
from kube_apiserver.writes.options import WriteOptions

Object = dict[str, Any]

WITH_GENERATION = frozenset(
    [
        "CronJob",
        "CustomResourceDefinition",
        "DaemonSet",
        "Deployment",
        "DeviceClass",
        "EndpointSlice",
        "FlowSchema",
        "Ingress",
        "IngressClass",
        "Job",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "NetworkPolicy",
        "Pod",
        "PodDisruptionBudget",
        "PodTemplate",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "ReplicaSet",
        "ReplicationController",
        "ResourceSlice",
        "StatefulSet",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    ]
)
_ADMIN_ACCESS_LABEL = "resource.kubernetes.io/admin-access"
_NO_ADMIN_ACCESS = (
    f"admin access to devices requires the `{_ADMIN_ACCESS_LABEL}: true` label on the containing namespace"
)
_DEVICE_REQUESTS = {"ResourceClaim": ("spec",), "ResourceClaimTemplate": ("spec", "spec")}
_STATUS: Mapping[str, Mapping[str, Any]] = {
    "APIService": {},
    "CertificateSigningRequest": {},
    "CronJob": {},
    "DaemonSet": {},
    "Deployment": {},
    "FlowSchema": {},
    "HorizontalPodAutoscaler": {},
    "Ingress": {},
    "Job": {},
    "PersistentVolumeClaim": {"phase": "Pending"},
    "PodDisruptionBudget": {},
    "PriorityLevelConfiguration": {},
    "ReplicaSet": {},
    "ReplicationController": {},
    "ResourceClaim": {},
    "ResourceQuota": {},
    "Service": {},
    "ServiceCIDR": {},
    "StatefulSet": {},
    "ValidatingAdmissionPolicy": {},
    "VolumeAttachment": {},
}
"""The status of a new object. A status that the client sends is ignored."""
STATUS_OF_SERVER = frozenset([*_STATUS, "Namespace", "PersistentVolume", "Pod"])
_SERVER_METADATA = ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields")
_SOURCES_OF_CLAIMS = (("PersistentVolumeClaim", ""), ("VolumeSnapshot", "snapshot.storage.k8s.io"))
_BEHIND_GATES: Mapping[str, Sequence[str]] = {
    "CSIDriver": ("spec.preventPodSchedulingIfMissing",),
    "Node": ("spec.configSource",),
    "Lease": ("spec.strategy", "spec.preferredHolder"),
    "StatefulSet": ("spec.updateStrategy.rollingUpdate.maxUnavailable",),
}
_JOB_UID, _JOB_NAME = "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"
_OLD_JOB_UID, _OLD_JOB_NAME = "controller-uid", "job-name"


def as_read(resource: Resource, live: Object) -> Object:
    """Return the object with defaults, as a server reads it. Objects from an import or the dashboard may lack them."""
    found = copy.deepcopy(dict(live)) if resource.custom else codec.encode_object(resource, dict(live))
    defaults.set_defaults(resource, found)
    return found


def is_status_of_server(resource: Resource) -> bool:
    """Return True if the server ignores the status of a new object."""
    return resource.custom.has_status if resource.custom else resource.kind in STATUS_OF_SERVER


def without_server_fields(resource: Resource, value: Object) -> Object:
    """Return a new object without the fields that only the server writes. Source: rest.BeforeCreate."""
    metadata = {name: item for name, item in value["metadata"].items() if name not in _SERVER_METADATA}
    if is_status_of_server(resource):
        value = {name: item for name, item in value.items() if name != "status"}
    return {**value, "metadata": metadata}


def with_system_fields(resource: Resource, value: Object, options: WriteOptions) -> Object:
    """Return a new object with its name, uid and time of creation. Source: rest.FillObjectMetaSystemFields."""
    metadata = dict(value["metadata"])
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{str(metadata['generateName'])[:58]}{name_ending(options.seed, options.draw)}"
    metadata.setdefault("name", "")
    metadata["uid"] = new_uid(options.seed, options.draw, resource.kind, metadata)
    metadata["creationTimestamp"] = options.time
    return {**value, "metadata": metadata}


def prepared_for_create(resource: Resource, value: Object, options: WriteOptions) -> Object:
    """Return a new object as the strategy of its kind prepares it. Source: PrepareForCreate of each strategy."""
    kind = resource.kind
    prepared: Object = clone(value)
    if kind in WITH_GENERATION or resource.custom:
        prepared["metadata"]["generation"] = 1
    if kind in _STATUS:
        prepared["status"] = dict(_STATUS[kind])
    _drop_disabled_fields(resource, None, prepared)
    if kind in _NEW:
        _NEW[kind](prepared, options.time)
    if kind == CERTIFICATE_REQUEST:
        set_requester(prepared, options.caller)
    return prepared


def unauthorized_admin_access(resource: Resource, value: Mapping[str, Any], world: ClusterReader) -> Iterator[Cause]:
    """Yield the first request of a new ResourceClaim or template that needs admin access in a namespace without it.

    Source: pkg/registry/resource/utils.go AuthorizedForAdmin.
    """
    if resource.kind not in _DEVICE_REQUESTS or resource.custom is not None:
        return
    spec: Any = value
    for name in _DEVICE_REQUESTS[resource.kind]:
        spec = spec.get(name) or {}
    requests = (spec.get("devices") or {}).get("requests") or ()
    asking = [number for number, each in enumerate(requests) if (each.get("exactly") or {}).get("adminAccess")]
    if not asking:
        return
    namespace = world.get("Namespace", str(value["metadata"].get("namespace") or "")) or {}
    if ((namespace.get("metadata") or {}).get("labels") or {}).get(_ADMIN_ACCESS_LABEL) != "true":
        yield causes.forbidden(f"spec.devices.requests[{asking[0]}].adminAccess", _NO_ADMIN_ACCESS)


def canonical(resource: Resource, value: Object) -> Object:
    """Return a new object in the form in which it is stored. Source: Canonicalize of each strategy."""
    if resource.custom is not None:
        return value
    if resource.kind == "Job":
        # The defaults of a Job see the labels that its strategy wrote only when it is read back.
        value = clone(value)
        workloads.copy_template_labels(value)
    return addresses.canonical(value) if resource.kind == "Service" else value


def without_disabled_fields(resource: Resource, live: Mapping[str, Any], value: Object) -> Object:
    """Return a new object without fields of features that are off, unless the stored object has them."""
    changed: Object = clone(value)
    _drop_disabled_fields(resource, live, changed)
    return changed


def prepared_for_update(resource: Resource, live: Mapping[str, Any], value: Object) -> Object:
    """Return a new object whose generation follows its spec. Source: PrepareForUpdate of each strategy."""
    prepared = {**value, "metadata": dict(value["metadata"])}
    _prepare_update(resource, live, prepared)
    return prepared


def _prepare_update(resource: Resource, live: Mapping[str, Any], value: Object) -> None:
    kind = resource.kind
    if kind == "DaemonSet":
        _count_templates(live, value)
    if kind == "ServiceAccount":
        _service_account(value, "")
    if kind == "CustomResourceDefinition":
        _store_by(value)
    metadata = value["metadata"]
    # The generation of a new CSIDriver is 0.
    if (metadata.get("generation") or kind == "CSIDriver") and _asks(resource, live) != _asks(resource, value):
        metadata["generation"] = int(metadata.get("generation") or 0) + 1


def _asks(resource: Resource, value: Mapping[str, Any]) -> Any:
    metadata = value["metadata"]
    if resource.custom is not None:
        left = ("metadata", "status") if resource.custom.has_status else ("metadata",)
        return {name: part for name, part in value.items() if name not in left}
    match resource.kind:
        case "Deployment":
            return value.get("spec"), metadata.get("annotations") or None
        case "EndpointSlice":
            return [value.get(name) for name in ("endpoints", "ports", "addressType")], metadata.get("labels")
        case "PriorityClass":
            # Changes of its mutable fields don't count.
            return None
        case "PodTemplate":
            return value.get("template")
        case "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration":
            return value.get("webhooks")
    return value.get("spec")


def _pod(value: Object, time: str) -> None:
    spec = value.get("spec") or {}
    status: Object = {"phase": "Pending"}
    if spec.get("schedulingGates"):
        condition = {
            "lastProbeTime": None,
            "lastTransitionTime": time,
            "message": "Scheduling is blocked due to non-empty scheduling gates",
            "reason": "SchedulingGated",
            "status": "False",
            "type": "PodScheduled",
        }
        status["conditions"] = [condition]
    value["status"] = {**status, "qosClass": quality_of_service(spec)}
    _take_label_keys(spec, value["metadata"].get("labels") or {})


def _take_label_keys(spec: Object, labels: Mapping[str, Any]) -> None:
    """Add the labels of matchLabelKeys to the selectors. Source: mutatePodAffinity and what follows it there."""
    terms = list_objects(spec.get("topologySpreadConstraints"))
    for kind in ("podAffinity", "podAntiAffinity"):
        affinity = get_part(spec.get("affinity"), kind)
        terms += list_objects(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
        preferred = list_objects(affinity.get("preferredDuringSchedulingIgnoredDuringExecution"))
        terms += [get_part(each, "podAffinityTerm") for each in preferred]
    for term in terms:
        selector = term.get("labelSelector")
        wanted = [
            {"key": key, "operator": operator, "values": [labels[key]]}
            for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
            for key in get_part(term, name, list)
            if isinstance(key, str) and key in labels
        ]
        if isinstance(selector, dict) and wanted:
            selector["matchExpressions"] = [*get_part(selector, "matchExpressions", list), *wanted]


def _namespace(value: Object, time: str) -> None:
    finalizers = [each for each in (value.get("spec") or {}).get("finalizers") or () if each != "kubernetes"]
    value["spec"] = {"finalizers": [*finalizers, "kubernetes"]}
    value["status"] = {"phase": "Active"}


def _volume(value: Object, time: str) -> None:
    value["status"] = {"lastPhaseTransitionTime": time, "phase": "Pending"}


def _name_sources(live: Mapping[str, Any] | None, value: Object) -> None:
    """Set both names of a claim's data source, and drop a source of an unsupported type from a new claim.

    Source: pkg/api/persistentvolumeclaim NormalizeDataSources, EnforceDataSourceBackwardsCompatibility.
    """
    spec, was = value.get("spec"), get_part(live or {}, "spec")
    if not isinstance(spec, dict):
        return
    new = spec.get("dataSourceRef")
    if isinstance(new, dict) and new.get("namespace") and not get_part(was, "dataSourceRef").get("namespace"):
        # The gate CrossNamespaceVolumeDataSource is off.
        del spec["dataSourceRef"]
    old, new = spec.get("dataSource"), spec.get("dataSourceRef")
    if isinstance(old, dict) and new is None:
        is_known = (old.get("kind"), old.get("apiGroup") or "") in _SOURCES_OF_CLAIMS
        if not is_known and not {"dataSource", "dataSourceRef"} & was.keys():
            del spec["dataSource"]
        else:
            spec["dataSourceRef"] = dict(old)
    elif isinstance(new, dict) and old is None and not new.get("namespace"):
        spec["dataSource"] = {key: item for key, item in new.items() if key != "namespace"}


def _definition(value: Object, time: str) -> None:
    """Set the status of a new CRD. `custom/definitions.py` adds the status of the controllers."""
    stored = _stored_versions(value)
    value["status"] = {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored}


def _stored_versions(value: Mapping[str, Any]) -> list[str]:
    versions = list_objects(get_part(value.get("spec"), "versions", list))
    return [each.get("name", "") for each in versions if each.get("storage")][:1]


def _store_by(value: Object) -> None:
    """Add the storage version to the versions in which objects were stored."""
    status = value.get("status") or {}
    before = status.get("storedVersions") or []
    value["status"] = {
        **status,
        "storedVersions": [*before, *(each for each in _stored_versions(value) if each not in before)],
    }


def _daemon_set(value: Object, time: str) -> None:
    annotations = value["metadata"].get("annotations") or {}
    number = first(annotations.get(TEMPLATE_GENERATION))
    value["metadata"]["annotations"] = {**annotations, TEMPLATE_GENERATION: number}


def _count_templates(live: Mapping[str, Any], value: Object) -> None:
    was = (live["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "1")
    templates = [(each.get("spec") or {}).get("template") for each in (live, value)]
    number = counted(was, templates[0] != templates[1])
    annotations = value["metadata"].get("annotations") or {}
    value["metadata"]["annotations"] = {**annotations, TEMPLATE_GENERATION: number}


def _drop_disabled_fields(resource: Resource, live: Mapping[str, Any] | None, value: Object) -> None:
    for path in _BEHIND_GATES.get(resource.kind, ()):
        was, holder = live or {}, value
        *above, name = path.split(".")
        for each in above:
            was, holder = get_part(was, each), get_part(holder, each)
        if was.get(name) is None:
            holder.pop(name, None)
    if resource.kind == "PersistentVolumeClaim":
        _name_sources(live, value)
    if resource.kind == "Pod" or resource.kind in TEMPLATES:
        _drop_signals(_pod_spec(resource.kind, live or {}), _pod_spec(resource.kind, value))
    if resource.kind == "Namespace" and live is not None and "spec" in live:
        # Only the subresource `finalize` changes the finalizers.
        value["spec"] = copy.deepcopy(live["spec"])
    if resource.kind == "EndpointSlice" and (live is None or live.get("endpoints") != value.get("endpoints")):
        for endpoint in list_objects(value.get("endpoints")):
            endpoint.pop("deprecatedTopology", None)


def _pod_spec(kind: str, value: Mapping[str, Any]) -> Object:
    for name in TEMPLATES.get(kind, ()):
        value = get_part(value, name)
    found: Object = get_part(value, "spec")
    return found


def _drop_signals(was: Object, spec: Object) -> None:
    """Drop stop signals, because the gate ContainerStopSignals is off. Source: pkg/api/pod dropContainerStopSignals."""
    hooks = [
        [get_part(each, "lifecycle") for name in CONTAINERS for each in list_objects(of.get(name))]
        for of in (was, spec)
    ]
    if not any("stopSignal" in each for each in hooks[0]):
        for each in hooks[1]:
            each.pop("stopSignal", None)


def _slice(value: Object, time: str) -> None:
    for device in list_objects(get_part(value.get("spec"), "devices", list)):
        for attribute in get_part(device, "attributes").values():
            # The gate DRAListTypeAttributes is off.
            for name in ("bools", "ints", "strings", "versions"):
                attribute.pop(name, None)
        for taint in list_objects(device.get("taints")):
            taint.setdefault("timeAdded", time)


def _job(value: Object, time: str) -> None:
    """Set the selector of a Job and the labels of its Pods. Source: jobStrategy.generateSelector."""
    spec, metadata = value.get("spec"), value["metadata"]
    template = spec.setdefault("template", {}) if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(template, dict) or spec.get("manualSelector"):
        return
    uid, name = metadata["uid"], metadata["name"]
    added = {_JOB_UID: uid, _JOB_NAME: name, _OLD_JOB_UID: uid, _OLD_JOB_NAME: name}
    of_template = template["metadata"] = dict(template.get("metadata") or {})
    # Upstream shares the map, too: a Job without labels gets those of its template.
    is_shared = bool(of_template.get("labels")) and metadata.get("labels") == of_template["labels"]
    # Validation rejects a client's own value of such a label.
    of_template["labels"] = {**added, **(of_template.get("labels") or {})}
    if is_shared:
        metadata["labels"] = copy.deepcopy(of_template["labels"])
    selector = spec.get("selector") if isinstance(spec.get("selector"), dict) else {}
    # Validation rejects a client's own selector.
    spec["selector"] = {
        **(selector or {}),
        "matchLabels": {_JOB_UID: uid, **((selector or {}).get("matchLabels") or {})},
    }


def _node(value: Object, time: str) -> None:
    """Drop the status of a removed feature. Source: dropDisabledFields of registry/core/node."""
    get_part(value, "status").pop("config", None)


def _service_account(value: Object, time: str) -> None:
    """Reduce references to Secrets to their names. Source: cleanSecretReferences."""
    if value.get("secrets"):
        value["secrets"] = [{name: each[name] for name in ("name",) if name in each} for each in value["secrets"]]


def _limit_range(value: Object, time: str) -> None:
    """Name a LimitRange without a name. Source: registry/core/limitrange."""
    if not value["metadata"].get("name"):
        value["metadata"]["name"] = value["metadata"]["uid"]


def _api_service(value: Object, time: str) -> None:
    if api_services.is_local(value):
        value["status"] = dict(api_services.local(time))


_NEW: Mapping[str, Callable[[Object, str], None]] = {
    "APIService": _api_service,
    "CustomResourceDefinition": _definition,
    "DaemonSet": _daemon_set,
    "Job": _job,
    "LimitRange": _limit_range,
    "Namespace": _namespace,
    "Node": _node,
    "PersistentVolume": _volume,
    "Pod": _pod,
    "ResourceSlice": _slice,
    "ServiceAccount": _service_account,
}


_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def new_uid(seed: str, draw: int, kind: str, metadata: Mapping[str, Any]) -> str:
    """Return the same UID for the same write in the same cluster."""
    name = metadata.get("name", "")
    return str(UUID(bytes=_drawn(seed, draw, kind, metadata.get("namespace"), name)[:16], version=4))


def name_ending(seed: str, draw: int) -> str:
    """Return the random ending of a generated name. Source: apiserver/pkg/storage/names."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in _drawn(seed, draw, "name")[:5])


def _drawn(seed: str, draw: int, *about: Any) -> bytes:
    return hashlib.sha256(json.dumps([seed, draw, *about]).encode()).digest()


CERTIFICATE_REQUEST, APPROVAL = "CertificateSigningRequest", "approval"


def set_requester(value: Object, who: UserInfo | None) -> None:
    """Set the requester to the caller, whatever the client sends."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return
    for name in ("username", "uid", "groups", "extra"):
        spec.pop(name, None)
    if who is not None:
        extra = {name: list(values) for name, values in who.extra.items()}
        found = {"username": who.name, "uid": who.uid, "groups": list(who.groups), "extra": extra}
        spec |= {name: part for name, part in found.items() if part}


def certificate_status(subresource: str, live: Mapping[str, Any], value: Object, time: str) -> Object:
    """Return the status after a write of a subresource: conditions, and the certificate of the subresource `status`."""
    sent, was = dict(value.get("status") or {}), dict(live.get("status") or {})
    new_conditions = [dict(condition) for condition in sent.get("conditions") or ()]
    if subresource != APPROVAL:
        for kind in (APPROVED, DENIED):
            _keep(kind, live, new_conditions)
    for condition in new_conditions:
        condition["lastUpdateTime"] = condition.get("lastUpdateTime") or time
        condition["lastTransitionTime"] = condition.get("lastTransitionTime") or _since(condition, live) or time
    status = was if subresource == APPROVAL else sent
    status.pop("conditions", None)
    return {**status, **({"conditions": new_conditions} if new_conditions else {})}


def _keep(kind: str, live: Mapping[str, Any], found: list[Object]) -> None:
    before, numbers = list_conditions(live, kind), [n for n, each in enumerate(found) if each.get("type") == kind]
    if len(before) == len(numbers):
        for number, each in zip(numbers, before, strict=True):
            found[number] = dict(each)


def _since(condition: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
    same = list_conditions(live, str(condition.get("type") or ""))
    times = (each.get("lastTransitionTime") for each in same if each.get("status") == condition.get("status"))
    return next(filter(None, times), None)
