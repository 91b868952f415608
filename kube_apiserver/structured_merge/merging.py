"""What an applied configuration makes of the object that is there. Source: structured-merge-diff/typed/merge.go."""

from kube_apiserver.structured_merge.paths import Element
from kube_apiserver.structured_merge.schema import ATOMIC, Atom, List, Map, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, TypeMismatch, TypeProblem, check_scalar, item_element, resolved
from kube_apiserver.structured_merge.values import MISSING, Value


def merge(live: Typed, applied: Typed) -> Typed:
    """Both together: a leaf that both set is as applied, nothing is taken out.

    Lists keep the order of the live object, or take that of the applied one where it changes something.
    """
    merger = _Merger(live.schema)
    out = merger.merge(live.value, applied.value, live.type, "")
    if merger.problems:
        raise TypeMismatch(merger.problems)
    return live.with_value(out)


def forms(schema: Schema, ref: TypeRef | None, lhs: Value, rhs: Value, path: str) -> list[Atom]:
    """The form or the two forms that both sides have; the second, the right side's, is what counts."""
    atom = resolved(schema, ref, path)
    left, right = atom.of(lhs), atom.of(rhs)
    if rhs is MISSING:
        return [left]
    if lhs is MISSING or left == right:
        return [right]
    return [left, right]


class _Merger:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.problems: list[TypeProblem] = []

    def merge(self, lhs: Value, rhs: Value, ref: TypeRef | None, path: str) -> Value:
        out: Value = MISSING
        for atom in forms(self.schema, ref, lhs, rhs, path):
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
        return _right(lhs, rhs)

    def _map(self, mapping: Map, lhs: Value, rhs: Value, path: str) -> Value:
        left, right = lhs if isinstance(lhs, dict) else None, rhs if isinstance(rhs, dict) else None
        if mapping.relationship == ATOMIC or not (left or right):
            return _right(lhs, rhs)
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
            return _right(lhs, rhs)
        try:
            theirs = _Indexed(self.schema, items, right or [], duplicates=False)
            mine = _Indexed(self.schema, items, left or [], duplicates=True)
        except ValueError as wrong:
            self.problems.append(TypeProblem(path, str(wrong)))
            return MISSING
        out = [
            self.merge(one, other, items.element, f"{path}{element}") for element, one, other in _in_order(mine, theirs)
        ]
        return [item for item in out if item is not MISSING] or MISSING


class _Indexed:
    """The items of a list with how each is told apart."""

    def __init__(self, schema: Schema, items: List, values: list[Value], *, duplicates: bool) -> None:
        self.values = values
        self.elements: list[Element] = []
        self.by_element: dict[Element, Value] = {}
        for number, item in enumerate(values):
            try:
                element = item_element(schema, items, item)
            except ValueError as wrong:
                raise ValueError(f"element {number}: {wrong}") from wrong
            if element in self.by_element and not duplicates:
                raise ValueError(f"duplicate entries for key {element}")
            # Items that are there twice are not merged with the new one.
            self.by_element[element] = None if element in self.by_element else item
            self.elements.append(element)


def _in_order(mine: _Indexed, theirs: _Indexed) -> list[tuple[Element, Value, Value]]:
    """(element, live item, applied item): those of both as applied, the live ones around them where they are."""
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


def _right(lhs: Value, rhs: Value) -> Value:
    return lhs if rhs is MISSING else rhs
