"""Schemas for merging: types, their fields and their merge strategies.

Source: structured-merge-diff/schema/elements.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kube_apiserver.structured_merge.values import MISSING, Value, is_scalar

ATOMIC, ASSOCIATIVE, SEPARABLE = "atomic", "associative", "separable"
NUMERIC, STRING, BOOLEAN, UNTYPED = "numeric", "string", "boolean", "untyped"


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A reference to a type, by name or inline. `relationship` overrides the type's own."""

    named: str | None = None
    inlined: "Atom | None" = None
    relationship: str | None = None


@dataclass(frozen=True, slots=True)
class StructField:
    type: TypeRef
    default: Value = None


@dataclass(frozen=True, slots=True)
class Map:
    """A struct (`fields`), a map (`element`), or both."""

    fields: Mapping[str, StructField] = field(default_factory=dict)
    element: TypeRef | None = None
    relationship: str = ""

    def type_of(self, name: str) -> TypeRef | None:
        known = self.fields.get(name)
        return known.type if known else self.element


@dataclass(frozen=True, slots=True)
class List:
    """A list type: atomic, a set (associative without keys), or a map by `keys`."""

    element: TypeRef
    relationship: str = ""
    keys: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Atom:
    """The forms that a value of a type may have. Untyped values have several."""

    scalar: str | None = None
    list: List | None = None
    map: Map | None = None

    def deduce(self, value: Value) -> "Atom":
        """Return the form that `value` has.

        Return all forms for null, for MISSING, and for a form that isn't allowed.
        """
        if value is MISSING:
            return self
        if is_scalar(value) and self.scalar:
            return Atom(scalar=self.scalar)
        if isinstance(value, list) and self.list:
            return Atom(list=self.list)
        if isinstance(value, dict) and self.map:
            return Atom(map=self.map)
        return self


class Schema:
    """Types by name."""

    def __init__(self, types: Mapping[str, Atom]) -> None:
        self._types = types
        self._overridden: dict[tuple[str, str], Atom | None] = {}

    def resolve(self, ref: TypeRef | None) -> Atom | None:
        """Return the type that a reference means, or None if there is none."""
        if ref is None:
            return None
        atom = self._types.get(ref.named) if ref.named is not None else ref.inlined
        if atom is None or ref.relationship is None:
            return atom
        if ref.named is None:
            return _override_relationship(atom, ref.relationship)
        known = (ref.named, ref.relationship)
        if known not in self._overridden:
            self._overridden[known] = _override_relationship(atom, ref.relationship)
        return self._overridden[known]


def parse_schema(document: Mapping[str, Any]) -> Schema:
    """Return the schema of a document in upstream's YAML form: `types: [{name, scalar | list | map}]`."""
    return Schema({each["name"]: _parse_atom(each) for each in document.get("types") or ()})


def _override_relationship(atom: Atom, relationship: str) -> Atom | None:
    if atom.map:
        return replace(atom, map=replace(atom.map, relationship=relationship))
    if atom.list:
        return replace(atom, list=replace(atom.list, relationship=relationship))
    return None


def _parse_atom(written: Mapping[str, Any]) -> Atom:
    items, mapping = written.get("list"), written.get("map")
    return Atom(
        scalar=written.get("scalar"),
        list=List(
            _parse_ref(items["elementType"]), items.get("elementRelationship", ""), tuple(items.get("keys") or ())
        )
        if items
        else None,
        map=_parse_map(mapping) if mapping is not None else None,
    )


def _parse_map(written: Mapping[str, Any]) -> Map:
    element = written.get("elementType")
    return Map(
        fields={
            each["name"]: StructField(_parse_ref(each["type"]), each.get("default"))
            for each in written.get("fields") or ()
        },
        element=_parse_ref(element) if element else None,
        relationship=written.get("elementRelationship", ""),
    )


def _parse_ref(written: Mapping[str, Any]) -> TypeRef:
    relationship = written.get("elementRelationship")
    if written.get("namedType") is not None:
        return TypeRef(named=written["namedType"], relationship=relationship)
    return TypeRef(inlined=_parse_atom(written), relationship=relationship)


_ATOMIC_REF, _DEDUCED_REF = TypeRef(named="__untyped_atomic_"), TypeRef(named="__untyped_deduced_")

DEDUCED = Schema(
    {
        "__untyped_atomic_": Atom(UNTYPED, List(_ATOMIC_REF, ATOMIC), Map(element=_ATOMIC_REF, relationship=ATOMIC)),
        "__untyped_deduced_": Atom(
            UNTYPED, List(_ATOMIC_REF, ATOMIC), Map(element=_DEDUCED_REF, relationship=SEPARABLE)
        ),
    }
)
"""The schema of kinds without one. It deduces types from values. Source: typed/parser.go DeducedParseableType."""
DEDUCED_TYPE = _DEDUCED_REF
