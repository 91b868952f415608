"""Amounts of resources, compared and added up."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.objects.quantity import BINARY_SI, Quantity, QuantityError, parse_quantity

Amounts = Mapping[str, Any]


def nano(amount: Any) -> int:
    """In units of 10⁻⁹; 0 for what is no quantity."""
    if isinstance(amount, Quantity):
        return amount.nano
    try:
        return parse_quantity(str(amount)).nano
    except QuantityError:
        return 0


def written(amount: Any) -> str:
    try:
        return str(amount if isinstance(amount, Quantity) else parse_quantity(str(amount)))
    except QuantityError:
        return str(amount)


def added(one: Any, other: Any) -> Quantity:
    """In the form of the first."""
    first = one if isinstance(one, Quantity) else parse_quantity(str(one))
    return Quantity(first.nano + nano(other), first.format)


def summed(spec: Mapping[str, Any], which: str) -> dict[str, Any]:
    """What a pod's containers ask for, or may have: together, or as much as the largest of those that come first."""
    total: dict[str, Any] = {}
    for each in spec.get("containers") or ():
        for name, amount in ((each.get("resources") or {}).get(which) or {}).items():
            total[name] = added(total[name], amount) if name in total else parse_quantity(str(amount))
    for each in spec.get("initContainers") or ():
        amounts = (each.get("resources") or {}).get(which) or {}
        for name, amount in amounts.items():
            if each.get("restartPolicy") == "Always":
                total[name] = added(total.get(name, Quantity(0, BINARY_SI)), amount)
            elif nano(amount) > nano(total.get(name, 0)):
                total[name] = parse_quantity(str(amount))
    for name, amount in (spec.get("overhead") or {}).items() if which == "requests" else ():
        total[name] = added(total[name], amount) if name in total else parse_quantity(str(amount))
    return total
