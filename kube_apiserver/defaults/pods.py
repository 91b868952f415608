"""Pods and the templates of pods. Source: pkg/apis/core/v1/defaults.go."""

import re
from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.pod_parts import CONTAINERS
from kube_apiserver.defaults.fields import Object, fill, objects, part
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
# Of a pod's volume and of a PersistentVolume alike.
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
# Source: distribution/reference, of the path and its host.
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_IMAGE = re.compile(rf"(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?{_PART}(?:/{_PART})*(?::[\w][\w.-]{{0,127}})?", re.ASCII)
_LONG_IMAGE = 256 - len("docker.io/library/")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def pod(value: Object) -> None:
    spec = value.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True
    if spec.get("hostNetwork") is True:
        _host_ports(spec)
    pod_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        # Of a pod, not of a template, a time below 0 is the shortest.
        spec["terminationGracePeriodSeconds"] = 1
    for name in ("initContainers", "containers"):
        for each in objects(spec.get(name)):
            _limits_are_requests(each)
    pod_level_resources(spec)


def pod_spec(spec: Any) -> None:
    """Of a pod, or of the template of pods."""
    if not isinstance(spec, dict):
        return
    fill(spec, POD_SPEC)
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for name in CONTAINERS:
        for each in objects(spec.get(name)):
            container(each)
    for each in objects(spec.get("volumes")):
        volume(each)
    for each in objects(spec.get("topologySpreadConstraints")):
        each.setdefault("whenUnsatisfiable", "DoNotSchedule")


def template(value: Any) -> None:
    """A PodTemplateSpec."""
    if isinstance(value, dict):
        # A struct of Go that is no pointer is written, whatever is in it.
        fill(value, {"metadata": {}})
        pod_spec(value.get("spec"))


def volume(value: Object) -> None:
    if not any(name != "name" for name in value):
        value["emptyDir"] = {}
    fill(value, VOLUME)


def container(value: Object) -> None:
    image = str(value.get("image") or "")
    tag = image.rpartition("/")[2].partition(":")[2]
    # What is no reference has no tag, not even the usual one.
    is_latest = "@" not in image and tag in ("", "latest") and len(image) < _LONG_IMAGE and _IMAGE.fullmatch(image)
    if value.get("imagePullPolicy") is None:
        value["imagePullPolicy"] = "Always" if is_latest else "IfNotPresent"
    fill(value, CONTAINER)
    for name in _PROBES:
        fill(value.get(name), PROBE)


def _limits_are_requests(holder: Object) -> None:
    """What is limited and not asked for is asked for: of a pod, not of a template. Source: SetDefaults_Pod."""
    resources = part(holder, "resources")
    if isinstance(resources.get("limits"), dict):
        requests = resources.get("requests") or {}
        if isinstance(requests, dict):
            resources["requests"] = {**resources["limits"], **requests}


def _host_ports(spec: Object) -> None:
    for name in ("initContainers", "containers"):
        for each in objects(spec.get(name)):
            for port in objects(each.get("ports")):
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


_HUGE_PAGES = "hugepages-"
_SHARED = ("cpu", "memory")
_Amounts = dict[str, Quantity]


def pod_level_resources(spec: Object) -> None:
    """Of a pod whose containers are defaulted already."""
    resources = part(spec, "resources")
    given = {which: resources.get(which) or {} for which in ("limits", "requests")}
    if not any(given.values()) or not all(isinstance(each, dict) for each in given.values()):
        return
    limits, requests = given["limits"], given["requests"]
    huge = {name: str(amount) for name, amount in _of_containers(spec, "limits").items() if _is_huge(name)}
    limits = {**{name: amount for name, amount in huge.items() if name not in requests}, **limits}
    if not limits:
        return
    resources["limits"] = limits
    shared = {name: str(amount) for name, amount in _of_containers(spec, "requests").items() if name in _SHARED}
    own = {name: amount for name, amount in limits.items() if name in _SHARED or _is_huge(name)}
    resources["requests"] = {**own, **shared, **requests}


def _is_huge(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)


def _of_containers(spec: Object, which: str) -> _Amounts:
    """What the containers have together, or an init container with the sidecars before it.

    Source: component-helpers/resource AggregateContainerRequests.
    """
    total, sidecars, most = _Amounts(), _Amounts(), _Amounts()
    for each in objects(spec.get("containers")):
        total = _sum(total, _amounts(each, which))
    for each in objects(spec.get("initContainers")):
        own = _amounts(each, which)
        if each.get("restartPolicy") == "Always":
            total, sidecars = _sum(total, own), _sum(sidecars, own)
            own = sidecars
        else:
            own = _sum(own, sidecars)
        most = _greater(most, own)
    return _greater(total, most)


def _amounts(container: Object, which: str) -> _Amounts:
    """Amounts that are none are refused later."""
    found = _Amounts()
    given = part(container, "resources").get(which)
    for name, amount in (given if isinstance(given, dict) else {}).items():
        try:
            found[name] = parse_quantity(str(amount))
        except QuantityError:
            continue
    return found


def _sum(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    found = dict(first)
    for name, amount in second.items():
        here = found.get(name)
        found[name] = Quantity(here.nano + amount.nano, here.format) if here and here.nano else amount
    return found


def _greater(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    found = dict(first)
    for name, amount in second.items():
        if name not in found or amount.nano > found[name].nano:
            found[name] = amount
    return found
