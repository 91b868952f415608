"""Amounts of resources, compared and added up."""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.quantity import BINARY_SI, Quantity, QuantityError, parse_quantity

Amounts = Mapping[str, Any]

_OF_PODS = ("cpu", "memory")  # what a pod may ask for as a whole, besides huge pages
HUGE_PAGES = "hugepages-"


def part(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that is an object; an empty one where something else is written, which nobody has looked through."""
    found = of.get(name)
    return found if isinstance(found, Mapping) else {}


def listed(of: Mapping[str, Any], name: str) -> Sequence[Any]:
    found = of.get(name)
    return found if isinstance(found, list | tuple) else ()


def nano(amount: Any) -> int:
    """In units of 10⁻⁹; 0 for what is no quantity."""
    if isinstance(amount, Quantity):
        return amount.nano
    try:
        return parse_quantity(str(amount)).nano
    except QuantityError:
        return 0


def form(amount: Any) -> str:
    """The family of suffixes that it is written with."""
    return quantity(amount).format


def quantity(amount: Any) -> Quantity:
    """0 for what is no quantity."""
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
    """In the form of the first, unless that is nothing."""
    first, second = quantity(one), quantity(other)
    return Quantity(first.nano + second.nano, first.format if first.nano else second.format)


def resources(holder: Mapping[str, Any], which: str) -> Amounts:
    """The requests or the limits of a container or a pod; what is limited and not asked for is asked for.

    Source: SetDefaults_Pod.
    """
    given = part(holder, "resources")
    amounts = part(given, which)
    limits = part(given, "limits") if which == "requests" else None
    return {**limits, **amounts} if limits else amounts


def summed(spec: Mapping[str, Any], which: str) -> dict[str, Quantity]:
    """What a pod's containers ask for, or may have: together, or as much as the largest of those that come first.

    Source: podRequests and podLimits of plugin/pkg/admission/limitranger.
    """
    total: dict[str, Quantity] = {}
    for each in listed(spec, "containers"):
        _add(total, resources(each, which))
    beside: dict[str, Quantity] = {}  # those of the init containers before that go on
    largest: dict[str, Quantity] = {}
    for each in listed(spec, "initContainers"):
        needed: dict[str, Quantity] = {}
        if each.get("restartPolicy") == "Always":
            _add(total, resources(each, which))
            _add(beside, resources(each, which))
        else:
            _add(needed, resources(each, which))
        _add(needed, beside)
        _raise(largest, needed)
    _raise(total, largest)
    for name, amount in resources(spec, which).items():
        if name in _OF_PODS or name.startswith(HUGE_PAGES):
            total[name] = quantity(amount)
    return total


def charged(spec: Mapping[str, Any], which: str) -> dict[str, Quantity]:
    """With the overhead. Source: component-helpers/resource PodRequests, PodLimits."""
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
