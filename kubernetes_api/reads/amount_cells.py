"""The cells of what counts: quotas and autoscalers. Source: pkg/printers/internalversion/printers.go."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Cells = dict[str, Any]


def autoscaler(value: Object, now: datetime) -> Cells:
    """Source: printHorizontalPodAutoscaler, formatHPAMetrics."""
    spec, status = value.get("spec") or {}, value.get("status") or {}
    target = spec.get("scaleTargetRef") or {}
    known = {(each.get("resource") or {}).get("name"): each for each in status.get("currentMetrics") or ()}
    cells = []
    for each in spec.get("metrics") or ():
        resource = each.get("resource") or {}
        name, wanted = resource.get("name"), resource.get("target") or {}
        is_percent = wanted.get("averageUtilization") is not None
        key, sign = ("averageUtilization", "%") if is_percent else ("averageValue", "")
        current = ((known.get(name) or {}).get("resource") or {}).get("current") or {}
        now_ = f"{current[key]}{sign}" if current.get(key) is not None else "<unknown>"
        if name:
            cells.append(f"{name}: {now_}/{wanted.get(key)}{sign}")
    return {
        "Reference": f"{target.get('kind')}/{target.get('name')}",
        "Targets": ", ".join(cells) or "<none>",
        "MinPods": str(spec.get("minReplicas", "<unset>")),
        "MaxPods": spec.get("maxReplicas", 0),
        "Replicas": status.get("currentReplicas", 0),
    }


def quota(value: Object, now: datetime) -> Cells:
    status = value.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    cells = {name: f"{name}: {used.get(name, 0)}/{hard[name]}" for name in sorted(hard)}
    limits = [text for name, text in cells.items() if name.startswith("limits.")]
    return {
        "Request": ", ".join(text for name, text in cells.items() if not name.startswith("limits.")),
        "Limit": ", ".join(limits),
    }
