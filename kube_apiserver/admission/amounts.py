"""Arithmetic with amounts of resources in manifests."""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.quantity import BINARY_SI, Quantity, QuantityError, parse_quantity

Amounts = Mapping[str, Any]

_POD_RESOURCES = ("cpu", "memory")  # resources that a Pod can request as a whole, besides huge pages
HUGE_PAGES = "hugepages-"


def part(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field that is an object, or an empty one. The manifest may not have been validated."""
    found = of.get(name)
    return found if isinstance(found, Mapping) else {}


def listed(of: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = of.get(name)
    return found if isinstance(found, list | tuple) else ()


def nano(amount: Any) -> int:
    """Return an amount in units of 10⁻⁹, or 0 for an invalid quantity."""
    if isinstance(amount, Quantity):
        return amount.nano
    try:
        return parse_quantity(str(amount)).nano
    except QuantityError:
        return 0


def form(amount: Any) -> str:
    """Return the suffix family of an amount."""
    return quantity(amount).format


def quantity(amount: Any) -> Quantity:
    """Return the quantity of an amount, or 0 for an invalid one."""
    if isinstance(amount, Quantity):
        return amount
    try:
        return parse_quantity(str(amount))
    except QuantityError:
        return Quantity(0)


def written(amount: Any) -> str:
    try:
        return str(amount if isinstance(amount, Quantity) else parse_quantity(str(amount)))
    except QuantityError:
        return str(amount)


def added(one: Any, other: Any) -> Quantity:
    """Return the sum in the format of the first amount, or of the other one if the first is 0."""
    first, second = quantity(one), quantity(other)
    return Quantity(first.nano + second.nano, first.format if first.nano else second.format)


def resources(holder: Mapping[str, Any], which: str) -> Amounts:
    """Return the requests or the limits of a container or a Pod. A missing request is equal to its limit.

    Source: SetDefaults_Pod.
    """
    given = part(holder, "resources")
    amounts = part(given, which)
    limits = part(given, "limits") if which == "requests" else None
    return {**limits, **amounts} if limits else amounts


def summed(spec: Mapping[str, Any], which: str) -> dict[str, Quantity]:
    """Return the requests or limits of a Pod: the sum of its containers, or the largest init container if that is more.

    Source: podRequests and podLimits of plugin/pkg/admission/limitranger.
    """
    total: dict[str, Quantity] = {}
    for container in listed(spec, "containers"):
        _add(total, resources(container, which))
    sidecars: dict[str, Quantity] = {}  # the sidecars that started before an init container
    largest: dict[str, Quantity] = {}
    for container in listed(spec, "initContainers"):
        needed: dict[str, Quantity] = {}
        if container.get("restartPolicy") == "Always":
            _add(total, resources(container, which))
            _add(sidecars, resources(container, which))
        else:
            _add(needed, resources(container, which))
        _add(needed, sidecars)
        _raise(largest, needed)
    _raise(total, largest)
    for name, amount in resources(spec, which).items():
        if name in _POD_RESOURCES or name.startswith(HUGE_PAGES):
            total[name] = quantity(amount)
    return total


def charged(spec: Mapping[str, Any], which: str) -> dict[str, Quantity]:
    """Return the requests or limits of a Pod with its overhead.

    Source: component-helpers/resource PodRequests, PodLimits.
    """
    total = summed(spec, which)
    for name, amount in part(spec, "overhead").items():
        if which == "requests" or (name in total and total[name].nano):
            _add(total, {name: amount})
    return total


def _add(total: dict[str, Quantity], amounts: Amounts) -> None:
    for name, amount in amounts.items():
        total[name] = added(total.get(name, _NOTHING), amount)


def _raise(total: dict[str, Quantity], amounts: Mapping[str, Quantity]) -> None:
    for name, amount in amounts.items():
        if name not in total or amount.nano > total[name].nano:
            total[name] = amount


_NOTHING = Quantity(0, BINARY_SI)
