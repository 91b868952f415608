"""The cells of ResourceQuotas and HorizontalPodAutoscalers. Source: pkg/printers/internalversion/printers.go."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Cells = dict[str, Any]
_SHOWN_METRICS = 2
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
        "Targets": _targets(spec.get("metrics") or (), status.get("currentMetrics") or ()),
        "MinPods": str(spec.get("minReplicas", "<unset>")),
        "MaxPods": spec.get("maxReplicas", 0),
        "Replicas": status.get("currentReplicas", 0),
    }


def _targets(metrics: Sequence[Object], current: Sequence[Object]) -> str:
    """Return the first metrics, each with its current value. Source: formatHPAMetrics."""
    cells = [
        _target(each, current[number] if number < len(current) else {})
        for number, each in enumerate(metrics[:_SHOWN_METRICS])
    ]
    more = f" + {len(metrics) - _SHOWN_METRICS} more..." if len(metrics) > _SHOWN_METRICS else ""
    return ", ".join(cells) + more if cells else "<none>"


def _target(metric: Object, known: Object) -> str:
    field = _METRIC_FIELDS.get(str(metric.get("type")))
    if field is None:
        return "<unknown type>"
    source = metric.get(field) or {}
    target, is_now = source.get("target") or {}, (known.get(field) or {}).get("current")
    is_average = target.get("averageValue") is not None
    if field in ("resource", "containerResource"):
        key, sign = ("averageValue", "") if is_average else ("averageUtilization", "%")
        wanted = f"{target[key]}{sign}" if target.get(key) is not None else "<auto>"
        return f"{source.get('name', '')}: {_amount(is_now, key, sign)}/{wanted}"
    if field == "pods" or is_average:
        end = "" if field == "pods" else " (avg)"
        return f"{_amount(is_now, 'averageValue')}/{target.get('averageValue', 0)}{end}"
    return f"{_amount(is_now, 'value')}/{target.get('value', 0)}"


def _amount(known: Object | None, key: str, sign: str = "") -> str:
    return "<unknown>" if known is None or known.get(key) is None else f"{known[key]}{sign}"


def quota(value: Object, now: datetime) -> Cells:
    status = value.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    cells = {name: f"{name}: {used.get(name, 0)}/{hard[name]}" for name in sorted(hard)}
    limits = [text for name, text in cells.items() if name.startswith("limits.")]
    return {
        "Request": ", ".join(text for name, text in cells.items() if not name.startswith("limits.")),
        "Limit": ", ".join(limits),
    }
