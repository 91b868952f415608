"""Warnings by kind. Source: WarningsOnCreate and WarningsOnUpdate of pkg/registry."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kube_apiserver.admission.amounts import nano
from kube_apiserver.validation.groups import ingresses
from kube_apiserver.warnings import pods
from kube_apiserver.warnings.pods import DEPRECATED_LABELS, warn_about_fractions, warn_about_node_terms
from kube_objects import names
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = Mapping[str, Any]
Warned = Callable[[Object, Object | None], Iterator[str]]

_TEMPLATE = "spec.template"
_OLD_ANNOTATIONS = {
    CLASS_ANNOTATION: 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
}
_OLD_VOLUMES = {
    "cephfs": ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    "photonPersistentDisk": ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    "scaleIO": ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    "storageos": ("storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    "glusterfs": ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    "rbd": ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
}
_RECYCLED = (
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach "
    "is to use dynamic provisioning."
)
_HINTS = "service.kubernetes.io/topology-aware-hints"
_HISTORY = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
_MANY = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes "
    "might not be able to track completedIndexes when a big number of indexes fail"
)
_TOKENS = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)
_MOUNTABLE = "kubernetes.io/enforce-mountable-secrets"


def list_warnings(kind: str, value: Object, live: Object | None) -> list[str]:
    """Return the warnings about `value`. `live` is the stored object, or None for a new object."""
    warn = _BY_KIND.get(kind)
    return [] if warn is None else list(warn(value, live))


def _warn_about_name(value: Object, message: str) -> Iterator[str]:
    rule = names.dns_label(str(value["metadata"].get("name") or ""))
    if rule:
        detail = "which can result in surprising behavior; a DNS label is recommended"
        yield f"metadata.name: this is used in {message}, {detail}: [{rule.replace('; ', ' ')}]"


def _warn_about_pod(value: Object, live: Object | None) -> Iterator[str]:
    if live is None:
        yield from _warn_about_name(value, "the Pod's hostname")
        yield from pods.warn_about_pod(value.get("metadata") or {}, value.get("spec") or {}, "")


def _has_new_spec(value: Object, live: Object | None) -> bool:
    return live is None or live.get("spec") != value.get("spec")


def _warn_about_template(value: Object, path: str = _TEMPLATE) -> Iterator[str]:
    found_template: Any = value
    for name in path.split("."):
        found_template = (found_template or {}).get(name)
    yield from pods.warn_about_template(found_template or {}, path)


def _warn_about_workload(value: Object, live: Object | None) -> Iterator[str]:
    if live is None:
        yield from _warn_about_name(value, "Pod names and hostnames")
    if _has_new_spec(value, live):
        yield from _warn_about_template(value)


def _warn_about_pod_template(value: Object, live: Object | None) -> Iterator[str]:
    if live is None or live.get("template") != value.get("template"):
        yield from _warn_about_template(value, "template")


def _warn_about_daemon_set(value: Object, live: Object | None) -> Iterator[str]:
    templates = [((each or {}).get("spec") or {}).get("template") for each in (live, value)]
    if live is None or templates[0] != templates[1]:
        yield from _warn_about_template(value)


def _warn_about_stateful_set(value: Object, live: Object | None) -> Iterator[str]:
    spec = value.get("spec") or {}
    if _has_new_spec(value, live):
        yield from _warn_about_template(value)
    for number, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        claim_path = f"spec.volumeClaimTemplates[{number}]{'' if live is None else '.Spec'}"
        yield from warn_about_fractions(claim.get("spec") or {}, claim_path, ("storage",))
    if (spec.get("revisionHistoryLimit") or 0) < 0:
        yield _HISTORY


def _warn_about_job_spec(spec: Object, path: str) -> Iterator[str]:
    is_large = (spec.get("completions") or 0) > 100_000 and (spec.get("parallelism") or 0) > 10_000
    if is_large and spec.get("completionMode") == "Indexed":
        yield f"{path}: {_MANY}"
    yield from pods.warn_about_template(spec.get("template") or {}, f"{path}.template")


def _warn_about_job(value: Object, live: Object | None) -> Iterator[str]:
    if live is None:
        yield from _warn_about_name(value, "Pod names and hostnames")
    if _has_new_spec(value, live):
        yield from _warn_about_job_spec(value.get("spec") or {}, "spec")


def _warn_about_cron_job(value: Object, live: Object | None) -> Iterator[str]:
    spec = value.get("spec") or {}
    if live is None:
        yield from _warn_about_name(value, "Pod names and hostnames")
    if _has_new_spec(value, live):
        yield from _warn_about_job_spec((spec.get("jobTemplate") or {}).get("spec") or {}, "spec.jobTemplate.spec")
    if live is not None and "TZ" in str(spec.get("schedule") or ""):
        place = "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/"
        yield f"cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see {place} for more details"


def _warn_about_node(value: Object, live: Object | None) -> Iterator[str]:
    spec = value.get("spec") or {}
    if spec.get("configSource") is not None:
        yield "spec.configSource: the feature is removed"
    if spec.get("externalID"):
        yield "spec.externalID: this field is deprecated, and is unused by Kubernetes"


def _warn_about_persistent_volume(value: Object, live: Object | None) -> Iterator[str]:
    spec, annotations = value.get("spec") or {}, value["metadata"].get("annotations") or {}
    for name, message in _OLD_ANNOTATIONS.items():
        if name in annotations:
            yield f"metadata.annotations[{name}]: {message}"
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        yield _RECYCLED
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    yield from warn_about_node_terms(required.get("nodeSelectorTerms"), "spec.nodeAffinity.required.nodeSelectorTerms")
    for key, (name, message) in _OLD_VOLUMES.items():
        if spec.get(key) is not None:
            yield f"spec.{name}: {message}"


def _warn_about_claim(value: Object, live: Object | None) -> Iterator[str]:
    if CLASS_ANNOTATION in (value["metadata"].get("annotations") or {}):
        yield f"metadata.annotations[{CLASS_ANNOTATION}]: {_OLD_ANNOTATIONS[CLASS_ANNOTATION]}"
    yield from warn_about_fractions(value.get("spec") or {}, "spec", ("storage",))


def _warn_about_service(value: Object, live: Object | None) -> Iterator[str]:
    spec = value.get("spec") or {}
    kind, outside = spec.get("type"), spec.get("externalIPs") or ()
    is_headless = kind == "ClusterIP" and spec.get("clusterIP") == "None"
    if _HINTS in (value["metadata"].get("annotations") or {}):
        yield f"annotation {_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"
    if spec.get("clusterIP") not in (None, "", "None"):
        yield from pods.warn_about_ips(spec.get("clusterIPs"), "spec.clusterIPs")
    if is_headless:
        for key in ("loadBalancerIP", "externalIPs"):
            if spec.get(key):
                yield f"spec.{key} is ignored for headless services"
        if spec.get("sessionAffinity") not in (None, "None"):
            yield "spec.SessionAffinity is ignored for headless services"
    yield from pods.warn_about_ips(outside, "spec.externalIPs")
    if outside and not is_headless and kind != "ExternalName":
        yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
    if spec.get("loadBalancerIP"):
        yield from pods.warn_about_ip(str(spec["loadBalancerIP"]), "spec.loadBalancerIP")
    if kind == "ExternalName" and outside:
        yield 'spec.externalIPs is ignored when spec.type is "ExternalName"'
    if kind != "ExternalName" and spec.get("externalName"):
        yield 'spec.externalName is ignored when spec.type is not "ExternalName"'
    if spec.get("trafficDistribution") == "PreferClose":
        yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'


def _warn_about_quota(value: Object, live: Object | None) -> Iterator[str]:
    hard = (value.get("spec") or {}).get("hard") or {}
    for name in ("cpu", "memory", "ephemeral-storage") if live is None else ():
        request_name = f"requests.{name}"
        if request_name not in hard and name != "ephemeral-storage":
            request_name = name
        limit = f"limits.{name}"
        if request_name in hard and limit in hard and nano(hard[request_name]) > nano(hard[limit]):
            yield f"ResourceQuota {request_name} ({hard[request_name]}) should be less than {limit} ({hard[limit]})"


def _warn_about_storage_class(value: Object, live: Object | None) -> Iterator[str]:
    for number, term in enumerate(value.get("allowedTopologies") or ()):
        for place, requirement in enumerate(term.get("matchLabelExpressions") or ()):
            if requirement.get("key") in DEPRECATED_LABELS:
                key_path = f"allowedTopologies[{number}].matchLabelExpressions[{place}].key"
                yield f"{key_path}: {DEPRECATED_LABELS[requirement['key']]}"


def _warn_about_runtime_class(value: Object, live: Object | None) -> Iterator[str]:
    for key in sorted((value.get("scheduling") or {}).get("nodeSelector") or {}):
        if key in DEPRECATED_LABELS:
            yield f"scheduling.nodeSelector: {DEPRECATED_LABELS[key]}"


def _warn_about_service_account(value: Object, live: Object | None) -> Iterator[str]:
    was = ((live or {}).get("metadata") or {}).get("annotations") or {}
    if _MOUNTABLE in (value["metadata"].get("annotations") or {}) and _MOUNTABLE not in was:
        message = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        yield f"metadata.annotations[{_MOUNTABLE}]: {message}"


def _warn_about_resource_slice(value: Object, live: Object | None) -> Iterator[str]:
    name = str((value.get("spec") or {}).get("driver") or "")
    if name != name.lower():
        yield f'spec.driver: driver names should be lowercase; "{name}" contains uppercase characters'


def _warn_about_csi_driver(value: Object, live: Object | None) -> Iterator[str]:
    was, spec = (live or {}).get("spec") or {}, value.get("spec") or {}
    requests = spec.get("tokenRequests")
    is_new = live is None or was.get("tokenRequests") != requests
    if requests and is_new and spec.get("serviceAccountTokenInSecrets") is None:
        yield _TOKENS


_OF_ENDPOINTS, _OF_SLICE = "endpoints.kubernetes.io/managed-by", "endpointslice.kubernetes.io/managed-by"
# Controllers whose addresses are already canonical.
_CONTROLLERS = {
    _OF_ENDPOINTS: ("endpoint-controller",),
    _OF_SLICE: ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"),
}


def _warn_about_ingress(value: Object, live: Object | None) -> Iterator[str]:
    annotations = value["metadata"].get("annotations") or {}
    has_class = (value.get("spec") or {}).get("ingressClassName") is not None
    if live is None and ingresses.CLASS_ANNOTATION in annotations and not has_class:
        yield f"annotation \"{ingresses.CLASS_ANNOTATION}\" is deprecated, please use 'spec.ingressClassName' instead"


def _warn_about_endpoint_slice(value: Object, live: Object | None) -> Iterator[str]:
    if live is None and value.get("addressType") == "FQDN":
        yield "spec.addressType: FQDN endpoints are deprecated"
    if _is_by_controller(value, _OF_SLICE):
        return
    for number, each in enumerate(value.get("endpoints") or ()):
        yield from pods.warn_about_ips(each.get("addresses"), f"endpoints[{number}].addresses")


def _warn_about_endpoints(value: Object, live: Object | None) -> Iterator[str]:
    if _is_by_controller(value, _OF_ENDPOINTS):
        return
    for number, subset in enumerate(value.get("subsets") or ()):
        for name in ("addresses", "notReadyAddresses"):
            for place, each in enumerate(subset.get(name) or ()):
                yield from pods.warn_about_ip(str(each.get("ip") or ""), f"subsets[{number}].{name}[{place}].ip")


def _is_by_controller(value: Object, label: str) -> bool:
    return (value["metadata"].get("labels") or {}).get(label) in _CONTROLLERS[label]


def _warn_about_network_policy(value: Object, live: Object | None) -> Iterator[str]:
    for direction, peers_key in (("ingress", "from"), ("egress", "to")):
        for number, rule in enumerate((value.get("spec") or {}).get(direction) or ()):
            for place, peer in enumerate(rule.get(peers_key) or ()):
                block, block_path = (
                    peer.get("ipBlock") or {},
                    f"spec.{direction}[{number}].{peers_key}[{place}].ipBlock",
                )
                yield from pods.warn_about_cidr(str(block.get("cidr") or ""), f"{block_path}.cidr")
                for index, text in enumerate(block.get("except") or ()):
                    yield from pods.warn_about_cidr(str(text), f"{block_path}.except[{index}]")


_BY_KIND: Mapping[str, Warned] = {
    "CSIDriver": _warn_about_csi_driver,
    "CronJob": _warn_about_cron_job,
    "DaemonSet": _warn_about_daemon_set,
    "Deployment": _warn_about_workload,
    "EndpointSlice": _warn_about_endpoint_slice,
    "Endpoints": _warn_about_endpoints,
    "Ingress": _warn_about_ingress,
    "Job": _warn_about_job,
    "NetworkPolicy": _warn_about_network_policy,
    "Node": _warn_about_node,
    "PersistentVolume": _warn_about_persistent_volume,
    "PersistentVolumeClaim": _warn_about_claim,
    "Pod": _warn_about_pod,
    "PodTemplate": _warn_about_pod_template,
    "ReplicaSet": _warn_about_workload,
    "ReplicationController": _warn_about_workload,
    "ResourceQuota": _warn_about_quota,
    "ResourceSlice": _warn_about_resource_slice,
    "RuntimeClass": _warn_about_runtime_class,
    "Service": _warn_about_service,
    "ServiceAccount": _warn_about_service_account,
    "StatefulSet": _warn_about_stateful_set,
    "StorageClass": _warn_about_storage_class,
}
