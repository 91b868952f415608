"""The cells of ResourceQuotas and HorizontalPodAutoscalers. Source: pkg/printers/internalversion/printers.go."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Cells = dict[str, Any]
_MAX_METRICS = 2
_METRIC_FIELDS = {
    "ContainerResource": "containerResource",
    "External": "external",
    "Object": "object",
    "Pods": "pods",
    "Resource": "resource",
}


def autoscaler(value: Object, now: datetime) -> Cells:
    """Return the cells of an autoscaler. Source: printHorizontalPodAutoscaler."""
    spec, status = value.get("spec") or {}, value.get("status") or {}
    target = spec.get("scaleTargetRef") or {}
    return {
        "Reference": f"{target.get('kind')}/{target.get('name')}",
        "Targets": _format_targets(spec.get("metrics") or (), status.get("currentMetrics") or ()),
        "MinPods": str(spec.get("minReplicas", "<unset>")),
        "MaxPods": spec.get("maxReplicas", 0),
        "Replicas": status.get("currentReplicas", 0),
    }


def _format_targets(metrics: Sequence[Object], current: Sequence[Object]) -> str:
    """Return the first metrics, each with its current value. Source: formatHPAMetrics."""
    cells = [
        _format_target(each, current[number] if number < len(current) else {})
        for number, each in enumerate(metrics[:_MAX_METRICS])
    ]
    more = f" + {len(metrics) - _MAX_METRICS} more..." if len(metrics) > _MAX_METRICS else ""
    return ", ".join(cells) + more if cells else "<none>"


def _format_target(metric: Object, metric_status: Object) -> str:
    field = _METRIC_FIELDS.get(str(metric.get("type")))
    if field is None:
        return "<unknown type>"
    source = metric.get(field) or {}
    target, current = source.get("target") or {}, (metric_status.get(field) or {}).get("current")
    is_average = target.get("averageValue") is not None
    if field in ("resource", "containerResource"):
        key, unit = ("averageValue", "") if is_average else ("averageUtilization", "%")
        wanted = f"{target[key]}{unit}" if target.get(key) is not None else "<auto>"
        return f"{source.get('name', '')}: {_format_amount(current, key, unit)}/{wanted}"
    if field == "pods" or is_average:
        suffix = "" if field == "pods" else " (avg)"
        return f"{_format_amount(current, 'averageValue')}/{target.get('averageValue', 0)}{suffix}"
    return f"{_format_amount(current, 'value')}/{target.get('value', 0)}"


def _format_amount(current: Object | None, key: str, unit: str = "") -> str:
    return "<unknown>" if current is None or current.get(key) is None else f"{current[key]}{unit}"


def quota(value: Object, now: datetime) -> Cells:
    status = value.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    cells = {name: f"{name}: {used.get(name, 0)}/{hard[name]}" for name in sorted(hard)}
    limits = [text for name, text in cells.items() if name.startswith("limits.")]
    return {
        "Request": ", ".join(text for name, text in cells.items() if not name.startswith("limits.")),
        "Limit": ", ".join(limits),
    }
