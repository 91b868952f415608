"""Types of CEL, and which of them can stand for which. Source: cel-go checker/types.go, common/types/types.go."""

from collections.abc import Iterable
from dataclasses import dataclass

_PROTOBUF = "google.protobuf."
SCALARS = frozenset(["bool", "double", "duration", "int", "timestamp", "uint"])
_NULLABLE = frozenset(["opaque", "struct", "any", "duration", "timestamp"])
# The types of Kubernetes' libraries that aren't objects.
_OPAQUE = frozenset(["net.IP", "net.CIDR"])
_OPEN = frozenset(["dyn", "any", "error", "param", "null_type"])
_LONG_NAMES = {f"{_PROTOBUF}Duration": "duration", f"{_PROTOBUF}Timestamp": "timestamp"}


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, its name if it is an object, an opaque type or a parameter, and the types that it's made of."""

    kind: str
    name: str = ""
    parameters: tuple["Type", ...] = ()

    @property
    def is_dynamic(self) -> bool:
        return self.kind in ("dyn", "any", "error")

    @property
    def is_optional(self) -> bool:
        return self.kind == "opaque" and self.name == "optional_type"


BOOL, BYTES, DOUBLE, INT, STRING, UINT = map(Type, ("bool", "bytes", "double", "int", "string", "uint"))
DURATION, TIMESTAMP, NULL, ANY, DYN, ERROR = map(Type, ("duration", "timestamp", "null_type", "any", "dyn", "error"))


def list_of(element: Type) -> Type:
    return Type("list", parameters=(element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", parameters=(key, value))


def optional_of(value: Type) -> Type:
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    return Type("type", parameters=(value,))


def named(text: str) -> Type:
    """Return the type that upstream writes so: `map(string, list(A))`. Single capital letters are parameters."""
    name, _, rest = text.partition("(")
    parameters = tuple(map(named, _split(rest[:-1]))) if rest else ()
    name = _LONG_NAMES.get(name, name)
    if len(name) == 1 and name.isupper():
        return Type("param", name)
    if name == "optional_type" or name in _OPAQUE:
        return Type("opaque", name, parameters)
    if "." in name:
        return Type("struct", name)
    return Type(name, parameters=parameters)


def _split(text: str) -> Iterable[str]:
    """Yield the parts between commas that aren't in brackets."""
    depth, start = 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()


class Substitutions:
    """The types that type parameters are bound to."""

    def __init__(self) -> None:
        self._types = dict[Type, Type]()
        self._count = 0
        # The bindings before this assignment changed them.
        self._changes = list[tuple[Type, Type | None]]()

    def new_parameter(self) -> Type:
        self._count += 1
        return Type("param", f"_{self._count}")

    def assign(self, sources: Iterable[Type], targets: Iterable[Type]) -> bool:
        """Return whether each source can stand for its target. If so, remember what the parameters stand for."""
        self._changes.clear()
        if all(self._is_assignable(source, target) for source, target in zip(sources, targets, strict=True)):
            return True
        for parameter, before in reversed(self._changes):
            if before is None:
                del self._types[parameter]
            else:
                self._types[parameter] = before
        return False

    def resolve(self, type_: Type, *, is_final: bool = False) -> Type:
        """Return the type with what its parameters stand for; if it's final, the others become dynamic."""
        if type_.kind == "param":
            known = self._types.get(type_)
            if known is not None:
                return self.resolve(known, is_final=is_final)
            return DYN if is_final else type_
        if not type_.parameters:
            return type_
        inner = tuple(self.resolve(each, is_final=is_final) for each in type_.parameters)
        return Type(type_.kind, type_.name, inner)

    def _is_assignable(self, source: Type, target: Type) -> bool:
        if target.kind == "param":
            is_valid, is_known = self._substitute(source, target)
            if is_valid or is_known:
                return is_valid
        if source.kind == "param":
            return self._substitute(target, source)[0]
        if source.is_dynamic or target.is_dynamic:
            return True
        for first, second in ((source, target), (target, source)):
            if first.kind == "null_type":
                return second.kind == "null_type" or second.kind in _NULLABLE
        if source.kind == "type":
            return target.kind == "type"
        if source.kind in ("opaque", "list", "map"):
            same = source.kind == target.kind and source.name == target.name
            pairs = zip(source.parameters, target.parameters, strict=False)
            return same and all(self._is_assignable(one, other) for one, other in pairs)
        return source == target

    def _substitute(self, type_: Type, parameter: Type) -> tuple[bool, bool]:
        """Return whether the parameter can stand for the type, and whether it already stands for one."""
        if type_ == parameter:
            return True, True
        if (known := self._types.get(parameter)) is not None:
            if type_ == known:
                return True, True
            if not self._is_assignable(type_, known):
                return False, True
            general = most_general(type_, known)
            if not self._occurs(parameter, general):
                self._set(parameter, general)
            return True, True
        if self._occurs(parameter, type_):
            return False, False
        self._set(parameter, type_)
        return True, False

    def _set(self, parameter: Type, type_: Type) -> None:
        self._changes.append((parameter, self._types.get(parameter)))
        self._types[parameter] = type_

    def _occurs(self, parameter: Type, within: Type) -> bool:
        if within == parameter:
            return True
        if within.kind == "param":
            known = self._types.get(within)
            return known is not None and self._occurs(parameter, known)
        return any(self._occurs(parameter, each) for each in within.parameters)


def can_fit(source: Type, target: Type) -> bool:
    """Return whether the kinds of two types let one stand for the other; a quick test before `assign`."""
    return source.kind == target.kind or source.kind in _OPEN or target.kind in _OPEN


def most_general(one: Type, other: Type) -> Type:
    """Return the more general of two types that can stand for each other."""
    return one if _is_less_specific(one, other) else other


def _is_less_specific(one: Type, other: Type) -> bool:
    if one.kind in ("dyn", "any", "param"):
        return True
    if other.kind in ("dyn", "any", "param") or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in ("opaque", "list", "map"):
        same = one.name == other.name and len(one.parameters) == len(other.parameters)
        return same and all(map(_is_less_specific, one.parameters, other.parameters))
    return one == other
