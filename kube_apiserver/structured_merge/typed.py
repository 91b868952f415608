"""Typed values: validation, comparison, merging, and removal of fields.

Source: structured-merge-diff/typed/{validate,tofieldset,helpers,compare,merge,remove}.go.
"""

import json
from collections import Counter
from dataclasses import dataclass, field

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import Element, FieldSet, Path
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
from kube_apiserver.structured_merge.values import MISSING, Value, are_equal, is_scalar


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
    """A value that doesn't fit its type. `problems` lists path and message of each error."""

    def __init__(self, problems: list[TypeProblem]) -> None:
        self.problems = problems
        is_single = len(problems) == 1
        super().__init__(str(problems[0]) if is_single else "\n".join(["errors:", *(f"  {each}" for each in problems)]))


def check_type(value: Value, schema: Schema, ref: TypeRef, *, allow_duplicates: bool = False) -> Typed:
    """Return the value with its type.

    Raise TypeMismatch. `allow_duplicates` permits repeated items, as in stored objects.
    """
    checker = _Checker(schema, allow_duplicates)
    checker.check(value, ref, "")
    if checker.problems:
        raise TypeMismatch(checker.problems)
    return Typed(value, schema, ref)


def to_field_set(value: Typed) -> FieldSet:
    """Return every leaf field and every list item that the value contains."""
    fields = FieldSet()
    _collect(value.value, value.schema, value.type, (), fields)
    return fields


def resolve_type(schema: Schema, ref: TypeRef | None, path: str = "") -> Atom:
    atom = schema.resolve(ref)
    if atom is None:
        name = ref.named if ref and ref.named else "inlined type"
        raise TypeMismatch([TypeProblem(path, f"schema error: no type found matching: {name}")])
    return atom


def check_scalar(kind: str, value: Value, prefix: str = "") -> str | None:
    """Return the error message for a scalar, or None if it fits, is null or is MISSING."""
    if value is MISSING or value is None:
        return None
    is_bool = isinstance(value, bool)
    if kind == NUMERIC and (is_bool or not isinstance(value, int | float)):
        return f"{prefix}expected numeric (int or float), got {_get_go_type(value)}"
    if kind == STRING and not isinstance(value, str):
        return f"{prefix}expected string, got {_format_wrapped(value)}"
    if kind == BOOLEAN and not is_bool:
        return f"{prefix}expected boolean, got &{{{_format_plain(value)}}}"
    if not is_scalar(value):
        return f"{prefix}expected any scalar, got &{{{_format_plain(value)}}}"
    return None


def get_item_element(schema: Schema, items: List, value: Value) -> Element:
    """Return the element that identifies an item of an associative list. Raise ValueError if there is none."""
    if items.relationship != ASSOCIATIVE:
        raise ValueError("invalid indexing of non-associative list")
    return _get_key_element(schema, items, value) if items.keys else _get_set_element(value)


def _get_key_element(schema: Schema, items: List, value: Value) -> Element:
    if value is None:
        raise ValueError("associative list with keys may not have a null element")
    if not isinstance(value, dict):
        raise ValueError("associative list with keys may not have non-map elements")
    key_fields = []
    for name in items.keys:
        content = value[name] if name in value else _get_default(schema, items, name)
        if name in value or content is not None:
            key_fields.append((name, content))
    if not key_fields:
        names = "[" + " ".join(f'"{name}"' for name in items.keys) + "]"
        raise ValueError(
            f"associative list with keys has an element that omits all key fields {names} "
            "(and doesn't have default values for any key fields)"
        )
    return fieldpath.key(key_fields)


def _get_default(schema: Schema, items: List, name: str) -> Value:
    atom = schema.resolve(items.element)
    if atom is None or atom.map is None:
        reason = "invalid elementType for list" if atom is None else "associative list may not have non-map types"
        raise ValueError(f"couldn't find default value for {name}: {reason}")
    known = atom.map.fields.get(name)
    return known.default if known else None


def _get_set_element(value: Value) -> Element:
    if isinstance(value, dict):
        raise ValueError("associative list without keys has an element that's a map type")
    if isinstance(value, list):
        raise ValueError("not supported: associative list with lists as elements")
    if value is None:
        raise ValueError("associative list without keys has an element that's an explicit null")
    return fieldpath.value(value)


class _Checker:
    def __init__(self, schema: Schema, allow_duplicates: bool) -> None:
        self.schema = schema
        self.allow_duplicates = allow_duplicates
        self.problems: list[TypeProblem] = []

    def check(self, value: Value, ref: TypeRef | None, path: str) -> None:
        atom = resolve_type(self.schema, ref, path).deduce(value)
        if atom.map:
            self._map(atom.map, value, path)
        elif atom.scalar:
            if wrong := check_scalar(atom.scalar, value):
                self._report(path, wrong)
        elif atom.list:
            self._list(atom.list, value, path)
        else:
            self._report(path, "schema error: invalid atom: inlined")

    def _report(self, path: str, message: str) -> None:
        self.problems.append(TypeProblem(path, message))

    def _map(self, mapping: Map, value: Value, path: str) -> None:
        if value is None:
            return
        if not isinstance(value, dict):
            self._report(path, f"expected map, got &{{{_format_plain(value)}}}")
            return
        for name, item in value.items():
            ref = mapping.type_of(name)
            if ref is None:
                self._report(f"{path}.{name}", "field not declared in schema")
                return
            self.check(item, ref, f"{path}.{name}")

    def _list(self, items: List, value: Value, path: str) -> None:
        if value is None:
            return
        if not isinstance(value, list):
            self._report(path, f"expected list, got &{{{_format_plain(value)}}}")
            return
        seen: set[Element] = set()
        for number, item in enumerate(value):
            element = fieldpath.index(number)
            if items.relationship == ASSOCIATIVE:
                try:
                    element = get_item_element(self.schema, items, item)
                except ValueError as wrong:
                    self._report(path, f"element {number}: {wrong}")
                    return
                if element in seen and not self.allow_duplicates:
                    self._report(path, f"duplicate entries for key {element}")
                seen.add(element)
            self.check(item, items.element, f"{path}{element}")


def _collect(value: Value, schema: Schema, ref: TypeRef | None, path: Path, fields: FieldSet) -> None:
    atom = resolve_type(schema, ref).deduce(value)
    if atom.map:
        if atom.map.relationship == ATOMIC:
            fields.insert(path)
        elif isinstance(value, dict):
            _collect_map(atom.map, value, schema, path, fields)
    elif atom.scalar:
        fields.insert(path)
    elif atom.list:
        if atom.list.relationship == ATOMIC:
            fields.insert(path)
        elif isinstance(value, list):
            _collect_list(atom.list, value, schema, path, fields)


def _collect_map(mapping: Map, value: dict[str, Value], schema: Schema, path: Path, fields: FieldSet) -> None:
    for name, item in value.items():
        below = (*path, fieldpath.field(name))
        _collect(item, schema, mapping.type_of(name), below, fields)
        if item is None or item == {} or name not in mapping.fields:
            fields.insert(below)


def _collect_list(items: List, value: list[Value], schema: Schema, path: Path, fields: FieldSet) -> None:
    elements = [get_item_element(schema, items, item) for item in value]
    twice = {element for element, times in Counter(elements).items() if times > 1}
    for element, item in zip(elements, value, strict=True):
        if element not in twice:
            _collect(item, schema, items.element, (*path, element), fields)
        fields.insert((*path, element))


def _format_wrapped(value: Value) -> str:
    """Return a wrapped value as Go's `%#v` prints it."""
    return f"&value.valueUnstructured{{Value:{_format_go_syntax(value)}}}"


def _format_go_syntax(value: Value) -> str:
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(_format_go_syntax(each) for each in value)}}}"
    if isinstance(value, dict):
        parts = (f"{_format_go_syntax(name)}:{_format_go_syntax(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{', '.join(parts)}}}"
    if value is None:
        return "interface {}(nil)"
    return json.dumps(value, ensure_ascii=False)


def _format_plain(value: Value) -> str:
    """Return a value as Go's `%v` prints it."""
    if isinstance(value, list):
        return f"[{' '.join(_format_plain(each) for each in value)}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_format_plain(value[name])}' for name in sorted(value))}]"
    if value is None:
        return "<nil>"
    return value if isinstance(value, str) else json.dumps(value)


def _get_go_type(value: Value) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return "bool" if isinstance(value, bool) else "string"


def merge(live: Typed, applied: Typed) -> Typed:
    """Return both values merged. The applied value wins at each leaf; nothing is removed.

    Lists keep the live order, except where the applied order changes it.
    """
    merger = _TypedMerger(live.schema)
    out = merger.merge(live.value, applied.value, live.type, "")
    if merger.problems:
        raise TypeMismatch(merger.problems)
    return live.with_value(out)


def find_forms(schema: Schema, ref: TypeRef | None, lhs: Value, rhs: Value, path: str) -> list[Atom]:
    """Return the form, or both forms, that the two sides have. The last form, the right side's, decides."""
    atom = resolve_type(schema, ref, path)
    left, right = atom.deduce(lhs), atom.deduce(rhs)
    if rhs is MISSING:
        return [left]
    if lhs is MISSING or left == right:
        return [right]
    return [left, right]


class _TypedMerger:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.problems: list[TypeProblem] = []

    def merge(self, lhs: Value, rhs: Value, ref: TypeRef | None, path: str) -> Value:
        out: Value = MISSING
        for atom in find_forms(self.schema, ref, lhs, rhs, path):
            if atom.map:
                out = self._map(atom.map, lhs, rhs, path)
            elif atom.scalar:
                out = self._scalar(atom.scalar, lhs, rhs, path)
            elif atom.list:
                out = self._list(atom.list, lhs, rhs, path)
        return out

    def _scalar(self, kind: str, lhs: Value, rhs: Value, path: str) -> Value:
        left, right = check_scalar(kind, lhs, "lhs: "), check_scalar(kind, rhs, "rhs: ")
        if left and right:
            self.problems += [TypeProblem(path, left), TypeProblem(path, right)]
            return MISSING
        return _prefer_right(lhs, rhs)

    def _map(self, mapping: Map, lhs: Value, rhs: Value, path: str) -> Value:
        left, right = lhs if isinstance(lhs, dict) else None, rhs if isinstance(rhs, dict) else None
        if mapping.relationship == ATOMIC or not (left or right):
            return _prefer_right(lhs, rhs)
        left, right = left or {}, right or {}
        out = {}
        for name in [*left, *(name for name in right if name not in left)]:
            item = self.merge(
                left.get(name, MISSING), right.get(name, MISSING), mapping.type_of(name), f"{path}.{name}"
            )
            if item is not MISSING:
                out[name] = item
        return out or MISSING

    def _list(self, items: List, lhs: Value, rhs: Value, path: str) -> Value:
        left, right = lhs if isinstance(lhs, list) else None, rhs if isinstance(rhs, list) else None
        if items.relationship == ATOMIC or not (left or right):
            return _prefer_right(lhs, rhs)
        try:
            theirs = _Indexed(self.schema, items, right or [], duplicates=False)
            mine = _Indexed(self.schema, items, left or [], duplicates=True)
        except ValueError as wrong:
            self.problems.append(TypeProblem(path, str(wrong)))
            return MISSING
        out = [
            self.merge(live_item, applied_item, items.element, f"{path}{element}")
            for element, live_item, applied_item in _pair_items(mine, theirs)
        ]
        return [item for item in out if item is not MISSING] or MISSING


class _Indexed:
    """The items of a list with their identifying elements."""

    def __init__(self, schema: Schema, items: List, values: list[Value], *, duplicates: bool) -> None:
        self.values = values
        self.elements: list[Element] = []
        self.by_element: dict[Element, Value] = {}
        for number, item in enumerate(values):
            try:
                element = get_item_element(schema, items, item)
            except ValueError as wrong:
                raise ValueError(f"element {number}: {wrong}") from wrong
            if element in self.by_element and not duplicates:
                raise ValueError(f"duplicate entries for key {element}")
            # Duplicate live items are not merged with the applied one.
            self.by_element[element] = None if element in self.by_element else item
            self.elements.append(element)


def _pair_items(mine: _Indexed, theirs: _Indexed) -> list[tuple[Element, Value, Value]]:
    """Return (element, live item, applied item) for all items.

    Items of both lists follow the applied order; other live items keep their places around them.
    """
    shared = [element for element in theirs.elements if element in mine.by_element]
    wanted = iter(shared)
    next_shared = next(wanted, None)
    done: set[Element] = set()
    out: list[tuple[Element, Value, Value]] = []
    left = right = 0
    while left < len(mine.elements) or right < len(theirs.elements):
        if left < len(mine.elements) and right < len(theirs.elements):
            element = mine.elements[left]
            if element == theirs.elements[right]:
                done.add(element)
                out.append((element, mine.by_element[element], theirs.by_element[element]))
                left, right = left + 1, right + 1
                next_shared = next(wanted, None)
                continue
            if element in theirs.by_element and next_shared is not None and next_shared != element:
                left += 1
                continue
        if left < len(mine.elements):
            element = mine.elements[left]
            if element not in theirs.by_element:
                out.append((element, mine.values[left], MISSING))
                left += 1
                continue
            if element in done:
                left += 1
        if right < len(theirs.elements):
            element = theirs.elements[right]
            done.add(element)
            out.append((element, mine.by_element.get(element, MISSING), theirs.by_element[element]))
            right += 1
            if next_shared == element:
                next_shared = next(wanted, None)
    return out


def _prefer_right(lhs: Value, rhs: Value) -> Value:
    return lhs if rhs is MISSING else rhs


@dataclass(slots=True)
class Comparison:
    """The differences of two values. Each field is in at most one of the three sets."""

    removed: FieldSet = field(default_factory=FieldSet)
    modified: FieldSet = field(default_factory=FieldSet)
    added: FieldSet = field(default_factory=FieldSet)

    def __bool__(self) -> bool:
        return bool(self.removed or self.modified or self.added)


def compare(old: Typed, new: Typed) -> Comparison:
    comparer = _Comparer(old.schema)
    comparer.compare(old.value, new.value, old.type, ())
    if comparer.problems:
        raise TypeMismatch(comparer.problems)
    return comparer.comparison


class _Comparer:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.comparison = Comparison()
        self.problems: list[TypeProblem] = []

    def compare(self, lhs: Value, rhs: Value, ref: TypeRef | None, path: Path) -> None:
        is_leaf = False
        for atom in find_forms(self.schema, ref, lhs, rhs, fieldpath.format_path(path)):
            if atom.map:
                is_leaf = self._map(atom.map, lhs, rhs, path)
            elif atom.scalar:
                is_leaf = self._scalar(atom.scalar, lhs, rhs, path)
            elif atom.list:
                is_leaf = self._list(atom.list, lhs, rhs, path)
        if not is_leaf:
            if lhs is MISSING:
                self.comparison.added.insert(path)
            elif rhs is MISSING:
                self.comparison.removed.insert(path)

    def _leaf(self, lhs: Value, rhs: Value, path: Path) -> bool:
        if lhs is MISSING:
            self.comparison.added.insert(path)
        elif rhs is MISSING:
            self.comparison.removed.insert(path)
        elif not are_equal(lhs, rhs):
            self.comparison.modified.insert(path)
        return True

    def _scalar(self, kind: str, lhs: Value, rhs: Value, path: Path) -> bool:
        left, right = check_scalar(kind, lhs, "lhs: "), check_scalar(kind, rhs, "rhs: ")
        if left and right:
            self.problems += [
                TypeProblem(fieldpath.format_path(path), left),
                TypeProblem(fieldpath.format_path(path), right),
            ]
            return False
        return self._leaf(lhs, rhs, path)

    def _map(self, mapping: Map, lhs: Value, rhs: Value, path: Path) -> bool:
        left, right = lhs if isinstance(lhs, dict) else None, rhs if isinstance(rhs, dict) else None
        if mapping.relationship == ATOMIC or not (left or right):
            return self._leaf(lhs, rhs, path)
        left, right = left or {}, right or {}
        for name in [*left, *(name for name in right if name not in left)]:
            below = (*path, fieldpath.field(name))
            self.compare(left.get(name, MISSING), right.get(name, MISSING), mapping.type_of(name), below)
        return False

    def _list(self, items: List, lhs: Value, rhs: Value, path: Path) -> bool:
        left, right = lhs if isinstance(lhs, list) else None, rhs if isinstance(rhs, list) else None
        if items.relationship == ATOMIC or not (left or right):
            return self._leaf(lhs, rhs, path)
        mine, theirs = self._grouped(items, left or [], path), self._grouped(items, right or [], path)
        for element in [*mine, *(element for element in theirs if element not in mine)]:
            self._items(items, mine.get(element, []), theirs.get(element, []), (*path, element))
        return False

    def _grouped(self, items: List, values: list[Value], path: Path) -> dict[Element, list[Value]]:
        grouped: dict[Element, list[Value]] = {}
        for number, item in enumerate(values):
            try:
                grouped.setdefault(get_item_element(self.schema, items, item), []).append(item)
            except ValueError as wrong:
                self.problems.append(TypeProblem(fieldpath.format_path(path), f"element {number}: {wrong}"))
        return grouped

    def _items(self, items: List, mine: list[Value], theirs: list[Value], path: Path) -> None:
        """Compare the items of one key. Several items with the same key count as one leaf."""
        if len(mine) <= 1 and len(theirs) <= 1:
            self.compare(mine[0] if mine else MISSING, theirs[0] if theirs else MISSING, items.element, path)
        elif len(mine) > 1 and len(theirs) > 1:
            if not are_equal(mine, theirs):
                self.comparison.modified.insert(path)
        elif len(mine) > 1:
            if theirs:
                self.compare(MISSING, theirs[0], items.element, path)
            self.comparison.removed.insert(path)
        else:
            if mine:
                self.compare(mine[0], MISSING, items.element, path)
            self.comparison.added.insert(path)


def remove(value: Typed, fields: FieldSet) -> Typed:
    """Return the value without the named items and fields. A map or list that becomes empty becomes null."""
    return value.with_value(_RemovingWalker(value.schema, extracts=False).walk(value.value, fields, value.type))


def extract(value: Typed, fields: FieldSet, *, with_keys: bool = False) -> Typed:
    """Return only the named items and fields. `with_keys` adds the keys of list items on the way."""
    if with_keys:
        fields = fields.union(_find_keys(to_field_set(value), fields))
    return value.with_value(_RemovingWalker(value.schema, extracts=True).walk(value.value, fields, value.type))


def _find_keys(present: FieldSet, fields: FieldSet) -> FieldSet:
    keys = FieldSet()
    for path in fields:
        if present.has(path):
            for below in _list_keys(path):
                keys.insert(below)
    return keys


def _list_keys(path: Path) -> list[Path]:
    return [
        (*path[: number + 1], fieldpath.field(name))
        for number, element in enumerate(path)
        if element.is_key
        for name, _ in element.content
    ]


class _RemovingWalker:
    def __init__(self, schema: Schema, *, extracts: bool) -> None:
        self.schema = schema
        self.extracts = extracts

    def walk(self, value: Value, fields: FieldSet, ref: TypeRef | None) -> Value:
        atom = self.schema.resolve(ref)
        if atom is None:
            return None
        atom = atom.deduce(value)
        if atom.map:
            return self._map(atom.map, value, fields)
        if atom.scalar:
            return value
        return self._list(atom.list, value, fields) if atom.list else None

    def _whole(self, value: Value) -> Value:
        return value if self.extracts else None

    def _map(self, mapping: Map, value: Value, fields: FieldSet) -> Value:
        if value is None or value == {} or mapping.relationship == ATOMIC:
            return self._whole(value)
        if not isinstance(value, dict):
            return None
        out = {}
        for name, item in value.items():
            element = fieldpath.field(name)
            below = fields.below(element)
            if element in fields.members:
                if self.extracts:
                    out[name] = self.walk(item, fields, mapping.type_of(name))
            elif below:
                out[name] = self.walk(item, below, mapping.type_of(name))
            elif not self.extracts:
                out[name] = item
        return out or None

    def _list(self, items: List, value: Value, fields: FieldSet) -> Value:
        if value is None or value == [] or items.relationship == ATOMIC:
            return self._whole(value)
        if not isinstance(value, list):
            return None
        out = []
        for item in value:
            element = get_item_element(self.schema, items, item)
            is_named, below = element in fields.members, fields.below(element)
            if is_named and not self.extracts:
                continue
            if below:
                item = self.walk(item, below, items.element)
            if below or is_named or not self.extracts:
                out.append(item)
        return out or None
