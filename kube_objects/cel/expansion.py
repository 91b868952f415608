"""Expressions without macros: `all`, `map`, `has` and the like become comprehensions and tests of presence.

Source: cel-go parser/macro.go, cel/library.go (optMap), ext/comprehensions.go, ext/lists.go (sortBy), ext/bindings.go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kube_objects.cel import syntax
from kube_objects.cel.ranges import Range
from kube_objects.cel.syntax import Node
from kube_objects.cel.types import DYN, Type

ACCUMULATOR = "@result"
AND, OR, CONDITION = "_&&_", "_||_", syntax.CONDITION
# A macro that copies its target makes an expression of exponential size.
_MOST_NODES = 20_000
_QUALIFIED_TYPES = ("google.protobuf.Duration", "google.protobuf.Timestamp")
_UNARY = {"!": "!_", "-": "-_"}


class TooManyNodesError(ValueError):
    """The expression gets too large when its macros are expanded."""


@dataclass(eq=False, slots=True, kw_only=True)
class _Expression:
    """A node of the tree. The type checker sets `type`; the estimate sets the others.

    `path`: the fields that lead from a variable to the value. `size`: of the value; `entries`: of what it holds.
    """

    type: Type = DYN
    path: tuple[str, ...] = ()
    size: Range | None = None
    entries: "Entries | None" = None


@dataclass(frozen=True, slots=True)
class Entries:
    """The sizes of the keys and values of a map, or of the items of a list (`value`)."""

    is_list: bool
    key: Range
    value: Range


@dataclass(eq=False, slots=True)
class Constant(_Expression):
    """A literal."""

    literal: syntax.Literal


@dataclass(eq=False, slots=True)
class Identifier(_Expression):
    """A variable, or a type."""

    name: str


@dataclass(eq=False, slots=True)
class Selection(_Expression):
    """`operand.field`, or `has(operand.field)`."""

    operand: "Expression"
    field: str
    is_test: bool = False


@dataclass(eq=False, slots=True)
class Application(_Expression):
    """The call of a function. `overloads`: the ids of the signatures that it can have."""

    function: str
    target: "Expression | None"
    arguments: "list[Expression]"
    overloads: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class MadeList(_Expression):
    """A list. `optional`: the places of optional items."""

    items: "list[Expression]"
    optional: frozenset[int] = frozenset()


@dataclass(eq=False, slots=True)
class MadeMap(_Expression):
    """A map, or an object if it has the name of a type."""

    keys: "list[Expression]"
    values: "list[Expression]"
    optional: frozenset[int] = frozenset()
    type_name: str = ""


@dataclass(eq=False, slots=True)
class Comprehension(_Expression):
    """A loop over a range that changes an accumulator. `second` is "" with one variable."""

    range: "Expression"
    variable: str
    second: str
    accumulator: str
    start: "Expression"
    condition: "Expression"
    step: "Expression"
    result: "Expression"

    @property
    def is_binding(self) -> bool:
        """Return whether the comprehension only binds a name to a value."""
        return isinstance(self.range, MadeList) and not self.range.items and self.variable == "#unused"


Expression = Constant | Identifier | Selection | Application | MadeList | MadeMap | Comprehension


def expand(node: Node) -> Expression:
    """Return the expression without macros. Raise TooManyNodesError, or RecursionError."""
    return _Expander().expand(node)


class _Expander:
    def __init__(self) -> None:
        self._count = 0

    def expand(self, node: Node) -> Expression:
        self._count += 1
        if self._count > _MOST_NODES:
            raise TooManyNodesError(f"more than {_MOST_NODES} nodes")
        match node:
            case syntax.Literal():
                return Constant(node)
            case syntax.Name():
                return Identifier(node.name)
            case syntax.Select():
                if (name := syntax.qualified_name(node)) in _QUALIFIED_TYPES:
                    return Identifier(name)
                operand = self.expand(node.target)
                if node.is_optional:
                    return Application("_?._", None, [operand, _text(node.field)])
                return Selection(operand, node.field)
            case syntax.Index():
                sign = "_[?_]" if node.is_optional else "_[_]"
                return Application(sign, None, [self.expand(node.target), self.expand(node.index)])
            case syntax.Made():
                items = [self.expand(item) for item in node.items]
                if node.is_list:
                    return MadeList(items, node.optional)
                return MadeMap(items[::2], items[1::2], node.optional, node.type_name)
            case syntax.Call():
                return self._macro(node) or self._call(node)

    def _call(self, node: syntax.Call) -> Expression:
        arguments = [self.expand(argument) for argument in node.arguments]
        if node.target is not None:
            return Application(node.function, self.expand(node.target), arguments)
        function = node.function
        if function == "in":
            function = "@in"
        elif not (function[0].isalpha() or function[0] == "_"):
            function = _UNARY[function] if len(arguments) == 1 else f"_{function}_"
        return Application(function, None, arguments)

    def _macro(self, node: syntax.Call) -> Expression | None:
        """Return the expanded macro; None for a function."""
        arguments = node.arguments
        if node.target is None:
            if node.function == "has" and len(arguments) == 1 and isinstance(arguments[0], syntax.Select):
                return Selection(self.expand(arguments[0].target), arguments[0].field, is_test=True)
            return None
        make = _MACROS.get((node.function, len(arguments)))
        if make is not None:
            first = arguments[0]
            return make(self, node.target, first.name, arguments[1:]) if isinstance(first, syntax.Name) else None
        make_for_two = _MACROS_OF_TWO.get((node.function, len(arguments)))
        if make_for_two is not None and isinstance(arguments[0], syntax.Name) and isinstance(arguments[1], syntax.Name):
            names = arguments[0].name, arguments[1].name
            return make_for_two(self, node.target, *names, arguments[2:])
        return None


def _text(text: str) -> Constant:
    return Constant(syntax.Literal("string", len(text), text=text))


def _true() -> Constant:
    return Constant(syntax.Literal("bool"))


def _number(number: int) -> Constant:
    return Constant(syntax.Literal("int", number=number))


def _accumulator() -> Identifier:
    return Identifier(ACCUMULATOR)


def _call(function: str, *arguments: Expression) -> Application:
    return Application(function, None, list(arguments))


_Make = Callable[[_Expander, Node, str, Sequence[Node]], Expression]
_MakeForTwo = Callable[[_Expander, Node, str, str, Sequence[Node]], Expression]


def _all(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    condition = _call("@not_strictly_false", _accumulator())
    step = _call(AND, _accumulator(), expander.expand(arguments[0]))
    return _loop(expander, target, (name, second), _true(), condition, step)


def _exists(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    condition = _call("@not_strictly_false", _call("!_", _accumulator()))
    step = _call(OR, _accumulator(), expander.expand(arguments[0]))
    return _loop(expander, target, (name, second), _true(), condition, step)


def _exists_one(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    more = _call("_+_", _accumulator(), _number(1))
    step = _call(CONDITION, expander.expand(arguments[0]), more, _accumulator())
    result = _call("_==_", _accumulator(), _number(1))
    return _loop(expander, target, (name, second), _number(0), _true(), step, result)


def _map(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    """Expand a transformation, with a filter before it if there are two arguments."""
    more = _call("_+_", _accumulator(), MadeList([expander.expand(arguments[-1])]))
    return _loop(expander, target, (name, second), MadeList([]), _true(), _filtered(expander, more, arguments))


def _filter(expander: _Expander, target: Node, name: str, arguments: Sequence[Node]) -> Expression:
    more = _call("_+_", _accumulator(), MadeList([Identifier(name)]))
    step = _call(CONDITION, expander.expand(arguments[0]), more, _accumulator())
    return _loop(expander, target, (name, ""), MadeList([]), _true(), step)


def _map_values(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    more = _call("cel.@mapInsert", _accumulator(), Identifier(name), expander.expand(arguments[-1]))
    return _loop(expander, target, (name, second), MadeMap([], []), _true(), _filtered(expander, more, arguments))


def _map_entries(expander: _Expander, target: Node, name: str, second: str, arguments: Sequence[Node]) -> Expression:
    more = _call("cel.@mapInsert", _accumulator(), expander.expand(arguments[-1]))
    return _loop(expander, target, (name, second), MadeMap([], []), _true(), _filtered(expander, more, arguments))


def _filtered(expander: _Expander, more: Application, arguments: Sequence[Node]) -> Application:
    if len(arguments) == 1:
        return more
    return _call(CONDITION, expander.expand(arguments[0]), more, _accumulator())


def _loop(
    expander: _Expander,
    target: Node,
    names: tuple[str, str],
    start: Expression,
    condition: Expression,
    step: Expression,
    result: Expression | None = None,
) -> Comprehension:
    range_ = expander.expand(target)
    return Comprehension(range_, *names, ACCUMULATOR, start, condition, step, result or _accumulator())


def _bind(expander: _Expander, _: Node, name: str, arguments: Sequence[Node]) -> Expression:
    return _named(name, expander.expand(arguments[0]), expander.expand(arguments[1]))


def _opt_map(expander: _Expander, target: Node, name: str, arguments: Sequence[Node]) -> Expression:
    return _of_optional(expander, target, name, arguments, lambda made: _call("optional.of", made))


def _opt_flat_map(expander: _Expander, target: Node, name: str, arguments: Sequence[Node]) -> Expression:
    return _of_optional(expander, target, name, arguments, lambda made: made)


def _of_optional(
    expander: _Expander, target: Node, name: str, arguments: Sequence[Node], wrap: Callable[[Expression], Expression]
) -> Expression:
    value = Application("value", expander.expand(target), [])
    made = wrap(_named(name, value, expander.expand(arguments[0])))
    test = Application("hasValue", expander.expand(target), [])
    return _call(CONDITION, test, made, _call("optional.none"))


def _sort_by(expander: _Expander, target: Node, name: str, arguments: Sequence[Node]) -> Expression:
    whole = "@__sortBy_input__"
    keys = _map(expander, syntax.Name(whole), name, "", arguments)
    return _named(whole, expander.expand(target), Application("@sortByAssociatedKeys", Identifier(whole), [keys]))


def _named(name: str, value: Expression, result: Expression) -> Comprehension:
    return Comprehension(MadeList([]), "#unused", "", name, value, _true(), Identifier(name), result)


def _for_one(make: _MakeForTwo) -> _Make:
    return lambda expander, target, name, arguments: make(expander, target, name, "", arguments)


_MACROS: dict[tuple[str, int], _Make] = {
    ("all", 2): _for_one(_all),
    ("exists", 2): _for_one(_exists),
    ("exists_one", 2): _for_one(_exists_one),
    ("map", 2): _for_one(_map),
    ("map", 3): _for_one(_map),
    ("filter", 2): _filter,
    ("optMap", 2): _opt_map,
    ("optFlatMap", 2): _opt_flat_map,
    ("sortBy", 2): _sort_by,
    ("bind", 3): _bind,
}
_MACROS_OF_TWO: dict[tuple[str, int], _MakeForTwo] = {
    ("all", 3): _all,
    ("exists", 3): _exists,
    ("existsOne", 3): _exists_one,
    ("exists_one", 3): _exists_one,
    ("transformList", 3): _map,
    ("transformList", 4): _map,
    ("transformMap", 3): _map_values,
    ("transformMap", 4): _map_values,
    ("transformMapEntry", 3): _map_entries,
    ("transformMapEntry", 4): _map_entries,
}
