"""Fields taken out of an object, or an object of these fields alone. Source: structured-merge-diff/typed/remove.go."""

from kube_apiserver.structured_merge import paths
from kube_apiserver.structured_merge.field_set import FieldSet
from kube_apiserver.structured_merge.paths import Path
from kube_apiserver.structured_merge.schema import ATOMIC, List, Map, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed, field_set, item_element
from kube_apiserver.structured_merge.values import Value


def remove(value: Typed, fields: FieldSet) -> Typed:
    """Without the items and fields named; a map or list that becomes empty becomes null."""
    return value.with_value(_Walker(value.schema, extracts=False).walk(value.value, fields, value.type))


def extract(value: Typed, fields: FieldSet, *, with_keys: bool = False) -> Typed:
    """Only the items and fields named; `with_keys`: and the keys of the items on the way."""
    if with_keys:
        fields = fields.union(_keys_on_the_way(field_set(value), fields))
    return value.with_value(_Walker(value.schema, extracts=True).walk(value.value, fields, value.type))


def _keys_on_the_way(present: FieldSet, fields: FieldSet) -> FieldSet:
    found = FieldSet()
    for path in fields:
        if present.has(path):
            for below in _keys_of(path):
                found.insert(below)
    return found


def _keys_of(path: Path) -> list[Path]:
    return [
        (*path[: number + 1], paths.field(name))
        for number, element in enumerate(path)
        if element.is_key
        for name, _ in element.content
    ]


class _Walker:
    def __init__(self, schema: Schema, *, extracts: bool) -> None:
        self.schema = schema
        self.extracts = extracts

    def walk(self, value: Value, fields: FieldSet, ref: TypeRef | None) -> Value:
        atom = self.schema.resolve(ref)
        if atom is None:
            return None
        atom = atom.of(value)
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
            element = paths.field(name)
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
            element = item_element(self.schema, items, item)
            is_named, below = element in fields.members, fields.below(element)
            if is_named and not self.extracts:
                continue
            if below:
                item = self.walk(item, below, items.element)
            if below or is_named or not self.extracts:
                out.append(item)
        return out or None
