"""The declared types of variables and their fields. Source: apiserver/pkg/cel/types.go (DeclType)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from kube_objects.cel import types
from kube_objects.cel.ranges import MOST, Range
from kube_objects.cel.types import Type

MOST_BYTES = 3 * 1024 * 1024
"""Bytes of the largest request. Source: apiserver/pkg/apis/cel/config.go MaxRequestSizeBytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A declared type.

    `most`: the most characters, items or entries of a value; 0 for scalars and objects. `least_bytes`: the bytes of
    the shortest value in JSON.
    """

    type: Type
    most: int = 0
    least_bytes: int = 1
    key: "Declared | None" = None
    element: "Declared | None" = None
    fields: Mapping[str, "Declared"] = field(default_factory=dict)


BOOL, INT, DOUBLE = Declared(types.BOOL, least_bytes=4), Declared(types.INT), Declared(types.DOUBLE)
STRING = Declared(types.STRING, least_bytes=2)


def list_of(element: Declared, most: int) -> Declared:
    """Return the type of a list with at most so many items."""
    return Declared(types.list_of(element.type), most, 2, element=element)


def map_of(element: Declared, most: int, key: Declared = STRING) -> Declared:
    """Return the type of a map with at most so many entries."""
    return Declared(types.map_of(key.type, element.type), most, 2, key, element)


def object_of(fields: Mapping[str, Declared], least_bytes: int = 2, name: str = "object") -> Declared:
    """Return the type of an object with these fields."""
    return Declared(Type("struct", name), 0, least_bytes, fields=fields)


def with_names(declared: Declared, name: str) -> Declared:
    """Return the type with a name of its own for each type of object in it. Source: MaybeAssignTypeName."""
    if declared.type.kind == "struct":
        fields = {key: with_names(inner, f"{name}.{key}") for key, inner in declared.fields.items()}
        return replace(declared, type=Type("struct", name), fields=fields)
    if declared.element is None:
        return declared
    element = with_names(declared.element, f"{name}.@{'idx' if declared.type.kind == 'list' else 'elem'}")
    parameters = (*declared.type.parameters[:-1], element.type)
    return replace(declared, type=Type(declared.type.kind, parameters=parameters), element=element)


def structures(declared: Declared) -> dict[str, Mapping[str, Type]]:
    """Return the fields of each type of object in a type that `with_names` has made."""
    result: dict[str, Mapping[str, Type]] = {}
    rest = [declared]
    while rest:
        current = rest.pop()
        if current.type.kind == "struct":
            result[current.type.name] = {key: inner.type for key, inner in current.fields.items()}
            rest += current.fields.values()
        elif current.element is not None:
            rest.append(current.element)
    return result


def sizes_in(root: Declared, unnamed: Declared | None = None) -> Callable[[tuple[str, ...], Type], Range | None]:
    """Return a function from the path and type of a value to its size. Source: sizeEstimator.EstimateSize.

    The first element of a path, the variable, isn't looked at. `unnamed`: the elements of those maps that have a
    field of any name.
    """

    def size_of(path: tuple[str, ...], _: Type) -> Range | None:
        if not path:
            return None
        place: Declared | None = root
        for name in path[1:]:
            place = _inner(place, name, unnamed)
            if place is None:
                return None
        assert place is not None
        # Upstream converts a negative number to an unsigned one.
        return Range(0, place.most & MOST)

    return size_of


def _inner(place: Declared | None, name: str, unnamed: Declared | None) -> Declared | None:
    if place is None:
        return None
    if name in ("@items", "@values"):
        return place.element
    if name == "@keys":
        return place.key
    if name not in place.fields and unnamed is not None and place.element is unnamed:
        return unnamed
    return place.fields.get(name)
