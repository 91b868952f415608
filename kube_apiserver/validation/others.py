"""Validation of kinds with few rules: Namespace, Event, PodDisruptionBudget, PriorityClass, ConfigMap, Secret.

Source: pkg/apis/core/validation, pkg/apis/policy/validation, pkg/apis/scheduling/validation.
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, texts
from kube_apiserver.validation.metadata import (
    report_broken_rules,
    validate_finalizer_name,
    validate_immutable_field,
    validate_label_selector,
)
from kube_apiserver.validation.workloads.workloads import validate_int_or_percent
from kube_apiserver.writes.decode import go_error
from kube_objects import names
from kube_objects.kinds.scheduling.priority_class import SYSTEM_CLASSES

Object = Mapping[str, Any]

HIGHEST_PRIORITY = 1_000_000_000
SYSTEM_PREFIX = "system-"
MOST_DATA = 1024 * 1024
_NEEDED_DATA: Mapping[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_TOKEN, _ACCOUNT = "kubernetes.io/service-account-token", "kubernetes.io/service-account.name"
_LOGIN, _LOGIN_DATA = "kubernetes.io/basic-auth", ("username", "password")
_KEY = "kubernetes.io/ssh-auth"
_JSON = ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson")
_HELD = "field is immutable when `immutable` is set"


def validate_namespace(value: Object) -> Iterator[Cause]:
    for name in (value.get("spec") or {}).get("finalizers") or ():
        yield from report_broken_rules("spec.finalizers", name, names.qualified_name(name))
        yield from validate_finalizer_name(name, "spec.finalizers")


def validate_namespace_finalize_update(value: Object) -> Iterator[Cause]:
    """Source: ValidateNamespaceFinalizeUpdate."""
    for number, name in enumerate((value.get("spec") or {}).get("finalizers") or ()):
        yield from report_broken_rules(f"spec.finalizers[{number}]", name, names.qualified_name(name))
        yield from validate_finalizer_name(name, f"spec.finalizers[{number}]")


def validate_event_namespace(value: Object) -> Iterator[Cause]:
    """Validate an Event of the core version: its namespace must be that of the involved object.

    Source: legacyValidateEvent.
    """
    if value.get("eventTime"):
        return
    about, namespace = (value.get("involvedObject") or {}).get("namespace") or "", value["metadata"].get("namespace")
    if namespace != (about or "default"):
        yield causes.invalid("involvedObject.namespace", about, "does not match event.namespace")


def validate_disruption_budget(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    min_available, max_unavailable = spec.get("minAvailable"), spec.get("maxUnavailable")
    if min_available is not None and max_unavailable is not None:
        shown = go_values.to_go_value("PodDisruptionBudgetSpec", spec)
        yield causes.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set")
    for name in ("minAvailable", "maxUnavailable"):
        threshold = spec.get(name)
        yield from validate_int_or_percent(threshold, f"spec.{name}")
        if isinstance(threshold, str) and re.fullmatch(r"\d+%", threshold) and int(threshold[:-1]) > 100:
            yield causes.invalid(f"spec.{name}", threshold, "must not be greater than 100%")
    yield from validate_label_selector(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy not in (None, "AlwaysAllow", "IfHealthyBudget"):
        yield causes.unsupported("spec.unhealthyPodEvictionPolicy", policy, ("AlwaysAllow", "IfHealthyBudget"))


def validate_priority_class(value: Object) -> Iterator[Cause]:
    name, number = str(value["metadata"].get("name") or ""), int(value.get("value") or 0)
    if name.startswith(SYSTEM_PREFIX):
        detail = "priority class names with 'system-' prefix are reserved for system use only. error: "
        if message := _find_system_class_error(name, number, is_default=bool(value.get("globalDefault"))):
            yield causes.forbidden("metadata.name", f"{detail}{message}")
    elif number > HIGHEST_PRIORITY:
        detail = f"maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}"
        yield causes.forbidden("value", detail)
    if value.get("preemptionPolicy") == "":
        yield causes.required("preemptionPolicy")
    elif value.get("preemptionPolicy") not in (None, "Never", "PreemptLowerPriority"):
        yield causes.unsupported("preemptionPolicy", value["preemptionPolicy"], ("PreemptLowerPriority", "Never"))


def _find_system_class_error(name: str, number: int, *, is_default: bool) -> str:
    """Source: IsKnownSystemPriorityClass."""
    if name not in SYSTEM_CLASSES:
        return f"{name} is not a known system priority class"
    if number != SYSTEM_CLASSES[name]:
        return f"value of {name} PriorityClass must be {SYSTEM_CLASSES[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


def validate_priority_class_update(live: Object, value: Object) -> Iterator[Cause]:
    if live.get("value") != value.get("value"):
        yield causes.forbidden("value", "may not be changed in an update.")
    policies = [each.get("preemptionPolicy") for each in (live, value)]
    yield from validate_immutable_field("preemptionPolicy", *policies)


def validate_config_map(value: Object) -> Iterator[Cause]:
    data, binary = value.get("data") or {}, value.get("binaryData") or {}
    for part, entries in (("data", data), ("binaryData", binary)):
        for name in sorted(entries):
            yield from texts.validate_config_key(name, f"{part}[{name}]")
            if part == "data" and name in binary:
                yield causes.invalid("data[" + name + "]", name, "duplicate of key present in binaryData")
    if sum(len(str(text).encode()) for text in (*data.values(), *binary.values())) > MOST_DATA:
        yield causes.too_long("", MOST_DATA)


def validate_config_map_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from _validate_immutable_data(live, value, "data", "binaryData")
    yield from validate_config_map(value)


def _validate_immutable_data(live: Object, value: Object, *parts: str) -> Iterator[Cause]:
    if not live.get("immutable"):
        return
    if not value.get("immutable"):
        yield causes.forbidden("immutable", _HELD)
    for part in parts:
        if (live.get(part) or None) != (value.get(part) or None):
            yield causes.forbidden(part, _HELD)


def validate_secret(value: Object) -> Iterator[Cause]:
    data = value.get("data") or {}
    for name in sorted(data):
        yield from texts.validate_config_key(name, f"data[{name}]")
    if sum(len(str(text)) * 3 // 4 for text in data.values()) > MOST_DATA:
        yield causes.too_long("data", MOST_DATA)
    kind = str(value.get("type"))
    if kind == _TOKEN and not (value["metadata"].get("annotations") or {}).get(_ACCOUNT):
        yield causes.required(f"metadata.annotations[{_ACCOUNT}]")
    if kind == _LOGIN and not set(_LOGIN_DATA) & set(data):
        yield from (causes.required(f"data[{name}]") for name in _LOGIN_DATA)
    for name in _NEEDED_DATA.get(kind, ()):
        if name not in data or (kind == _KEY and not data[name]):
            yield causes.required(f"data[{name}]")
        elif kind in _JSON and (message := _find_json_error(str(data[name]))):
            yield causes.invalid(f"data[{name}]", "<secret contents redacted>", message)


def _find_json_error(encoded: str) -> str:
    """Return Go's error message for text that is no JSON object, or ""."""
    try:
        text = base64.b64decode(encoded)
        decoded = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        return go_error(text, wrong) if isinstance(wrong, json.JSONDecodeError) else "unexpected end of JSON input"
    kinds = ((bool, "bool"), (str, "string"), (int | float, "number"), (list, "array"))
    got = next((name for kind, name in kinds if isinstance(decoded, kind)), "")
    return f"json: cannot unmarshal {got} into Go value of type map[string]interface {{}}" if got else ""


def validate_secret_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_immutable_field("type", live.get("type"), value.get("type"))
    yield from _validate_immutable_data(live, value, "data")
    yield from validate_secret(value)
