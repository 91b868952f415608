"""The type checker of expressions: it sets types and the possible overloads of calls. Source: cel-go checker."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kube_objects.cel import expansion, types
from kube_objects.cel.expansion import (
    Application,
    Comprehension,
    Constant,
    Expression,
    Identifier,
    MadeList,
    MadeMap,
    Selection,
)
from kube_objects.cel.overloads import table
from kube_objects.cel.types import Type

_TYPE_NAMES: Mapping[str, Type] = {
    **{name: Type(name) for name in ("bool", "bytes", "double", "int", "null_type", "string", "uint")},
    **{name: types.named(name) for name in ("google.protobuf.Duration", "google.protobuf.Timestamp")},
    "dyn": types.DYN,
    "list": types.named("list(A)"),
    "map": types.named("map(A, B)"),
    "type": types.type_of(types.DYN),
}


class TypeCheckError(ValueError):
    """The expression isn't well typed."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that an expression can read.

    `variables`: their types. `structures`: the fields of each type of object. `hidden`: functions that don't exist.
    """

    variables: Mapping[str, Type]
    structures: Mapping[str, Mapping[str, Type]]
    hidden: frozenset[str] = field(default=frozenset())


def check(expression: Expression, environment: Environment) -> None:
    """Set the type of each part, and the overloads of each call. Raise TypeCheckError, or RecursionError."""
    checker = _Checker(environment)
    checker.visit(expression)
    checker.finish()


class _Checker:
    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._variables = dict(environment.variables)
        self._substitutions = types.Substitutions()
        self._visited = list[Expression]()

    def finish(self) -> None:
        """Replace the type parameters by what they stand for."""
        for part in self._visited:
            part.type = self._substitutions.resolve(part.type, is_final=True)

    def visit(self, part: Expression) -> Type:
        part.type = self._type_of(part)
        self._visited.append(part)
        return part.type

    def _type_of(self, part: Expression) -> Type:
        match part:
            case Constant():
                return types.NULL if part.literal.kind == "null" else Type(part.literal.kind)
            case Identifier():
                return self._named(part.name)
            case Selection():
                return self._selection(part)
            case Application():
                return self._application(part)
            case MadeList():
                return self._list(part)
            case MadeMap():
                return self._map(part)
            case Comprehension():
                return self._comprehension(part)

    def _named(self, name: str) -> Type:
        if (known := self._variables.get(name)) is not None:
            return known
        if name in _TYPE_NAMES:
            return types.type_of(_TYPE_NAMES[name])
        raise TypeCheckError(f"undeclared reference to '{name}'")

    def _selection(self, part: Selection) -> Type:
        found = self._field(part.operand, part.field)
        return types.BOOL if part.is_test else self._substitutions.resolve(found)

    def _field(self, operand: Expression, name: str) -> Type:
        whole = self._substitutions.resolve(self.visit(operand))
        target = whole.parameters[0] if whole.is_optional else whole
        if target.kind == "map":
            field_type = target.parameters[1]
        elif target.kind == "struct":
            known = self._environment.structures.get(target.name, {}).get(name)
            if known is None:
                raise TypeCheckError(f"undefined field '{name}'")
            field_type = known
        elif target.kind == "param":
            self._substitutions.assign([types.DYN], [target])
            field_type = types.DYN
        elif target.is_dynamic:
            field_type = types.DYN
        else:
            raise TypeCheckError(f"type '{target.kind}' does not support field selection")
        return types.optional_of(field_type) if whole.is_optional else field_type

    def _application(self, part: Application) -> Type:
        if part.function == "_?._":
            operand, field_name = part.arguments
            part.overloads = ["select_optional_field"]
            self.visit(field_name)
            assert isinstance(field_name, Constant)
            found = self._substitutions.resolve(self._field(operand, field_name.literal.text or ""))
            return found if found.is_optional else types.optional_of(found)
        argument_types = [self.visit(argument) for argument in part.arguments]
        if part.function in (expansion.AND, expansion.OR):
            part.overloads = [part.function]
            for each in argument_types:
                self._require(each, types.BOOL)
            return types.BOOL
        if part.target is not None:
            prefix = _qualified_name(part.target)
            if prefix and (qualified := f"{prefix}.{part.function}") in table():
                part.function, part.target = qualified, None
            else:
                argument_types.insert(0, self.visit(part.target))
        return self._resolve(part, argument_types)

    def _resolve(self, part: Application, argument_types: list[Type]) -> Type:
        """Return the result's type. All overloads that the arguments fit are kept. Source: resolveOverload."""
        result: Type | None = None
        known = () if part.function in self._environment.hidden else table().get(part.function, ())
        for overload in known:
            if overload.is_method != (part.target is not None) or len(overload.arguments) != len(argument_types):
                continue
            if not all(map(types.can_fit, argument_types, overload.arguments)):
                continue
            arguments, returned = overload.arguments, overload.result
            if overload.has_parameters:
                fresh: dict[str, Type] = {}
                arguments = tuple(self._instance(each, fresh) for each in arguments)
                returned = self._instance(returned, fresh)
            if not self._substitutions.assign(argument_types, arguments):
                continue
            part.overloads.append(overload.id)
            returned = self._substitutions.resolve(returned)
            if result is None:
                result = returned
            elif not result.is_dynamic and returned != result:
                result = types.DYN
        if result is None:
            raise TypeCheckError(f"found no matching overload for '{part.function}'")
        return result

    def _instance(self, type_: Type, fresh: dict[str, Type]) -> Type:
        """Return the type with new parameters in place of those of the signature."""
        if not type_.parameters and type_.kind != "param":
            return type_
        if type_.kind == "param":
            if type_.name not in fresh:
                fresh[type_.name] = self._substitutions.new_parameter()
            return fresh[type_.name]
        return Type(type_.kind, type_.name, tuple(self._instance(each, fresh) for each in type_.parameters))

    def _list(self, part: MadeList) -> Type:
        element: Type | None = None
        for place, item in enumerate(part.items):
            found = self.visit(item)
            element = self._joined(element, _unwrapped(found) if place in part.optional else found)
        return types.list_of(element or self._substitutions.new_parameter())

    def _map(self, part: MadeMap) -> Type:
        key: Type | None = None
        value: Type | None = None
        for place, (one, other) in enumerate(zip(part.keys, part.values, strict=True)):
            key = self._joined(key, self.visit(one))
            found = self.visit(other)
            found = _unwrapped(found) if place in part.optional else found
            value = found if part.type_name else self._joined(value, found)
        if part.type_name:
            return types.DYN
        parameter = self._substitutions.new_parameter
        return types.map_of(key or parameter(), value or parameter())

    def _joined(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        if self._substitutions.assign([previous], [current]):
            return types.most_general(previous, current)
        return types.DYN

    def _comprehension(self, part: Comprehension) -> Type:
        range_ = self._substitutions.resolve(self.visit(part.range))
        start = self.visit(part.start)
        outer, self._variables = self._variables, {**self._variables, part.accumulator: start}
        whole = self._variables
        self._variables = {**whole, **self._iterated(part, range_)}
        self._require(types.BOOL, self.visit(part.condition))
        self._require(start, self.visit(part.step))
        self._variables = whole
        result = self.visit(part.result)
        self._variables = outer
        return self._substitutions.resolve(result)

    def _iterated(self, part: Comprehension, range_: Type) -> dict[str, Type]:
        """Return the types of the variables of a loop."""
        if range_.kind == "list":
            first, second = types.INT, range_.parameters[0]
            if not part.second:
                first = second
        elif range_.kind == "map":
            first, second = range_.parameters
        elif range_.kind in ("dyn", "error", "param"):
            self._substitutions.assign([types.DYN], [range_])
            first = second = types.DYN
        else:
            raise TypeCheckError(f"expression of type '{range_.kind}' cannot be range of a comprehension")
        return {part.variable: first, **({part.second: second} if part.second else {})}

    def _require(self, one: Type, other: Type) -> None:
        if not self._substitutions.assign([one], [other]):
            raise TypeCheckError(f"expected type '{one.kind}' but found '{other.kind}'")


def _unwrapped(type_: Type) -> Type:
    return type_.parameters[0] if type_.is_optional else type_


def _qualified_name(part: Expression) -> str:
    names = list[str]()
    while isinstance(part, Selection) and not part.is_test:
        names.append(part.field)
        part = part.operand
    return ".".join((part.name, *reversed(names))) if isinstance(part, Identifier) else ""
