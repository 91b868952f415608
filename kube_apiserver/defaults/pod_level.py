"""Resources of a whole pod, filled in by those of its containers. Source: pkg/apis/core/v1/defaults.go."""

from collections.abc import Mapping

from kube_apiserver.defaults.fields import Object, objects, part
from kube_objects.quantity import Quantity, QuantityError, parse_quantity

_HUGE_PAGES = "hugepages-"
_SHARED = ("cpu", "memory")
_Amounts = dict[str, Quantity]


def fill_in(spec: Object) -> None:
    """Of a pod whose containers are defaulted already."""
    resources = part(spec, "resources")
    given = {which: resources.get(which) or {} for which in ("limits", "requests")}
    if not any(given.values()) or not all(isinstance(each, dict) for each in given.values()):
        return
    limits, requests = given["limits"], given["requests"]
    huge = {name: str(amount) for name, amount in _of_containers(spec, "limits").items() if _is_huge(name)}
    limits = {**{name: amount for name, amount in huge.items() if name not in requests}, **limits}
    if not limits:
        return
    resources["limits"] = limits
    shared = {name: str(amount) for name, amount in _of_containers(spec, "requests").items() if name in _SHARED}
    own = {name: amount for name, amount in limits.items() if name in _SHARED or _is_huge(name)}
    resources["requests"] = {**own, **shared, **requests}


def _is_huge(name: str) -> bool:
    return name.startswith(_HUGE_PAGES)


def _of_containers(spec: Object, which: str) -> _Amounts:
    """What the containers have together, or an init container with the sidecars before it.

    Source: component-helpers/resource AggregateContainerRequests.
    """
    total, sidecars, most = _Amounts(), _Amounts(), _Amounts()
    for each in objects(spec.get("containers")):
        total = _sum(total, _amounts(each, which))
    for each in objects(spec.get("initContainers")):
        own = _amounts(each, which)
        if each.get("restartPolicy") == "Always":
            total, sidecars = _sum(total, own), _sum(sidecars, own)
            own = sidecars
        else:
            own = _sum(own, sidecars)
        most = _greater(most, own)
    return _greater(total, most)


def _amounts(container: Object, which: str) -> _Amounts:
    """Amounts that are none are refused later."""
    found = _Amounts()
    given = part(container, "resources").get(which)
    for name, amount in (given if isinstance(given, dict) else {}).items():
        try:
            found[name] = parse_quantity(str(amount))
        except QuantityError:
            continue
    return found


def _sum(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    found = dict(first)
    for name, amount in second.items():
        here = found.get(name)
        found[name] = Quantity(here.nano + amount.nano, here.format) if here and here.nano else amount
    return found


def _greater(first: Mapping[str, Quantity], second: Mapping[str, Quantity]) -> _Amounts:
    found = dict(first)
    for name, amount in second.items():
        if name not in found or amount.nano > found[name].nano:
            found[name] = amount
    return found
