"""Defaults of Pods and Pod templates. Source: pkg/apis/core/v1/defaults.go."""

import re
from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.defaults.fields import Object, fill, get_part, list_objects
from kube_objects.quantity import Quantity, QuantityError, parse_quantity

POD_SPEC: Mapping[str, Any] = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "securityContext": {},
    "terminationGracePeriodSeconds": 30,
}
CONTAINER: Mapping[str, Any] = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "ports[].protocol": "TCP",
    "env[].valueFrom.fieldRef.apiVersion": "v1",
    "lifecycle.postStart.httpGet.scheme": "HTTP",
    "lifecycle.preStop.httpGet.scheme": "HTTP",
    "lifecycle.postStart.httpGet.path": "/",
    "lifecycle.preStop.httpGet.path": "/",
}
PROBE: Mapping[str, Any] = {
    "timeoutSeconds": 1,
    "periodSeconds": 10,
    "successThreshold": 1,
    "failureThreshold": 3,
    "httpGet.path": "/",
    "httpGet.scheme": "HTTP",
    "grpc.service": "",
}
# Sources that Pods' volumes and PersistentVolumes share.
VOLUME_SOURCE: Mapping[str, Any] = {
    "hostPath.type": "",
    "iscsi.iscsiInterface": "default",
    "rbd.pool": "rbd",
    "rbd.user": "admin",
    "rbd.keyring": "/etc/ceph/keyring",
    "azureDisk.cachingMode": "ReadWrite",
    "azureDisk.fsType": "ext4",
    "azureDisk.readOnly": False,
    "azureDisk.kind": "Shared",
    "scaleIO.storageMode": "ThinProvisioned",
    "scaleIO.fsType": "xfs",
}
VOLUME: Mapping[str, Any] = {
    **VOLUME_SOURCE,
    "secret.defaultMode": 420,
    "configMap.defaultMode": 420,
    "downwardAPI.defaultMode": 420,
    "downwardAPI.items[].fieldRef.apiVersion": "v1",
    "projected.defaultMode": 420,
    "projected.sources[].serviceAccountToken.expirationSeconds": 3600,
    "projected.sources[].downwardAPI.items[].fieldRef.apiVersion": "v1",
    "ephemeral.volumeClaimTemplate.metadata": {},
    "ephemeral.volumeClaimTemplate.spec.volumeMode": "Filesystem",
}
# Source: distribution/reference (the path and its host).
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE = re.compile(rf"(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?{_PART}(?:/{_PART})*(?::[\w][\w.-]{{0,127}})?", re.ASCII)
_LONG_IMAGE = 256 - len("docker.io/library/")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def set_pod_defaults(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork") is True:
        _set_host_ports(spec)
    set_pod_spec_defaults(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        # A negative time becomes 1 in Pods, but not in templates.
        spec["terminationGracePeriodSeconds"] = 1
    for name in ("initContainers", "containers"):
        for container in list_objects(spec.get(name)):
            _copy_limits_to_requests(container)
    set_pod_level_resource_defaults(spec)


def set_pod_spec_defaults(spec: Any) -> None:
    """Fill in the spec of a Pod or of a Pod template."""
    if not isinstance(spec, dict):
        return
    fill(spec, POD_SPEC)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for name in CONTAINERS:
        for item in list_objects(spec.get(name)):
            set_container_defaults(item)
    for item in list_objects(spec.get("volumes")):
        set_volume_defaults(item)
    for item in list_objects(spec.get("topologySpreadConstraints")):
        item.setdefault("whenUnsatisfiable", "DoNotSchedule")


def set_pod_template_spec_defaults(value: Any) -> None:
    """Fill in a PodTemplateSpec."""
    if isinstance(value, dict):
        # Go encodes this struct even if it is empty, because it is no pointer.
        fill(value, {"metadata": {}})
        set_pod_spec_defaults(value.get("spec"))


def set_volume_defaults(value: Object) -> None:
    if not any(name != "name" for name in value):
        value["emptyDir"] = {}
    fill(value, VOLUME)


def set_container_defaults(value: Object) -> None:
    image = str(value.get("image") or "")
    tag = image.rpartition("/")[2].partition(":")[2]
    # An invalid image reference has no tag, not even the default one.
    is_latest = "@" not in image and tag in ("", "latest") and len(image) < _LONG_IMAGE and _IMAGE.fullmatch(image)
    if value.get("imagePullPolicy") is None:
        value["imagePullPolicy"] = "Always" if is_latest else "IfNotPresent"
    fill(value, CONTAINER)
    for name in _PROBES:
        fill(value.get(name), PROBE)


def _copy_limits_to_requests(holder: Object) -> None:
    """Copy limits to missing requests, in Pods but not in templates. Source: SetDefaults_Pod."""
    resources = get_part(holder, "resources")
    if isinstance(resources.get("limits"), dict):
        requests = resources.get("requests") or {}
        if isinstance(requests, dict):
            resources["requests"] = {**resources["limits"], **requests}


def _set_host_ports(spec: Object) -> None:
    for name in ("initContainers", "containers"):
        for container in list_objects(spec.get(name)):
            for port in list_objects(container.get("ports")):
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


_HUGE_PAGES = "hugepages-"
_SHARED = ("cpu", "memory")
_Amounts = dict[str, Quantity]


def set_pod_level_resource_defaults(spec: Object) -> None:
    """Fill in Pod-level resources. The containers' defaults must already be set."""
    resources = get_part(spec, "resources")
    amounts = {which: resources.get(which) or {} for which in ("limits", "requests")}
    if not any(amounts.values()) or not all(isinstance(each, dict) for each in amounts.values()):
        return
    limits, requests = amounts["limits"], amounts["requests"]
    huge_pages = {name: str(amount) for name, amount in _sum_containers(spec, "limits").items() if _is_huge(name)}
    limits = {**{name: amount for name, amount in huge_pages.items() if name not in requests}, **limits}
    if not limits:
        return
    resources["limits"] = limits
    shared = {name: str(amount) for name, amount in _sum_containers(spec, "requests").items() if name in _SHARED}
    from_limits = {name: amount for name, amount in limits.items() if name in _SHARED or _is_huge(name)}
    resources["requests"] = {**from_limits, **shared, **requests}


def _is_huge(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)


def _sum_containers(spec: Object, key: str) -> _Amounts:
    """Return the sum of the containers, or the peak of the init containers if it is greater.

    An init container counts together with the sidecars that started before it.

    Source: component-helpers/resource AggregateContainerRequests.
    """
    total, sidecars, init_peak = _Amounts(), _Amounts(), _Amounts()
    for container in list_objects(spec.get("containers")):
        total = _add_amounts(total, _parse_amounts(container, key))
    for container in list_objects(spec.get("initContainers")):
        own = _parse_amounts(container, key)
        if container.get("restartPolicy") == "Always":
            total, sidecars = _add_amounts(total, own), _add_amounts(sidecars, own)
            own = sidecars
        else:
            own = _add_amounts(own, sidecars)
        init_peak = _max_amounts(init_peak, own)
    return _max_amounts(total, init_peak)


def _parse_amounts(container: Object, key: str) -> _Amounts:
    """Return a container's requests or limits.

    Invalid quantities are omitted, because validation rejects them later.
    """
    amounts = _Amounts()
    quantities = get_part(container, "resources").get(key)
    for name, amount in (quantities if isinstance(quantities, dict) else {}).items():
        try:
            amounts[name] = parse_quantity(str(amount))
        except QuantityError:
            continue
    return amounts


def _add_amounts(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    total = dict(first)
    for name, amount in second.items():
        current = total.get(name)
        total[name] = Quantity(current.nano + amount.nano, current.format) if current and current.nano else amount
    return total


def _max_amounts(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    greatest = dict(first)
    for name, amount in second.items():
        if name not in greatest or amount.nano > greatest[name].nano:
            greatest[name] = amount
    return greatest
