"""A value with its type: whether it fits, and which fields it sets.

Source: structured-merge-diff/typed/validate.go, tofieldset.go, helpers.go.
"""

import json
from collections import Counter
from dataclasses import dataclass

from kube_apiserver.structured_merge import paths
from kube_apiserver.structured_merge.field_set import FieldSet
from kube_apiserver.structured_merge.paths import Element, Path
from kube_apiserver.structured_merge.schema import (
    ASSOCIATIVE,
    ATOMIC,
    BOOLEAN,
    NUMERIC,
    STRING,
    Atom,
    List,
    Map,
    Schema,
    TypeRef,
)
from kube_apiserver.structured_merge.values import MISSING, Value, is_scalar


@dataclass(frozen=True, slots=True)
class Typed:
    value: Value
    schema: Schema
    type: TypeRef

    def with_value(self, value: Value) -> "Typed":
        return Typed(None if value is MISSING else value, self.schema, self.type)


@dataclass(frozen=True, slots=True)
class TypeProblem:
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class TypeMismatch(ValueError):  # noqa: N818 - it is the name of what happened
    """The value does not fit its type; `problems` says where."""

    def __init__(self, problems: list[TypeProblem]) -> None:
        self.problems = problems
        one = len(problems) == 1
        super().__init__(str(problems[0]) if one else "\n".join(["errors:", *(f"  {each}" for each in problems)]))


def typed(value: Value, schema: Schema, ref: TypeRef, *, allow_duplicates: bool = False) -> Typed:
    """The value as one of that type; TypeMismatch. Duplicates in sets and maps are allowed in what is there already."""
    checker = _Checker(schema, allow_duplicates)
    checker.check(value, ref, "")
    if checker.problems:
        raise TypeMismatch(checker.problems)
    return Typed(value, schema, ref)


def field_set(value: Typed) -> FieldSet:
    """Every leaf field and every item that the value mentions."""
    found = FieldSet()
    _collect(value.value, value.schema, value.type, (), found)
    return found


def resolved(schema: Schema, ref: TypeRef | None, path: str = "") -> Atom:
    atom = schema.resolve(ref)
    if atom is None:
        name = ref.named if ref and ref.named else "inlined type"
        raise TypeMismatch([TypeProblem(path, f"schema error: no type found matching: {name}")])
    return atom


def check_scalar(kind: str, value: Value, prefix: str = "") -> str | None:
    """What is wrong with it; None when it fits, is null or is not there."""
    if value is MISSING or value is None:
        return None
    is_bool = isinstance(value, bool)
    if kind == NUMERIC and (is_bool or not isinstance(value, int | float)):
        return f"{prefix}expected numeric (int or float), got {_go_type(value)}"
    if kind == STRING and not isinstance(value, str):
        return f"{prefix}expected string, got {_shown(value)}"
    if kind == BOOLEAN and not is_bool:
        return f"{prefix}expected boolean, got &{{{_plain(value)}}}"
    if not is_scalar(value):
        return f"{prefix}expected any scalar, got &{{{_plain(value)}}}"
    return None


def item_element(schema: Schema, items: List, value: Value) -> Element:
    """How an item of a set or of a list that is a map is told apart; ValueError says why it cannot be."""
    if items.relationship != ASSOCIATIVE:
        raise ValueError("invalid indexing of non-associative list")
    return _keyed(schema, items, value) if items.keys else _of_set(value)


def _keyed(schema: Schema, items: List, value: Value) -> Element:
    if value is None:
        raise ValueError("associative list with keys may not have a null element")
    if not isinstance(value, dict):
        raise ValueError("associative list with keys may not have non-map elements")
    found = []
    for name in items.keys:
        content = value[name] if name in value else _default(schema, items, name)
        if name in value or content is not None:
            found.append((name, content))
    if not found:
        names = "[" + " ".join(f'"{name}"' for name in items.keys) + "]"
        raise ValueError(
            f"associative list with keys has an element that omits all key fields {names} "
            "(and doesn't have default values for any key fields)"
        )
    return paths.key(found)


def _default(schema: Schema, items: List, name: str) -> Value:
    atom = schema.resolve(items.element)
    if atom is None or atom.map is None:
        why = "invalid elementType for list" if atom is None else "associative list may not have non-map types"
        raise ValueError(f"couldn't find default value for {name}: {why}")
    known = atom.map.fields.get(name)
    return known.default if known else None


def _of_set(value: Value) -> Element:
    if isinstance(value, dict):
        raise ValueError("associative list without keys has an element that's a map type")
    if isinstance(value, list):
        raise ValueError("not supported: associative list with lists as elements")
    if value is None:
        raise ValueError("associative list without keys has an element that's an explicit null")
    return paths.value(value)


class _Checker:
    def __init__(self, schema: Schema, allow_duplicates: bool) -> None:
        self.schema = schema
        self.allow_duplicates = allow_duplicates
        self.problems: list[TypeProblem] = []

    def check(self, value: Value, ref: TypeRef | None, path: str) -> None:
        atom = resolved(self.schema, ref, path).of(value)
        if atom.map:
            self._map(atom.map, value, path)
        elif atom.scalar:
            if wrong := check_scalar(atom.scalar, value):
                self._say(path, wrong)
        elif atom.list:
            self._list(atom.list, value, path)
        else:
            self._say(path, "schema error: invalid atom: inlined")

    def _say(self, path: str, message: str) -> None:
        self.problems.append(TypeProblem(path, message))

    def _map(self, mapping: Map, value: Value, path: str) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            self._say(path, f"expected map, got &{{{_plain(value)}}}")
            return
        for name, item in value.items():
            ref = mapping.type_of(name)
            if ref is None:
                self._say(f"{path}.{name}", "field not declared in schema")
                return
            self.check(item, ref, f"{path}.{name}")

    def _list(self, items: List, value: Value, path: str) -> None:
        if value is None:
            return
        if not isinstance(value, list):
            self._say(path, f"expected list, got &{{{_plain(value)}}}")
            return
        seen: set[Element] = set()
        for number, item in enumerate(value):
            element = paths.index(number)
            if items.relationship == ASSOCIATIVE:
                try:
                    element = item_element(self.schema, items, item)
                except ValueError as wrong:
                    self._say(path, f"element {number}: {wrong}")
                    return
                if element in seen and not self.allow_duplicates:
                    self._say(path, f"duplicate entries for key {element}")
                seen.add(element)
            self.check(item, items.element, f"{path}{element}")


def _collect(value: Value, schema: Schema, ref: TypeRef | None, path: Path, found: FieldSet) -> None:
    atom = resolved(schema, ref).of(value)
    if atom.map:
        if atom.map.relationship == ATOMIC:
            found.insert(path)
        elif isinstance(value, dict):
            _collect_map(atom.map, value, schema, path, found)
    elif atom.scalar:
        found.insert(path)
    elif atom.list:
        if atom.list.relationship == ATOMIC:
            found.insert(path)
        elif isinstance(value, list):
            _collect_list(atom.list, value, schema, path, found)


def _collect_map(mapping: Map, value: dict[str, Value], schema: Schema, path: Path, found: FieldSet) -> None:
    for name, item in value.items():
        below = (*path, paths.field(name))
        _collect(item, schema, mapping.type_of(name), below, found)
        if item is None or item == {} or name not in mapping.fields:
            found.insert(below)


def _collect_list(items: List, value: list[Value], schema: Schema, path: Path, found: FieldSet) -> None:
    elements = [item_element(schema, items, item) for item in value]
    twice = {element for element, times in Counter(elements).items() if times > 1}
    for element, item in zip(elements, value, strict=True):
        if element not in twice:
            _collect(item, schema, items.element, (*path, element), found)
        found.insert((*path, element))


def _shown(value: Value) -> str:
    """As Go prints what wraps a value, with %#v."""
    return f"&value.valueUnstructured{{Value:{_in_go(value)}}}"


def _in_go(value: Value) -> str:
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(_in_go(each) for each in value)}}}"
    if isinstance(value, dict):
        parts = (f"{_in_go(name)}:{_in_go(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{', '.join(parts)}}}"
    if value is None:
        return "interface {}(nil)"
    return json.dumps(value, ensure_ascii=False)


def _plain(value: Value) -> str:
    """As Go prints it with %v."""
    if isinstance(value, list):
        return f"[{' '.join(_plain(each) for each in value)}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_plain(value[name])}' for name in sorted(value))}]"
    if value is None:
        return "<nil>"
    return value if isinstance(value, str) else json.dumps(value)


def _go_type(value: Value) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return "bool" if isinstance(value, bool) else "string"
