"""Nodes, services, budgets, priorities, limits, leases, configuration. Source: pkg/apis/*/validation."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubernetes_api import causes
from kubernetes_api.causes import Cause
from kubernetes_api.validation import go_values, resources, scheduling
from kubernetes_api.validation.containers import port_name
from kubernetes_api.validation.metadata import broken, immutable, label_selector, labels
from kubernetes_api.validation.workloads import int_or_percent
from scheduler_core.admission.amounts import nano
from scheduler_core.objects import names

Object = Mapping[str, Any]

HIGHEST_PRIORITY = 1_000_000_000
SYSTEM_PREFIX = "system-"
MOST_DATA = 1024 * 1024
_SERVICE_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_SCOPES = (
    "BestEffort",
    "CrossNamespacePodAffinity",
    "NotBestEffort",
    "NotTerminating",
    "PriorityClass",
    "Terminating",
    "VolumeAttributesClass",
)
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_CONFIG_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
_NEEDED_DATA: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_HELD = "field is immutable when `immutable` is set"


def node(value: Object) -> Iterator[Cause]:
    yield from scheduling.taints((value.get("spec") or {}).get("taints"), "metadata.taints")
    status = value.get("status") or {}
    for part in ("capacity", "allocatable"):
        for name, amount in sorted((status.get(part) or {}).items()):
            yield from resources.quantity(name, amount, f"status.{part}.{name}")


def node_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from node(value)
    was, is_now = ((each.get("spec") or {}).get("podCIDRs") or [] for each in (live, value))
    if was and was != is_now:
        yield causes.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    providers = [(each.get("spec") or {}).get("providerID") or "" for each in (live, value)]
    if providers[0] and providers[0] != providers[1]:
        yield causes.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')


def service(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    kind, ports = spec.get("type"), spec.get("ports") or []
    is_headless = "None" in (spec.get("clusterIP"), *(spec.get("clusterIPs") or ()))
    if not ports and not is_headless and kind != "ExternalName":
        yield causes.required("spec.ports")
    if kind == "ExternalName":
        name = str(spec.get("externalName") or "").removesuffix(".")
        if name:
            yield from broken("spec.externalName", name, names.dns_subdomain(name))
        else:
            yield causes.required("spec.externalName")
    seen: set[str] = set()
    taken: set[Any] = set()
    for number, port in enumerate(ports):
        at = f"spec.ports[{number}]"
        yield from _service_port(port, at, seen, is_named=len(ports) > 1)
        pair = (port.get("protocol"), port.get("port"))
        if pair in taken:
            yield causes.duplicate(at, {"port": port.get("port"), "protocol": port.get("protocol")})
        taken.add(pair)
    yield from labels(spec.get("selector"), "spec.selector")
    if spec.get("sessionAffinity") not in (None, "ClientIP", "None"):
        yield causes.unsupported("spec.sessionAffinity", spec["sessionAffinity"], ("ClientIP", "None"))
    if kind not in (None, *_SERVICE_TYPES):
        yield causes.unsupported("spec.type", kind, _SERVICE_TYPES)
    if is_headless and kind in ("NodePort", "LoadBalancer"):
        detail = f"may not be set to 'None' for {kind} services"
        yield causes.invalid("spec.clusterIPs[0]", "None", detail)
    for number, port in enumerate(ports):
        if port.get("nodePort") and kind not in ("NodePort", "LoadBalancer"):
            detail = "may not be used when `type` is 'ClusterIP'"
            yield causes.forbidden(f"spec.ports[{number}].nodePort", detail)


def _service_port(port: Object, path: str, seen: set[str], *, is_named: bool) -> Iterator[Cause]:
    name, target = str(port.get("name") or ""), port.get("targetPort")
    if not name and is_named:
        yield causes.required(f"{path}.name")
    elif name:
        yield from broken(f"{path}.name", name, names.dns_label(name))
        if name in seen:
            yield causes.duplicate(f"{path}.name", name)
        seen.add(name)
    if not 1 <= (port.get("port") or 0) <= 65535:
        yield causes.invalid(f"{path}.port", port.get("port") or 0, "must be between 1 and 65535, inclusive")
    if not port.get("protocol"):
        yield causes.required(f"{path}.protocol")
    elif port["protocol"] not in _PROTOCOLS:
        yield causes.unsupported(f"{path}.protocol", port["protocol"], _PROTOCOLS)
    if isinstance(target, int) and not 1 <= target <= 65535:
        yield causes.invalid(f"{path}.targetPort", target, "must be between 1 and 65535, inclusive")
    elif isinstance(target, str):
        yield from port_name(target, f"{path}.targetPort")


def service_changed(live: Object, value: Object) -> Iterator[Cause]:
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    old, new = was.get("clusterIPs") or [], spec.get("clusterIPs") or []
    if old and new and old[0] != new[0] and "ExternalName" not in (was.get("type"), spec.get("type")):
        yield causes.invalid("spec.clusterIPs[0]", new, "may not change once set")
    yield from service(value)


def budget(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    if least is not None and most is not None:
        shown = go_values.value("PodDisruptionBudgetSpec", spec)
        yield causes.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set")
    for name in ("minAvailable", "maxUnavailable"):
        given = spec.get(name)
        yield from int_or_percent(given, f"spec.{name}")
        if isinstance(given, str) and re.fullmatch(r"\d+%", given) and int(given[:-1]) > 100:
            yield causes.invalid(f"spec.{name}", given, "must not be greater than 100%")
    yield from label_selector(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy not in (None, "AlwaysAllow", "IfHealthyBudget"):
        yield causes.unsupported("spec.unhealthyPodEvictionPolicy", policy, ("AlwaysAllow", "IfHealthyBudget"))


def priority_class(value: Object) -> Iterator[Cause]:
    name, number = str(value["metadata"].get("name") or ""), int(value.get("value") or 0)
    if name.startswith(SYSTEM_PREFIX):
        detail = "priority class names with 'system-' prefix are reserved for system use only. error: "
        yield causes.forbidden("metadata.name", f"{detail}{name} is not a known system priority class")
    elif number > HIGHEST_PRIORITY:
        detail = f"maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}"
        yield causes.forbidden("value", detail)
    if value.get("preemptionPolicy") not in (None, "Never", "PreemptLowerPriority"):
        yield causes.unsupported("preemptionPolicy", value["preemptionPolicy"], ("Never", "PreemptLowerPriority"))


def priority_class_changed(live: Object, value: Object) -> Iterator[Cause]:
    if live.get("value") != value.get("value"):
        yield causes.forbidden("value", "may not be changed in an update.")
    policies = [each.get("preemptionPolicy") for each in (live, value)]
    yield from immutable("preemptionPolicy", *policies)


def config_map(value: Object) -> Iterator[Cause]:
    data, binary = value.get("data") or {}, value.get("binaryData") or {}
    for part, given in (("data", data), ("binaryData", binary)):
        for name in sorted(given):
            yield from _config_key(name, f"{part}[{name}]")
            if part == "data" and name in binary:
                yield causes.invalid("data[" + name + "]", name, "duplicate of key present in binaryData")
    if sum(len(str(text).encode()) for text in (*data.values(), *binary.values())) > MOST_DATA:
        yield causes.too_long("", MOST_DATA)


def config_map_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from _held(live, value, "data", "binaryData")
    yield from config_map(value)


def _held(live: Object, value: Object, *parts: str) -> Iterator[Cause]:
    if not live.get("immutable"):
        return
    if not value.get("immutable"):
        yield causes.forbidden("immutable", _HELD)
    for part in parts:
        if (live.get(part) or None) != (value.get(part) or None):
            yield causes.forbidden(part, _HELD)


def secret(value: Object) -> Iterator[Cause]:
    data = value.get("data") or {}
    for name in sorted(data):
        yield from _config_key(name, f"data[{name}]")
    if sum(len(str(text)) * 3 // 4 for text in data.values()) > MOST_DATA:
        yield causes.too_long("data", MOST_DATA)
    for name in _NEEDED_DATA.get(str(value.get("type")), ()):
        if name not in data:
            yield causes.required(f"data[{name}]")


def secret_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from immutable("type", live.get("type"), value.get("type"))
    yield from _held(live, value, "data")
    yield from secret(value)


def _config_key(name: str, path: str) -> Iterator[Cause]:
    if len(name) > 253:
        yield causes.invalid(path, name, "must be no more than 253 characters")
    if not _CONFIG_KEY.fullmatch(name):
        yield causes.invalid(path, name, _CONFIG_KEY_RULE)
    elif name in (".", ".."):
        yield causes.invalid(path, name, f"must not be '{name}'")


def quota(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    for name, amount in sorted((spec.get("hard") or {}).items()):
        at = f"spec.hard[{name}]"
        rules = names.qualified_name(name)
        yield from broken(at, name, rules)
        if not rules and "/" not in name and not resources.is_any_standard(name):
            yield causes.invalid(at, name, "must be a standard resource type or fully qualified")
            yield causes.invalid(at, name, "must be a standard resource for quota")
        yield from resources.quantity(name, amount, at)
    scopes = spec.get("scopes") or []
    for each in scopes:
        if each not in _SCOPES:
            yield causes.invalid("spec.scopes", scopes, "unsupported scope")
    for one, other in (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")):
        if one in scopes and other in scopes:
            yield causes.invalid("spec.scopes", scopes, "conflicting scopes")


def limit_range(value: Object) -> Iterator[Cause]:
    for number, item in enumerate((value.get("spec") or {}).get("limits") or ()):
        at = f"spec.limits[{number}]"
        least, most = item.get("min") or {}, item.get("max") or {}
        default, request = item.get("default") or {}, item.get("defaultRequest") or {}
        if item.get("type") not in ("Container", "Pod", "PersistentVolumeClaim"):
            yield from broken(
                f"{at}.type", str(item.get("type") or ""), names.qualified_name(str(item.get("type") or ""))
            )
        if item.get("type") == "Pod":
            for key, given in (("default", default), ("defaultRequest", request)):
                if given:
                    yield causes.forbidden(f"{at}.{key}", "may not be specified when `type` is 'Pod'")
        for name in sorted({*least, *most, *default, *request}):
            pairs = (
                ("min", least, "max", most, "min value {} is greater than max value {}"),
                (
                    "defaultRequest",
                    request,
                    "default",
                    default,
                    "default request value {} is greater than default limit value {}",
                ),
                ("defaultRequest", request, "max", most, "default request value {} is greater than max value {}"),
                ("default", default, "max", most, "default value {} is greater than max value {}"),
            )
            for key, low, _, high, detail in pairs:
                if name in low and name in high and nano(low[name]) > nano(high[name]):
                    yield causes.invalid(f"{at}.{key}[{name}]", str(low[name]), detail.format(low[name], high[name]))


def lease(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if seconds is not None and seconds <= 0:
        yield causes.invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield causes.invalid("spec.leaseTransitions", transitions, causes.NOT_NEGATIVE)


def runtime_class(value: Object) -> Iterator[Cause]:
    handler = str(value.get("handler") or "")
    yield from broken("handler", handler, names.dns_label(handler))


def runtime_class_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from runtime_class(value)
    yield from immutable("handler", live.get("handler"), value.get("handler"))


def network_policy(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    yield from label_selector(spec.get("podSelector"), "spec.podSelector")
    for number, each in enumerate(spec.get("policyTypes") or ()):
        if each not in ("Egress", "Ingress"):
            yield causes.unsupported(f"spec.policyTypes[{number}]", each, ("Egress", "Ingress"))


def role_binding_changed(live: Object, value: Object) -> Iterator[Cause]:
    if live.get("roleRef") != value.get("roleRef"):
        yield causes.invalid("roleRef", json.loads(json.dumps(value.get("roleRef"))), "cannot change roleRef")
