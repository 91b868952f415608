"""The work that an expression can need at most, over these variables.

Source: cel-go interpreter/runtimecost.go, apiserver/pkg/cel/library/cost.go. Upstream counts while it evaluates. The
library that evaluates here counts nothing and can't be interrupted, so this is calculated before, from the syntax and
the sizes of what the variables hold. A unit is about 0.1 microseconds of the library, whose work differs from cel-go's:
a selected field is copied, and `map` and `filter` copy what they have so far for each item.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from kube_objects.cel.extents import SCALAR, Extent, Measure, TooManyError, joined, together
from kube_objects.cel.syntax import CONDITION, Call, Index, Literal, Made, Name, Node, NotReadError, Select, parse

# Units of: a call of a function in Python; a check by `authorizer`, which reads roles; an iteration.
_CALL, _CHECK, _ITERATION = 20, 5000, 2
# The calculation itself looks at two values in the time of a unit.
_LOOKS_PER_UNIT = 2
# A value that is copied, and so many characters.
_COPY, _TEXT_PER_UNIT, _KEPT_TEXT_PER_UNIT = 4, 500, 25
# A value that a function in Python returns.
_RETURNED = 8
_PREDICATES, _LISTERS = ("all", "exists", "exists_one", "existsOne"), ("map", "filter")
_OPERATORS = ("!", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=")
_BOOLEAN = ("&&", "||")
# Functions that compare each item with each.
_PAIRS = frozenset(["distinct", "sets.contains", "sets.equivalent", "sets.intersects", "indexOf", "lastIndexOf"])
# A list or map is asked something that takes no look at what is in it.
_LOOKS = ("size", "hasValue", "value", "orValue", "optional", "or")
# Functions whose result is a number or a truth value.
_TO_SCALAR = frozenset(
    [
        *("contains", "startsWith", "endsWith", "matches", "sets.contains", "sets.equivalent", "sets.intersects"),
        *("indexOf", "lastIndexOf", "isSorted", "int", "uint", "double", "bool", "timestamp", "duration", "type"),
        *("isQuantity", "isIP", "isCIDR", "isURL", "isSemver", "compareTo", "isGreaterThan", "isLessThan", "allowed"),
    ]
)
_TEXTS = frozenset(["replace", "format", "join", "split", "string", "strings.quote"])
# Characters of a number or a boolean as text; `%.99f` writes more digits.
_NUMBER, _DIGITS = 25, 420
_COUNTS, _WIDE_CLASS = re.compile(r"[{,](\d{1,9})\}"), re.compile(r"\\[wWdDsSpP]|\(\?i")
_WIDE, _ANY_PATTERN = 20, 800_000


LONGEST_TEXT, MOST_IN_RANGE = 65_536, 1000
"""The longest text that a function makes, in characters, and the longest list of `lists.range`."""
MOST_OF_ONE = 4_000_000
"""Units that one evaluation may need: 0.4 s."""


class CostlyError(Exception):
    """The expression can need more work than the limit, or is nested too deeply to be looked at."""


def units(expression: str, variables: Mapping[str, Any], measure: Measure, limit: int) -> int:
    """Return the units of work that the expression can need at most. Raise CostlyError above the limit.

    `variables`: their values, or the extents of these. `limit`: at which the calculation stops. An expression that
    isn't CEL costs 1, because it isn't evaluated.
    """
    try:
        node = parse(expression)
    except NotReadError as error:
        if "deeply" in str(error):
            raise CostlyError from error
        return 1
    estimate, looked = _Estimate(variables, measure, limit), measure.looked
    measure.most = looked + limit
    try:
        result = estimate.visit(node)
        # The result becomes a value of Python, and stays while others are evaluated.
        estimate.keep(result)
    except (RecursionError, TooManyError) as error:
        raise CostlyError from error
    return estimate.units + (measure.looked - looked) // _LOOKS_PER_UNIT


class _Estimate:
    """A walk over a syntax tree that adds up units."""

    def __init__(self, variables: Mapping[str, Any], measure: Measure, limit: int) -> None:
        self.units, self._limit, self._measure = 0, limit, measure
        self._variables, self._bound = variables, dict[str, Extent]()

    def visit(self, node: Node) -> Extent:
        """Return how large the node's value can be."""
        self._add(1)
        match node:
            case Literal():
                return Extent(0, 1, node.length)
            case Name():
                return self._named(node.name)
            case Select():
                return self._copied(self._measure.field(self.visit(node.target), node.field))
            case Index():
                target, index = self.visit(node.target), node.index
                if isinstance(index, Literal) and index.text is not None:
                    return self._copied(self._measure.field(target, index.text))
                self.visit(index)
                return self._copied(self._measure.entries(target))
            case Made():
                items = [self.visit(item) for item in node.items]
                made = together(items)
                self.keep(made)
                elements = joined(items if node.is_list else items[::2])
                return Extent(len(items), made.values, made.text, elements if node.is_list else None)
            case Call():
                return self._call(node)

    def keep(self, extent: Extent) -> None:
        """Add what it takes to make and hold a value."""
        self._add(_COPY * extent.values + extent.text // _KEPT_TEXT_PER_UNIT)

    def _add(self, units: int) -> None:
        self.units += units
        if self.units > self._limit:
            raise CostlyError

    def _named(self, name: str) -> Extent:
        if (bound := self._bound.get(name)) is not None:
            return bound
        value = self._variables.get(name, SCALAR)
        return value if isinstance(value, Extent) else self._measure.extent(value)

    def _copied(self, extent: Extent) -> Extent:
        self._add(_COPY * extent.values + extent.text // _TEXT_PER_UNIT)
        return extent

    def _call(self, node: Call) -> Extent:
        function, arguments = node.function, node.arguments
        if node.target is not None and arguments and isinstance(arguments[0], Name):
            if function in (*_PREDICATES, *_LISTERS) and len(arguments) > 1:
                return self._comprehension(node, node.target)
            if function == "bind" and len(arguments) == 3:
                return self._with(arguments[0].name, self.visit(arguments[1]), lambda: self.visit(arguments[2]))
            if function in ("optMap", "optFlatMap") and len(arguments) == 2:
                return self._with(arguments[0].name, self.visit(node.target), lambda: self.visit(arguments[1]))
        if function == "has" and arguments and isinstance(arguments[0], Select):
            self.visit(arguments[0].target)
            return SCALAR
        if function == CONDITION:
            self.visit(arguments[0])
            return joined([self.visit(arguments[1]), self.visit(arguments[2])])
        extents = [self.visit(argument) for argument in arguments]
        if node.target is not None:
            if isinstance(node.target, Name) and node.target.name not in {*self._bound, *self._variables}:
                # `lists.range`, `sets.contains`: the target is a part of the name.
                function = f"{node.target.name}.{function}"
            else:
                extents.insert(0, self.visit(node.target))
        return self._applied(function, node, extents)

    def _with(self, name: str, extent: Extent, visit: Callable[[], Extent]) -> Extent:
        """Visit with a variable more."""
        bound = self._bound
        self._bound = {**bound, name: extent}
        result = visit()
        self._bound = bound
        return result

    def _comprehension(self, node: Call, target: Node) -> Extent:
        whole = self.visit(target)
        names = [each.name for each in node.arguments if isinstance(each, Name)]
        element, start = self._measure.elements(whole), self.units
        results = list[Extent]()
        bound, self._bound = self._bound, dict(self._bound)
        self._bound[names[0]] = element
        # The expressions behind the name; with two names, the second one is the value of a map's entry.
        if len(node.arguments) == 3 and len(names) > 1 and node.function not in _LISTERS:
            self._bound[names[1]] = self._measure.entries(whole)
        for each in node.arguments[1:]:
            results.append(self.visit(each))
        self._bound = bound
        body = self.units - start + _ITERATION
        self.units = start
        self._add(whole.items * body)
        if node.function in _PREDICATES:
            return SCALAR
        item = element if node.function == "filter" else results[-1]
        made = Extent(whole.items, 1 + whole.items * item.values, whole.items * item.text, item)
        if node.function == "filter":
            made = Extent(whole.items, min(made.values, whole.values), min(made.text, whole.text), item)
        # The evaluator copies the list so far for each item.
        self._add(whole.items * made.values // 2 + whole.items * made.text // (2 * _TEXT_PER_UNIT))
        self.keep(made)
        return made

    def _applied(self, function: str, node: Call, given: list[Extent]) -> Extent:
        whole = together(given)
        if function in _BOOLEAN or function in _LOOKS:
            self._add(1)
            return SCALAR if function in (*_BOOLEAN, "size", "hasValue") else joined(given)
        if function == "optionalAt":
            return self._copied(joined(map(self._measure.entries, given[:1])))
        if function in _OPERATORS:
            self._add(min(each.values for each in given) + min(each.text for each in given) // _TEXT_PER_UNIT)
            return SCALAR if len(given) == 2 or function == "!" else given[0]
        if function == "+":
            element = joined(map(self._measure.elements, given))
            made = Extent(sum(each.items for each in given), whole.values, whole.text, element)
            self.keep(made)
            return made
        if function == "in":
            needle, inside = given
            self._add(inside.items * (needle.values + needle.text // _TEXT_PER_UNIT) // 2)
            return SCALAR
        if function in _PAIRS and given[0].items:
            first, last = given[0], given[-1]
            self._add(_COPY * first.values * (last.values + last.text // _TEXT_PER_UNIT))
        if function == "matches":
            self._add(_pattern_cost(node.arguments[-1:], given))
        if function == "check":
            self._add(_CHECK)
        # The arguments become values of Python.
        self._add(_CALL + whole.values + whole.text // _TEXT_PER_UNIT)
        made = self._result(function, node, given, whole)
        self._add(_RETURNED * made.values)
        self.keep(made)
        return made

    def _result(self, function: str, node: Call, given: list[Extent], whole: Extent) -> Extent:
        if function == "lists.range":
            size = node.arguments[0] if node.arguments else None
            number = size.number if isinstance(size, Literal) and size.number is not None else MOST_IN_RANGE
            number = min(number, MOST_IN_RANGE)
            return Extent(number, number + 1, 0, SCALAR)
        if function in _TO_SCALAR:
            return SCALAR
        if function not in _TEXTS:
            # A list that is made flat has as many items as there are values.
            return Extent(whole.values, whole.values, whole.text)
        if function == "split":
            return Extent(given[0].text + 1, given[0].text + 2, given[0].text, Extent(0, 1, given[0].text))
        if function == "join":
            length = whole.text + given[0].items * (given[1].text if len(given) > 1 else 0)
            return Extent(0, 1, length)
        if function == "replace" and len(given) > 2:
            return Extent(0, 1, min(LONGEST_TEXT, given[0].text + (given[0].text + 1) * given[2].text))
        if function == "format":
            return Extent(0, 1, min(LONGEST_TEXT, given[0].text * _DIGITS + 2 * whole.text + whole.values * _NUMBER))
        return Extent(0, 1, 2 * whole.text + whole.values * _NUMBER)


def _pattern_cost(pattern: tuple[Node, ...], given: list[Extent]) -> int:
    """Return the cost of compiling the pattern for each call. A pattern that isn't a constant may have any length."""
    text = given[0].text
    literal = pattern[0] if pattern else None
    if not isinstance(literal, Literal) or not literal.length:
        return _ANY_PATTERN
    source = literal.text
    counts = math.prod(max(1, int(each)) for each in _COUNTS.findall(source)) if source is not None else 0
    wide = _WIDE if source is None or _WIDE_CLASS.search(source) else 1
    size = (literal.length + counts if counts else literal.length**2) * wide
    return 20 * size + text * literal.length // _TEXT_PER_UNIT
