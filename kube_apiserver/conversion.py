"""Conversion between the stored version of a kind and the other versions that the API serves.

Reads and writes go through the stored version, as upstream's registries go through their internal version.

Source: pkg/apis/events/v1/conversion.go, pkg/apis/autoscaling/v1/conversion.go.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kube_apiserver import errors
from kube_apiserver.resources import Resource, table

Object = dict[str, Any]
_Words = Callable[[Mapping[str, Any]], Object]
_Stored = tuple[tuple[str, str], _Words, _Words]

_EVENT = {
    "count": "deprecatedCount",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "involvedObject": "regarding",
    "lastTimestamp": "deprecatedLastTimestamp",
    "message": "note",
    "reportingComponent": "reportingController",
    "source": "deprecatedSource",
}
_FIELDS_OF_EVENTS = (
    *("metadata.name", "metadata.namespace", "reason", "reportingController", "type"),
    *(f"regarding.{name}" for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion")),
    "regarding.fieldPath",
)
_STORED_EVENT = {new: old for old, new in _EVENT.items()}
_LEFT_OUT_WHEN_EMPTY = ("reportingController", "reportingInstance", "note", "reason", "type", "action")
_ALPHA = "autoscaling.alpha.kubernetes.io/"
_METRICS, _BEHAVIOR = f"{_ALPHA}metrics", f"{_ALPHA}behavior"
_CONDITIONS, _CURRENT = f"{_ALPHA}conditions", f"{_ALPHA}current-metrics"
_ANNOTATIONS = (_METRICS, _BEHAVIOR, _CONDITIONS, _CURRENT)
# The fields of a metric's target or current value: name in v2 → end of the name in v1.
_VALUES = {"averageUtilization": "AverageUtilization", "averageValue": "AverageValue", "value": "Value"}


def stored(resource: Resource) -> Resource:
    """Return the resource that stores the objects: itself, or another version of the kind.

    The schema of the version that a client writes still validates the object.
    """
    custom = resource.custom
    if custom is not None:
        return resource if custom.stored is None else replace(custom.stored, custom=replace(custom, stored=None))
    key = _STORED.get((resource.group, resource.version, resource.kind))
    return resource if key is None else table()[(*key[0], resource.name)]


def versions(resource: Resource, known: Iterable[Resource]) -> list[Resource]:
    """Return the resources among `known` that serve the same stored objects, including the stored version itself."""
    if resource.custom is not None:
        return [each for each in known if (each.group, each.name) == (resource.group, resource.name)]
    return [each for each in known if each.custom is None and each.kind == resource.kind and stored(each) == resource]


def _key(served: Resource) -> _Stored | None:
    if served.custom is not None and served.custom.stored is not None:
        # Versions of a custom resource differ only in apiVersion.
        return (served.group, served.custom.stored.version), dict, dict
    return _STORED.get((served.group, served.version, served.kind))


def into(served: Resource, value: Any) -> Any:
    """Convert a client's object to the stored version. Objects of another kind or version stay as they are."""
    key = _key(served)
    is_ours = isinstance(value, dict) and value.get("apiVersion", served.api_version) == served.api_version
    if key is None or not is_ours or value.get("kind", served.manifest_kind) != served.manifest_kind:
        return value
    return {**key[1](value), "apiVersion": stored(served).api_version}


def printed(stored: Resource, served: Resource | None) -> Resource:
    """Return the resource whose columns a Table has. Each version of a custom resource has its own columns."""
    return served if served is not None and served.custom is not None else stored


def answer(served: Resource, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Convert a response (an object, a List or a Table of the stored version) to the served version."""
    key = _key(served)
    if key is None:
        return body
    kind = body.get("kind")
    if kind == served.manifest_kind:
        return {**key[2](body), "apiVersion": served.api_version}
    if kind == f"{served.manifest_kind}List":
        items = [_convert_list_item(served, each, key[2]) for each in body["items"]]
        return {**body, "apiVersion": served.api_version, "items": items}
    if kind == "Table":
        rows = [{**row, "object": answer(served, row["object"])} if "object" in row else row for row in body["rows"]]
        return {**body, "rows": rows}
    return body


def field_selector(served: Resource | None, written: str) -> str:
    """Convert a field selector to the field names of the stored version.

    Raise ApiError if the served version has no such field.
    """
    if served is None or served.kind != "Event" or stored(served) == served:
        return written
    for name in re.findall(r"(?:^|,)([^=!,]+)", written):
        if name not in _FIELDS_OF_EVENTS:
            raise errors.bad_request(f"field label not supported: {name}")
    in_older_words = re.sub(r"(^|,)regarding\.", r"\1involvedObject.", written)
    return re.sub(r"(^|,)reportingController\b", r"\1reportingComponent", in_older_words)


def _convert_list_item(served: Resource, value: Object, words: Callable[[Mapping[str, Any]], Object]) -> Object:
    """Convert an item of a List. Only items that have an apiVersion get the served one."""
    made = words(value)
    return {**made, "apiVersion": served.api_version} if "apiVersion" in value else made


def _stored_event(value: Mapping[str, Any]) -> Object:
    return {_STORED_EVENT.get(name, name): part for name, part in value.items()}


def _new_event(value: Mapping[str, Any]) -> Object:
    found = {_EVENT.get(name, name): part for name, part in value.items()}
    return {name: part for name, part in found.items() if part or name not in _LEFT_OUT_WHEN_EMPTY}


def _stored_autoscaler(value: Mapping[str, Any]) -> Object:
    spec, status = dict(value.get("spec") or {}), dict(value.get("status") or {})
    metadata = dict(value.get("metadata") or {})
    notes = dict(metadata.get("annotations") or {})
    metrics = [_metric(each, "target", _new_target) for each in _list_of(notes, _METRICS)]
    if (percent := spec.pop("targetCPUUtilizationPercentage", None)) is not None:
        metrics.append(_cpu("target", {"type": "Utilization", "averageUtilization": percent}))
    current = [_metric(each, "current", _new_values) for each in _list_of(notes, _CURRENT)]
    if (percent := status.pop("currentCPUUtilizationPercentage", None)) is not None and not current:
        current.append(_cpu("current", {"averageUtilization": percent}))
    spec |= {"metrics": metrics} if metrics else {}
    behavior = _read(notes, _BEHAVIOR)
    spec |= {"behavior": behavior} if isinstance(behavior, dict) else {}
    conditions = _list_of(notes, _CONDITIONS)
    status |= ({"conditions": conditions} if conditions else {}) | ({"currentMetrics": current} if current else {})
    left = {name: text for name, text in notes.items() if name not in _ANNOTATIONS}
    metadata.pop("annotations", None)
    metadata |= {"annotations": left} if left else {}
    return {**value, "metadata": metadata, "spec": spec, **({"status": status} if status else {})}


def _old_autoscaler(value: Mapping[str, Any]) -> Object:
    spec, status = dict(value.get("spec") or {}), dict(value.get("status") or {})
    metadata, notes = dict(value.get("metadata") or {}), dict[str, str]()
    others = []
    for metric in spec.pop("metrics", None) or ():
        percent = ((metric.get("resource") or {}).get("target") or {}).get("averageUtilization")
        if _is_cpu(metric) and percent is not None and "targetCPUUtilizationPercentage" not in spec:
            spec["targetCPUUtilizationPercentage"] = percent
        else:
            others.append(_metric(metric, "target", _old_values("target")))
    current = status.pop("currentMetrics", None) or []
    for metric in current:
        percent = ((metric.get("resource") or {}).get("current") or {}).get("averageUtilization")
        if _is_cpu(metric) and percent is not None:
            status["currentCPUUtilizationPercentage"] = percent
    notes |= _written(_METRICS, others) | _written(_BEHAVIOR, spec.pop("behavior", None))
    notes |= _written(_CONDITIONS, status.pop("conditions", None))
    notes |= _written(_CURRENT, [_metric(metric, "current", _old_values("current")) for metric in current])
    if notes or metadata.get("annotations"):
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **notes}
    status.setdefault("currentReplicas", 0)
    status.setdefault("desiredReplicas", 0)
    return {**value, "metadata": metadata, "spec": spec, "status": status}


def _cpu(part: str, found: Object) -> Object:
    return {"type": "Resource", "resource": {"name": "cpu", part: found}}


def _is_cpu(metric: Mapping[str, Any]) -> bool:
    return metric.get("type") == "Resource" and (metric.get("resource") or {}).get("name") == "cpu"


def _metric(metric: Any, part: str, words: Callable[[Object, str], Object]) -> Object:
    """Convert the values of a metric's source with `words`. `part` is target or current."""
    if not isinstance(metric, dict):
        return {}
    return {name: words(source, part) if isinstance(source, dict) else source for name, source in metric.items()}


def _old_values(start: str) -> Callable[[Object, str], Object]:
    def words(source: Object, part: str) -> Object:
        converted = dict(source)
        for name, value in (converted.pop(part, None) or {}).items():
            if name in _VALUES:
                converted[f"{start}{_VALUES[name]}"] = value
        metric = converted.pop("metric", None) or {}
        converted |= {"metricName": metric["name"]} if "name" in metric else {}
        converted |= {"selector": metric["selector"]} if "selector" in metric else {}
        return converted | ({"target": converted.pop("describedObject")} if "describedObject" in converted else {})

    return words


def _new_values(source: Object, part: str) -> Object:
    converted = {name: value for name, value in source.items() if name not in ("metricName", "selector", "target")}
    values = {name: converted.pop(f"{part}{old}") for name, old in _VALUES.items() if f"{part}{old}" in converted}
    if "metricName" in source:
        converted["metric"] = {"name": source["metricName"]}
        converted["metric"] |= {"selector": source["selector"]} if "selector" in source else {}
    converted |= {"describedObject": source["target"]} if "target" in source else {}
    return converted | {part: values}


def _new_target(source: Object, part: str) -> Object:
    converted = _new_values(source, part)
    values = converted[part]
    kinds = {"averageUtilization": "Utilization", "averageValue": "AverageValue", "value": "Value"}
    converted[part] = {"type": next((kinds[name] for name in kinds if name in values), "Value"), **values}
    return converted


def _read(notes: Mapping[str, Any], name: str) -> Any:
    try:
        return json.loads(str(notes.get(name, "null"))[:100_000])
    except (ValueError, RecursionError):
        return None


def _list_of(notes: Mapping[str, Any], name: str) -> list[Any]:
    found = _read(notes, name)
    return found if isinstance(found, list) else []


def _written(name: str, value: Any) -> dict[str, str]:
    return {name: json.dumps(value, separators=(",", ":"))} if value else {}


_STORED: Mapping[tuple[str, str, str], _Stored] = {
    ("events.k8s.io", "v1", "Event"): (("", "v1"), _stored_event, _new_event),
    ("autoscaling", "v1", "HorizontalPodAutoscaler"): (("autoscaling", "v2"), _stored_autoscaler, _old_autoscaler),
}
"""(group, version, kind) that is served → the stored group and version, conversion to it, conversion from it."""
