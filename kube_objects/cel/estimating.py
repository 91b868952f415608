"""Upstream's upper bound of the cost of an expression, without the values of its variables.

Upstream tracks the path of each part's value; here declared types give its size. Source: cel-go checker/cost.go.
"""

from collections.abc import Callable, Sequence

from kube_objects.cel import library_estimates
from kube_objects.cel.expansion import (
    ACCUMULATOR,
    AND,
    OR,
    Application,
    Comprehension,
    Constant,
    Entries,
    Expression,
    Identifier,
    MadeList,
    MadeMap,
    Selection,
)
from kube_objects.cel.library_estimates import Argument, Estimate
from kube_objects.cel.ranges import MOST, ONE, UNKNOWN, ZERO, Range, fixed
from kube_objects.cel.types import SCALARS, Type

SizeOf = Callable[[tuple[str, ...], Type], Range | None]
"""Return the size of a value by its path and type; None if it isn't known."""
_TRAVERSAL, _PATTERN = 0.1, 0.25
_LIST_COST, _MAP_COST, _OBJECT_COST = fixed(10), fixed(30), fixed(40)
_ORDERS = ("less", "greater", "less_equals", "greater_equals")
_BY_SIZE = frozenset(
    ["equals", "not_equals", *(f"{order}_{kind}" for order in _ORDERS for kind in ("string", "bytes"))]
)
_CONCATENATIONS = ("add_string", "add_bytes", "add_list")


def estimate(expression: Expression, size_of: SizeOf) -> Range:
    """Return the cost of an expression that `checking.check` has checked."""
    return _Estimator(size_of).cost(expression)


class _Local:
    """A variable of a loop, or an accumulator."""

    __slots__ = ("entries", "path", "size")

    def __init__(self, path: tuple[str, ...], size: Range | None, entries: Entries | None) -> None:
        self.path, self.size, self.entries = path, size, entries


class _Estimator:
    def __init__(self, size_of: SizeOf) -> None:
        self._size_of = size_of
        self._locals = dict[str, _Local]()

    def cost(self, part: Expression) -> Range:
        match part:
            case Constant():
                return ZERO
            case Identifier():
                local = self._locals.get(part.name)
                part.path = (part.name,) if local is None else local.path
                return ONE
            case Selection():
                return self._selection(part)
            case Application():
                return self._application(part)
            case MadeList():
                return self._list(part)
            case MadeMap():
                return self._map(part)
            case Comprehension():
                return self._binding(part) if part.is_binding else self._comprehension(part)

    def _selection(self, part: Selection) -> Range:
        cost = self.cost(part.operand)
        if part.is_test:
            return cost
        if part.operand.type.kind in ("map", "struct", "param"):
            cost = cost.plus(ONE)
        part.path = (*self._path(part.operand), part.field)
        return cost

    def _list(self, part: MadeList) -> Range:
        cost, item_size = ZERO, Range(MOST if part.items else 0, 0)
        for item in part.items:
            cost = cost.plus(self.cost(item))
            item_size = item_size.union(self._size_or_unknown(item))
        part.entries = Entries(True, ONE, item_size)
        return cost.plus(_LIST_COST)

    def _map(self, part: MadeMap) -> Range:
        cost = ZERO
        key_size = value_size = Range(MOST if part.keys else 0, 0)
        for key, value in zip(part.keys, part.values, strict=True):
            if not part.type_name:
                cost = cost.plus(self.cost(key))
                key_size = key_size.union(self._size_or_unknown(key))
            cost = cost.plus(self.cost(value))
            value_size = value_size.union(self._size_or_unknown(value))
        if part.type_name:
            return cost.plus(_OBJECT_COST)
        part.entries = Entries(False, key_size, value_size)
        return cost.plus(_MAP_COST)

    def _binding(self, part: Comprehension) -> Range:
        cost = self.cost(part.range).plus(self.cost(part.start))
        outer = self._locals
        self._locals = {**outer, part.accumulator: self._local(part.start)}
        cost = cost.plus(self.cost(part.result))
        self._copy_sizes(part, part.result)
        self._locals = outer
        return cost

    def _comprehension(self, part: Comprehension) -> Range:
        cost = self.cost(part.range).plus(self.cost(part.start))
        outer = self._locals
        whole = {**outer, part.accumulator: self._local(part.start)}
        self._locals = {**whole, **self._iterated(part)}
        iteration = self.cost(part.condition)
        iteration = self.cost(part.step).plus(iteration)
        self._locals = whole
        cost = cost.plus(self.cost(part.result))
        self._locals = outer
        count = self._size_or_unknown(part.range)
        cost = cost.plus(count.times(iteration))
        if isinstance(part.start, Constant):
            part.size = self._size(part.start)
        elif isinstance(part.start, MadeList | MadeMap):
            part.size = count
            part.entries = self._entries(part.step) or part.entries
        return cost

    def _iterated(self, part: Comprehension) -> dict[str, _Local]:
        """Return the variables of a loop. Source: pushIterKey, pushIterValue, pushIterSingle."""
        entries, path = self._entries(part.range), self._path(part.range)
        is_list = part.range.type.kind == "list" if entries is None else entries.is_list
        key_size = None if entries is None else entries.key
        value_size = None if entries is None else entries.value
        value = _Local((*path, "@items" if is_list else "@values"), value_size, None)
        if part.second:
            key = _Local((*path, "@indices" if is_list else "@keys"), key_size, None)
            return {part.variable: key, part.second: value}
        if is_list:
            return {part.variable: value}
        return {part.variable: _Local((*path, "@keys"), key_size, None)}

    def _local(self, start: Expression) -> _Local:
        return _Local(self._path(start), self._size(start), self._entries(start))

    def _path(self, part: Expression) -> tuple[str, ...]:
        if isinstance(part, Identifier) and (local := self._locals.get(part.name)) is not None:
            return local.path
        return part.path

    def _size_or_unknown(self, part: Expression) -> Range:
        found = self._size(part)
        return UNKNOWN if found is None else found

    def _size(self, part: Expression) -> Range | None:
        """Return the size of a value; None if nothing is known. Source: computeSize."""
        if part.size is not None:
            return part.size
        if isinstance(part, Constant):
            return fixed(part.literal.length if part.literal.kind in ("string", "bytes") else 1)
        if isinstance(part, MadeList):
            return fixed(len(part.items))
        if isinstance(part, MadeMap) and not part.type_name:
            return fixed(len(part.keys))
        found = self._size_of(self._path(part), part.type)
        if found is not None:
            part.size = found
            return found
        if _is_scalar(part.type):
            return ONE
        local = self._locals.get(part.name) if isinstance(part, Identifier) else None
        return None if local is None else local.size

    def _entries(self, part: Expression) -> Entries | None:
        if part.entries is not None:
            return part.entries
        local = self._locals.get(part.name) if isinstance(part, Identifier) else None
        return None if local is None else local.entries

    def _copy_sizes(self, to: Expression, source: Expression) -> None:
        to.size = self._size(source) or to.size
        to.entries = self._entries(source) or to.entries

    def _application(self, part: Application) -> Range:
        if part.function == "dyn":
            cost = self.cost(part.arguments[0]).plus(ONE)
            self._copy_sizes(part, part.arguments[0])
            return cost
        costs = list[Range]()
        arguments = list[Argument]()
        for argument in part.arguments:
            costs.append(self.cost(argument))
            arguments.append(self._argument(argument))
        if part.function in (AND, OR):
            # The first operand can decide alone.
            part.size = self._size(part)
            return Range(costs[0].least, _sum(costs).most)
        cost, target = ZERO, None
        if part.target is not None:
            cost = self.cost(part.target)
            target = self._argument(part.target)
        whole, size = Range(MOST, 0), None
        for overload in part.overloads:
            call = self._call(part, overload, target, arguments, costs)
            whole = whole.union(call.cost)
            if call.size is not None:
                size = call.size if size is None else size.union(call.size)
            if overload in ("index_list", "index_map"):
                entries = self._entries(part.arguments[0])
                size = None if entries is None else entries.value
                last = "@items" if overload == "index_list" else "@values"
                part.path = (*self._path(part.arguments[0]), last)
            if size is None:
                size = self._size(part)
        if size is not None:
            part.size = size
        return cost.plus(whole)

    def _argument(self, part: Expression) -> Argument:
        path = self._path(part)
        if path[:1] == (ACCUMULATOR,):
            path = ()
        literal = part.literal if isinstance(part, Constant) else None
        return Argument(path, part.type, self._size(part), literal, self._size_of)

    def _call(
        self,
        part: Application,
        overload: str,
        target: Argument | None,
        arguments: Sequence[Argument],
        costs: Sequence[Range],
    ) -> Estimate:
        """Return the estimate of a call with this signature, with its arguments. Source: functionCost."""
        before = _sum(costs)
        known = library_estimates.estimate(part.function, overload, target, arguments)
        if known is not None:
            return Estimate(known.cost.plus(before), known.size)
        sizes = [UNKNOWN if each.size is None else each.size for each in arguments]
        target_size = UNKNOWN if target is None or target.size is None else target.size
        if overload == "conditional":
            return self._conditional(part, sizes, costs)
        if overload in _CONCATENATIONS:
            self._join_entries(part, *part.arguments)
            size = sizes[0].plus(sizes[1])
            own = ONE if overload == "add_list" else size.scaled(_TRAVERSAL)
            return Estimate(own.plus(before), size)
        if overload in _BY_SIZE:
            most = min(sizes[0].most, sizes[1].most)
            return Estimate(Range(1 if most > 0 else 0, most).scaled(_TRAVERSAL).plus(before))
        made = _by_traversal(overload, target_size, sizes)
        return Estimate(made.cost.plus(before), made.size)

    def _conditional(self, part: Application, sizes: Sequence[Range], costs: Sequence[Range]) -> Estimate:
        self._join_entries(part, *part.arguments[1:])
        return Estimate(costs[0].plus(costs[1].union(costs[2])), sizes[1].union(sizes[2]))

    def _join_entries(self, part: Application, one: Expression, other: Expression) -> None:
        first, second = self._entries(one), self._entries(other)
        if first is not None and second is not None:
            key, value = first.key.union(second.key), first.value.union(second.value)
            part.entries = Entries(first.is_list, key, value)


def _by_traversal(overload: str, target: Range, sizes: Sequence[Range]) -> Estimate:
    """Return the estimate of a standard function, which reads texts and lists once; others cost 1."""
    match overload:
        case "string_format":
            return Estimate(target.scaled(_TRAVERSAL))
        case "string_to_bytes":
            return Estimate(sizes[0].scaled(_TRAVERSAL), Range(sizes[0].least, sizes[0].most * 4 & MOST))
        case "bytes_to_string":
            return Estimate(sizes[0].scaled(_TRAVERSAL), Range(sizes[0].least // 4, sizes[0].most))
        case "strings_quote":
            size = Range(sizes[0].least + 2 & MOST, sizes[0].most * 2 + 2 & MOST)
            return Estimate(sizes[0].scaled(_TRAVERSAL), size)
        case "starts_with_string" | "ends_with_string":
            return Estimate(sizes[0].scaled(_TRAVERSAL))
        case "in_list":
            return Estimate(sizes[1].scaled(1))
        case "matches_string":
            text = target.plus(ONE).scaled(_TRAVERSAL)
            return Estimate(text.times(sizes[0].scaled(_PATTERN)))
        case "contains_string":
            return Estimate(target.scaled(_TRAVERSAL).times(sizes[0].scaled(_TRAVERSAL)))
    return Estimate(ONE)


def _sum(costs: Sequence[Range]) -> Range:
    whole = ZERO
    for cost in costs:
        whole = whole.plus(cost)
    return whole


def _is_scalar(type_: Type) -> bool:
    return type_.kind in SCALARS or (type_.is_optional and _is_scalar(type_.parameters[0]))
