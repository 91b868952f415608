"""Estimates of the functions that Kubernetes and cel-go's extensions add.

Source: apiserver/pkg/cel/library/cost.go (EstimateCallCost), cel-go ext/lists.go, ext/sets.go,
dynamic-resource-allocation/cel/compile.go (draCostEstimator).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kube_objects.cel.ranges import MOST, ONE, UNKNOWN, ZERO, Range, fixed
from kube_objects.cel.syntax import Literal
from kube_objects.cel.types import Type

TRAVERSAL, _PATTERN = 0.1, 0.25
# An authorization check. Two of them fit into the limit of one evaluation.
_CHECK = fixed(350_000)
_LIST = 10
# A requirement of a selector: a list and an object. The shortest requirement has two characters.
_REQUIREMENT, _REQUIREMENTS_PER_CHARACTER = 50, 0.5
_LONGEST_FORMAT, _LONGEST_NAME_PATTERN = 64, 128
# The bytes of an address.
_ADDRESS = Range(4, 16)
# Source: resource/v1 ResourceSliceMaxAttributeValuesPerDevice.
_ATTRIBUTE_VALUES = 48


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function, or its target.

    `path`: that leads from a variable to it; () if none does. `size`: None if nothing is known. `size_of`: the sizes
    of declared values.
    """

    path: tuple[str, ...]
    type: Type
    size: Range | None
    literal: Literal | None
    size_of: Callable[[tuple[str, ...], Type], Range | None]

    @property
    def whole(self) -> Range:
        return UNKNOWN if self.size is None else self.size


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of a call, and the size of its result if the call decides it."""

    cost: Range
    size: Range | None = None


_Made = Estimate | None
_Estimator = Callable[[str, Argument | None, Sequence[Argument]], _Made]


def estimate(function: str, overload: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    """Return the estimate of the call itself; None if it's a standard function."""
    made = _by_overload(overload, target, arguments)
    if made is not None:
        return made
    estimator = _ESTIMATORS.get(function)
    return None if estimator is None else estimator(overload, target, arguments)


def _by_overload(overload: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    match overload:
        case "list_sets_contains_list" | "list_sets_intersects_list" | "list_sets_equivalent_list":
            factor = 2 if overload == "list_sets_equivalent_list" else 1
            return Estimate(arguments[0].whole.times(arguments[1].whole).scaled(factor).plus(ONE))
        case "lists_range":
            return _allocation(1, fixed(_number(arguments[0], MOST)))
    if target is None:
        return None
    match overload:
        case "list_slice":
            start, end = _number(arguments[0], 0), _number(arguments[1], target.whole.most)
            return _allocation(1, fixed(end - start & MOST))
        case "list_reverse":
            return _allocation(1, target.whole)
        case "list_flatten" | "list_flatten_int":
            return _allocation(_number(arguments[0], MOST) if arguments else 1, target.whole)
        case "list_distinct":
            return _allocation(2, target.whole.times(target.whole))
    if overload.endswith(("_sort", "_sortByAssociatedKeys")):
        compared = target if overload.endswith("_sort") else arguments[0]
        is_text = overload.startswith(("list_string_", "list_bytes_"))
        return _allocation(2 + TRAVERSAL if is_text else 2, compared.whole.times(compared.whole))
    return None


def _allocation(factor: float, size: Range) -> Estimate:
    return Estimate(size.scaled(factor).plus(fixed(1 + _LIST)), size)


def _number(argument: Argument, otherwise: int) -> int:
    literal = argument.literal
    if literal is None or literal.kind != "int" or literal.number is None:
        return otherwise
    return literal.number & MOST


def _check(*_: object) -> Estimate:
    return Estimate(_CHECK)


def _constant(*_: object) -> Estimate:
    return Estimate(ONE)


def _selector(_: str, __: Argument | None, arguments: Sequence[Argument]) -> _Made:
    length = arguments[0].whole
    requirements = length.scaled(_REQUIREMENTS_PER_CHARACTER).scaled(_REQUIREMENT)
    return Estimate(fixed(_LIST).plus(length.scaled(TRAVERSAL)).plus(requirements))


def _element_size(target: Argument) -> tuple[Type, Range] | None:
    """Return the type and size of a list's items; None if it isn't a list. Source: listElementNode."""
    if not target.type.parameters:
        return None
    element = target.type.parameters[0]
    size = target.size_of((*target.path, "@items") if target.path else (), element)
    return element, UNKNOWN if size is None else size


def _list_scan(_: str, target: Argument | None, __: Sequence[Argument]) -> _Made:
    if target is None:
        return None
    found = _element_size(target)
    if found is None:
        return Estimate(target.whole.scaled(TRAVERSAL))
    element, size = found
    cost = ONE.plus(size.scaled(TRAVERSAL)) if element.kind in ("string", "bytes") else ONE
    return Estimate(target.whole.times(cost))


def _reading(factor: float = 1, *, keeps_size: bool = False) -> _Estimator:
    """Return the estimate of a function that reads its first argument."""

    def of_call(_: str, __: Argument | None, arguments: Sequence[Argument]) -> _Made:
        if not arguments:
            return None
        size = arguments[0].whole
        return Estimate(size.scaled(factor * TRAVERSAL), size if keeps_size else None)

    return of_call


def _copy(_: str, target: Argument | None, __: Sequence[Argument]) -> _Made:
    return None if target is None else Estimate(target.whole.scaled(TRAVERSAL), target.whole)


def _replace(_: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    if target is None or len(arguments) < 2:
        return None
    size, old, new = target.whole, arguments[0].whole, arguments[1].whole
    least, most = _shortest_replacement(size, old, new), _longest_replacement(size, old, new)
    return Estimate(size.scaled(2 * TRAVERSAL), Range(least, most))


def _longest_replacement(size: Range, old: Range, new: Range) -> int:
    """Return the longest text: the longest replacement as often as possible."""
    if old.least == 0:
        # An empty text is found around each character.
        return min(min(size.most + 1, MOST) * new.most + size.most, MOST)
    if new.most <= old.least:
        return size.most
    return min(min(math.ceil(float(size.most) / old.least), MOST) * new.most, MOST)


def _shortest_replacement(size: Range, old: Range, new: Range) -> int:
    if old.most == 0:
        return min(min(size.least + 1, MOST) * new.least + size.least, MOST)
    if old.most <= new.least:
        return size.least
    return min(min(math.ceil(float(size.least) / old.most), MOST) * new.least, MOST)


def _split(_: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    if target is None:
        return None
    most = _number(arguments[1], target.whole.most) if len(arguments) > 1 else target.whole.most
    return Estimate(target.whole.scaled(2 * TRAVERSAL), Range(0, most))


def _join(_: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    if target is None:
        return None
    size, found, count = ZERO, _element_size(target), target.whole
    if found is not None:
        size = count.times(found[1])
    if arguments:
        separators = Range(max(count.least - 1, 0), max(count.most - 1, 0))
        size = size.plus(arguments[0].whole.times(separators))
    return Estimate(size.scaled(TRAVERSAL), size)


def _find(_: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    if target is None or not arguments:
        return None
    cost = target.whole.plus(ONE).scaled(TRAVERSAL).times(arguments[0].whole.scaled(_PATTERN))
    return Estimate(cost, Range(0, target.whole.most))


def _ip(overload: str, target: Argument | None, arguments: Sequence[Argument]) -> _Made:
    return Estimate(ONE) if overload == "cidr_ip" else _reading()(overload, target, arguments)


def _contains_ip(overload: str, _: Argument | None, arguments: Sequence[Argument]) -> _Made:
    cost = _ADDRESS.plus(_ADDRESS).scaled(TRAVERSAL)
    return Estimate(_with_parsing(cost, overload, arguments))


def _contains_cidr(overload: str, _: Argument | None, arguments: Sequence[Argument]) -> _Made:
    cost = _ADDRESS.plus(_ADDRESS).scaled(TRAVERSAL).plus(_ADDRESS.scaled(TRAVERSAL)).plus(ONE)
    return Estimate(_with_parsing(cost, overload, arguments))


def _with_parsing(cost: Range, overload: str, arguments: Sequence[Argument]) -> Range:
    return cost.plus(arguments[0].whole.scaled(TRAVERSAL)) if overload.endswith("_string") else cost


def _validate(_: str, __: Argument | None, arguments: Sequence[Argument]) -> _Made:
    return Estimate(arguments[0].whole.scaled(TRAVERSAL).scaled(_LONGEST_NAME_PATTERN * _PATTERN))


def _includes(*_: object) -> Estimate:
    return Estimate(Range(0, _ATTRIBUTE_VALUES))


def _equals(_: str, __: Argument | None, arguments: Sequence[Argument]) -> _Made:
    left, right = arguments
    if left.type != right.type:
        return None
    if left.type.name in _COMPARED_AT_ONCE:
        return Estimate(ONE)
    if left.type.name == "kubernetes.NamedFormat":
        return Estimate(Range(1, _LONGEST_FORMAT).scaled(TRAVERSAL))
    if left.type.name == "kubernetes.URL":
        most = 1 if right.size is None else right.size.most
        return Estimate(Range(1, most).scaled(TRAVERSAL))
    return None


_AUTHORIZATION = "kubernetes.authorization."
_COMPARED_AT_ONCE = frozenset(
    [
        *("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"),
        *(f"{_AUTHORIZATION}{name}" for name in ("Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision")),
    ]
)
_CONSTANTS = (
    *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error"),
    *("errored", "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast"),
    *("isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat"),
    *("isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch", "getScheme", "getHostname"),
    *("getHost", "getPort", "getEscapedPath", "getQuery"),
)
_ESTIMATORS: dict[str, _Estimator] = {
    "check": _check,
    **dict.fromkeys(_CONSTANTS, _constant),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _list_scan),
    **dict.fromkeys(("url", "jsonpatch.escapeKey"), _reading(keeps_size=True)),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _copy),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _reading()),
    "ip": _ip,
    "ip.isCanonical": _reading(2),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "includes": _includes,
    "_==_": _equals,
}
