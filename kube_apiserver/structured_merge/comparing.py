"""Which fields differ between two objects. Source: structured-merge-diff/typed/compare.go."""

from dataclasses import dataclass, field

from kube_apiserver.structured_merge import paths
from kube_apiserver.structured_merge.field_set import FieldSet
from kube_apiserver.structured_merge.merging import forms
from kube_apiserver.structured_merge.paths import Element, Path
from kube_apiserver.structured_merge.schema import ATOMIC, List, Map, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, TypeMismatch, TypeProblem, check_scalar, item_element
from kube_apiserver.structured_merge.values import MISSING, Value, equal


@dataclass(slots=True)
class Comparison:
    """No field is in more than one of the three sets."""

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
    return comparer.found


class _Comparer:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.found = Comparison()
        self.problems: list[TypeProblem] = []

    def compare(self, lhs: Value, rhs: Value, ref: TypeRef | None, path: Path) -> None:
        is_leaf = False
        for atom in forms(self.schema, ref, lhs, rhs, paths.written(path)):
            if atom.map:
                is_leaf = self._map(atom.map, lhs, rhs, path)
            elif atom.scalar:
                is_leaf = self._scalar(atom.scalar, lhs, rhs, path)
            elif atom.list:
                is_leaf = self._list(atom.list, lhs, rhs, path)
        if not is_leaf:
            if lhs is MISSING:
                self.found.added.insert(path)
            elif rhs is MISSING:
                self.found.removed.insert(path)

    def _leaf(self, lhs: Value, rhs: Value, path: Path) -> bool:
        if lhs is MISSING:
            self.found.added.insert(path)
        elif rhs is MISSING:
            self.found.removed.insert(path)
        elif not equal(lhs, rhs):
            self.found.modified.insert(path)
        return True

    def _scalar(self, kind: str, lhs: Value, rhs: Value, path: Path) -> bool:
        left, right = check_scalar(kind, lhs, "lhs: "), check_scalar(kind, rhs, "rhs: ")
        if left and right:
            self.problems += [TypeProblem(paths.written(path), left), TypeProblem(paths.written(path), right)]
            return False
        return self._leaf(lhs, rhs, path)

    def _map(self, mapping: Map, lhs: Value, rhs: Value, path: Path) -> bool:
        left, right = lhs if isinstance(lhs, dict) else None, rhs if isinstance(rhs, dict) else None
        if mapping.relationship == ATOMIC or not (left or right):
            return self._leaf(lhs, rhs, path)
        left, right = left or {}, right or {}
        for name in [*left, *(name for name in right if name not in left)]:
            below = (*path, paths.field(name))
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
                grouped.setdefault(item_element(self.schema, items, item), []).append(item)
            except ValueError as wrong:
                self.problems.append(TypeProblem(paths.written(path), f"element {number}: {wrong}"))
        return grouped

    def _items(self, items: List, mine: list[Value], theirs: list[Value], path: Path) -> None:
        """One item on a side is compared; several of the same key count as one leaf."""
        if len(mine) <= 1 and len(theirs) <= 1:
            self.compare(mine[0] if mine else MISSING, theirs[0] if theirs else MISSING, items.element, path)
        elif len(mine) > 1 and len(theirs) > 1:
            if not equal(mine, theirs):
                self.found.modified.insert(path)
        elif len(mine) > 1:
            if theirs:
                self.compare(MISSING, theirs[0], items.element, path)
            self.found.removed.insert(path)
        else:
            if mine:
                self.compare(mine[0], MISSING, items.element, path)
            self.found.added.insert(path)
