"""Validation of HorizontalPodAutoscalers. Source: pkg/apis/autoscaling/validation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.amounts import nano
from kube_apiserver.causes import Cause
from kube_apiserver.validation import resources
from kube_apiserver.validation.metadata import find_path_segment_error, report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_IN_CORE = "ReplicationController"
# Metric sources in the order in which upstream checks them.
_SOURCES = {
    "object": "Object",
    "external": "External",
    "pods": "Pods",
    "resource": "Resource",
    "containerResource": "ContainerResource",
}
_TYPES = tuple(sorted(_SOURCES.values()))
_MOST_WINDOW, _MOST_PERIOD = 3600, 1800
_ONE = "may not set both a target raw value and a target utilization"
_EITHER = "must set either a target raw value or a target utilization"


def validate_autoscaler(value: Object, *, has_new_target: bool = True, has_new_metrics: bool = True) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    if least is not None and least < 1:
        yield causes.invalid("spec.minReplicas", least, "must be greater than or equal to 1")
    if most == 0:
        yield causes.required("spec.maxReplicas", "must be set and greater than 0")
    elif most < 0:
        yield causes.invalid("spec.maxReplicas", most, "must be greater than or equal to 1")
    if least is not None and most < least:
        yield causes.invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`")
    target = spec.get("scaleTargetRef") or {}
    needs_group = target.get("kind") != _IN_CORE
    yield from _validate_reference(target, "spec.scaleTargetRef", is_new=has_new_target, needs_group=needs_group)
    metrics = spec.get("metrics") or ()
    for number, each in enumerate(metrics):
        yield from _validate_metric(each, f"spec.metrics[{number}]", is_new=has_new_metrics)
    if least == 0 and not any(each.get("type") in ("Object", "External") for each in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        yield causes.forbidden("spec.metrics", detail)
    for way in ("scaleUp", "scaleDown"):
        rules = (spec.get("behavior") or {}).get(way)
        if rules is not None:
            yield from _validate_scaling_rules(rules, f"spec.behavior.{way}")


def validate_autoscaler_update(live: Object, value: Object) -> Iterator[Cause]:
    """Validate an update. An unchanged target and metrics that were stored without an API group may stay so."""
    old_spec, new_spec = (each.get("spec") or {} for each in (live, value))
    targets = [each.get("scaleTargetRef") or {} for each in (old_spec, new_spec)]
    has_new_target = any(targets[0].get(key) != targets[1].get(key) for key in ("apiVersion", "kind"))
    has_odd_metrics = any(_has_invalid_version(each) for each in old_spec.get("metrics") or ())
    yield from validate_autoscaler(value, has_new_target=has_new_target, has_new_metrics=not has_odd_metrics)


def validate_autoscaler_status(value: Object) -> Iterator[Cause]:
    status = value.get("status") or {}
    for name in ("currentReplicas", "desiredReplicas"):
        if (status.get(name) or 0) < 0:
            yield causes.invalid(f"status.{name}", status[name], causes.NOT_NEGATIVE)


def _has_invalid_version(metric: Object) -> bool:
    described = (metric.get("object") or {}).get("describedObject")
    return (
        described is not None and _find_version_error(str(described.get("apiVersion") or ""), needs_group=False) != ""
    )


def _validate_reference(ref: Object, path: str, *, is_new: bool, needs_group: bool) -> Iterator[Cause]:
    for key in ("kind", "name"):
        text = str(ref.get(key) or "")
        if not text:
            yield causes.required(f"{path}.{key}")
        else:
            yield from report_broken_rules(f"{path}.{key}", text, find_path_segment_error(text))
    version = str(ref.get("apiVersion") or "")
    if is_new and (problem := _find_version_error(version, needs_group=needs_group)):
        yield causes.invalid(f"{path}.apiVersion", version, problem)


def _find_version_error(version: str, *, needs_group: bool) -> str:
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    return "apiVersion must specify API group" if needs_group and not version.rpartition("/")[0] else ""


def _validate_metric(metric: Object, path: str, *, is_new: bool) -> Iterator[Cause]:
    kind = str(metric.get("type") or "")
    if not kind:
        yield causes.required(f"{path}.type", "must specify a metric source type")
    if kind not in _TYPES:
        yield causes.unsupported(f"{path}.type", kind, _TYPES)
    sources = [name for name in _SOURCES if metric.get(name) is not None]
    if sources:
        yield from _validate_metric_source(sources[0], metric[sources[0]], f"{path}.{sources[0]}", is_new=is_new)
    expected = next((name for name, source_type in _SOURCES.items() if source_type == kind), "")
    if not expected:
        yield causes.unsupported(f"{path}.type", kind, _TYPES)
    elif expected not in sources:
        yield causes.required(f"{path}.{expected}", "must populate information for the given metric source")
    if len(sources) != 1:
        for name in sources:
            if name != expected:
                yield causes.forbidden(f"{path}.{name}", "must populate the given metric source only")


def _validate_metric_source(name: str, source: Object, path: str, *, is_new: bool) -> Iterator[Cause]:
    target = source.get("target") or {}
    value, average, utilization = (target.get(key) for key in ("value", "averageValue", "averageUtilization"))
    target_path = f"{path}.target"
    if name == "object":
        yield from _validate_reference(
            source.get("describedObject") or {}, f"{path}.describedObject", is_new=is_new, needs_group=False
        )
    if name in ("object", "external", "pods"):
        yield from _validate_metric_identifier(source.get("metric") or {}, f"{path}.metric")
    else:
        yield from _validate_resource_metric(name, source, path)
    yield from _validate_metric_target(target, target_path)
    if name == "object" and value is None and average is None:
        yield causes.required(f"{target_path}.averageValue", "must set either a target value or averageValue")
    if name == "external" and value is None and average is None:
        yield causes.required(
            f"{target_path}.averageValue", "must set either a target value for metric or a per-pod target"
        )
    if name == "external" and value is not None and average is not None:
        yield causes.forbidden(
            f"{target_path}.value", "may not set both a target value for metric and a per-pod target"
        )
    if name == "pods" and average is None:
        yield causes.required(f"{target_path}.averageValue", "must specify a positive target averageValue")
    if name in ("resource", "containerResource") and utilization is None and average is None:
        yield causes.required(f"{target_path}.averageUtilization", _EITHER)
    if name in ("resource", "containerResource") and utilization is not None and average is not None:
        yield causes.forbidden(f"{target_path}.averageValue", _ONE)


def _validate_resource_metric(kind: str, source: Object, path: str) -> Iterator[Cause]:
    name, container = str(source.get("name") or ""), str(source.get("container") or "")
    if not name:
        yield causes.required(f"{path}.name", "must specify a resource name")
    elif kind == "containerResource":
        yield from resources.validate_container_resource_name(name, f"{path}.name")
    if kind == "resource":
        return
    if not container:
        yield causes.required(f"{path}.container", "must specify a container")
    else:
        yield from report_broken_rules(f"{path}.container", container, names.dns_label(container))


def _validate_metric_identifier(metric: Object, path: str) -> Iterator[Cause]:
    name = str(metric.get("name") or "")
    if not name:
        yield causes.required(f"{path}.name", "must specify a metric name")
    else:
        yield from report_broken_rules(f"{path}.name", name, find_path_segment_error(name))


def _validate_metric_target(target: Object, path: str) -> Iterator[Cause]:
    kind = str(target.get("type") or "")
    if not kind:
        yield causes.required(f"{path}.type", "must specify a metric target type")
    if kind not in ("Utilization", "Value", "AverageValue"):
        yield causes.invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue")
    for key in ("value", "averageValue"):
        if target.get(key) is not None and nano(target[key]) <= 0:
            yield causes.invalid(f"{path}.{key}", str(target[key]), "must be positive")
    utilization = target.get("averageUtilization")
    if utilization is not None and utilization < 1:
        yield causes.invalid(f"{path}.averageUtilization", utilization, "must be greater than 0")


def _validate_scaling_rules(rules: Object, path: str) -> Iterator[Cause]:
    window, select = rules.get("stabilizationWindowSeconds"), rules.get("selectPolicy")
    if window is not None and window < 0:
        yield causes.invalid(f"{path}.stabilizationWindowSeconds", window, "must be greater than or equal to zero")
    if window is not None and window > _MOST_WINDOW:
        detail = f"must be less than or equal to {_MOST_WINDOW}"
        yield causes.invalid(f"{path}.stabilizationWindowSeconds", window, detail)
    if select not in (None, "Max", "Min", "Disabled"):
        yield causes.unsupported(f"{path}.selectPolicy", select, ("Disabled", "Max", "Min"))
    yield from _validate_scaling_policies(rules.get("policies") or (), f"{path}.policies")
    tolerance = rules.get("tolerance")
    if tolerance is not None and nano(tolerance) < 0:
        yield causes.invalid(f"{path}.tolerance", str(tolerance), causes.NOT_NEGATIVE)


def _validate_scaling_policies(policies: Sequence[Object], path: str) -> Iterator[Cause]:
    if not policies:
        yield causes.required(path, "must specify at least one Policy")
    for number, policy in enumerate(policies):
        policy_path, kind = f"{path}[{number}]", str(policy.get("type") or "")
        if kind not in ("Pods", "Percent"):
            yield causes.unsupported(f"{policy_path}.type", kind, ("Percent", "Pods"))
        for key in ("value", "periodSeconds"):
            if (policy.get(key) or 0) <= 0:
                yield causes.invalid(f"{policy_path}.{key}", policy.get(key) or 0, "must be greater than zero")
        if (policy.get("periodSeconds") or 0) > _MOST_PERIOD:
            detail = f"must be less than or equal to {_MOST_PERIOD}"
            yield causes.invalid(f"{policy_path}.periodSeconds", policy["periodSeconds"], detail)
