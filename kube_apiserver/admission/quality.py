"""The quality of service class of a Pod. Source: component-helpers qos GetPodQOS."""

from collections.abc import Mapping
from typing import Any

_COUNTED = ("cpu", "memory")
_ZERO = ("0", "0m", "", "None")


def quality_of_service(spec: Mapping[str, Any]) -> str:
    containers = [
        each
        for name in ("initContainers", "containers")
        for each in _listed(spec.get(name))
        if isinstance(each, Mapping)
    ]
    asks = [_amounts(each, "requests") for each in containers]
    limits = [_amounts(each, "limits") for each in containers]
    if not any(asks) and not any(limits):
        return "BestEffort"
    is_guaranteed = all(set(limit) == set(_COUNTED) and ask == limit for ask, limit in zip(asks, limits, strict=True))
    return "Guaranteed" if is_guaranteed else "Burstable"


def _listed(items: Any) -> list[Any]:
    return items if isinstance(items, list) else []


def _amounts(container: Mapping[str, Any], which: str) -> dict[str, str]:
    resources = container.get("resources")
    amounts = resources.get(which) if isinstance(resources, Mapping) else None
    if not isinstance(amounts, Mapping):
        return {}
    return {name: str(amounts[name]) for name in _COUNTED if name in amounts and str(amounts[name]) not in _ZERO}
