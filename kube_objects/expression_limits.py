"""The cost limits of device expressions.

Source: dynamic-resource-allocation/cel/compile.go, resource/v1 CELSelectorExpressionMaxCost.
"""

from collections.abc import Mapping
from functools import cache

from kube_objects.cel import costs, declarations, types, work
from kube_objects.cel.checking import Environment
from kube_objects.cel.declarations import Declared
from kube_objects.cel.extents import Extent, Measure
from kube_objects.cel.ranges import Range

TOO_COMPLEX = "too complex, exceeds cost limit"
_MOST_COST = 1_000_000
# Source: resource/v1. A device has so many attributes and capacities, of so long names and values.
_MOST_ATTRIBUTES = 32
_LONGEST_DOMAIN, _LONGEST_ID, _LONGEST_VALUE = 63, 32, 64
# The functions that the gate DRAListTypeAttributes adds. It's off by default.
_HIDDEN = frozenset(["includes"])


def is_too_complex(expression: str) -> bool:
    """Return whether the expression can cost more than upstream's limit, or more work than its evaluation may need."""
    estimate = estimated(expression)
    if estimate is not None and estimate.most > _MOST_COST:
        return True
    try:
        work.units(expression, _largest(), Measure(), work.MOST_OF_ONE)
    except work.CostlyError:
        return True
    return False


def estimated(expression: str) -> Range | None:
    """Return upstream's estimate of the cost; None for an expression that isn't valid."""
    return costs.estimated(expression, _environment(), declarations.sizes_in(_device(), _attribute()))


@cache
def _attribute() -> Declared:
    return Declared(types.ANY, _LONGEST_VALUE)


@cache
def _device() -> Declared:
    domain, id_ = Declared(types.STRING, _LONGEST_DOMAIN, 2), Declared(types.STRING, _LONGEST_ID, 2)
    fields = {
        "driver": domain,
        "allowMultipleAllocations": Declared(types.BOOL, 1, 4),
        "attributes": _map_of_maps(_attribute(), domain, id_),
        "capacity": _map_of_maps(Declared(types.named("kubernetes.Quantity"), 0, 8), domain, id_),
    }
    return declarations.object_of(fields, name="kubernetes.DRADevice")


def _map_of_maps(value: Declared, domain: Declared, id_: Declared) -> Declared:
    inner = declarations.map_of(value, _MOST_ATTRIBUTES, id_)
    return declarations.map_of(inner, _MOST_ATTRIBUTES, domain)


@cache
def _environment() -> Environment:
    device = _device()
    return Environment({"device": device.type}, declarations.structures(device), _HIDDEN)


@cache
def _largest() -> Mapping[str, Extent]:
    """Return the extent of the largest device."""
    value = Extent(0, 1, _LONGEST_VALUE)
    text = _MOST_ATTRIBUTES * (_LONGEST_ID + _LONGEST_VALUE)
    domain = Extent(_MOST_ATTRIBUTES, 2 * _MOST_ATTRIBUTES + 1, text, value)
    domains = Extent(_MOST_ATTRIBUTES, 4 * _MOST_ATTRIBUTES + 1, text + _MOST_ATTRIBUTES * _LONGEST_DOMAIN, domain)
    return {"device": Extent(4, 2 * domains.values + 5, 2 * domains.text + _LONGEST_DOMAIN, domains)}
