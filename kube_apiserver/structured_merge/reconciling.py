"""Owned fields after their type has changed between atomic and granular.

Source: structured-merge-diff/typed/reconcile_schema.go.
"""

from kube_apiserver.structured_merge.field_set import FieldSet
from kube_apiserver.structured_merge.paths import Element, Path
from kube_apiserver.structured_merge.schema import ATOMIC, UNTYPED, Map, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, resolved


def reconcile(fields: FieldSet, live: Typed) -> FieldSet | None:
    """The fields as the schema of today names them; None when nothing is to change.

    Who owned parts of what is now atomic owns all of it. What was atomic and is not any more stays as it was.
    """
    walker = _Walker(live.schema)
    walker.walk(fields, live.type, (), is_atomic=False)
    if not walker.now_atomic:
        return None
    return fields.recursive_difference(walker.now_atomic).union(walker.now_atomic)


class _Walker:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.now_atomic = FieldSet()

    def walk(self, fields: FieldSet | None, ref: TypeRef, path: Path, *, is_atomic: bool) -> None:
        atom = resolved(self.schema, ref)
        if atom.map:
            self._map(atom.map, fields, path, is_atomic)
        elif atom.list and not atom.scalar:
            if not is_atomic and atom.list.relationship == ATOMIC:
                self.now_atomic.insert(path)
            elif fields is not None:
                for element in _elements(fields):
                    self._descend(fields, element, atom.list.element, path)

    def _map(self, mapping: Map, fields: FieldSet | None, path: Path, is_atomic: bool) -> None:
        if _is_untyped(mapping):
            return
        if not is_atomic and mapping.relationship == ATOMIC:
            if fields:
                self.now_atomic.insert(path)
            return
        for element in _elements(fields) if fields is not None else ():
            ref = mapping.type_of(element.field_name) if element.field_name is not None else mapping.element
            if ref is not None:
                self._descend(fields, element, ref, path)

    def _descend(self, fields: FieldSet | None, element: Element, ref: TypeRef, path: Path) -> None:
        assert fields is not None
        child = fields.children.get(element)
        self.walk(child, ref, (*path, element), is_atomic=element in fields.members and child is None)


def _elements(fields: FieldSet) -> list[Element]:
    return sorted(fields.members | fields.children.keys())


def _is_untyped(mapping: Map) -> bool:
    """A struct of which only `x-kubernetes-preserve-unknown-fields` is known."""
    element = mapping.element
    if mapping.fields or element is None:
        return False
    if element.named is not None:
        return element.named == "__untyped_deduced_"
    return bool(element.inlined and element.inlined.scalar == UNTYPED)
