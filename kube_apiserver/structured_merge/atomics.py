"""What of a configuration is one piece: a mutation of it would take away all that it does not say.

Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go findAtomics.
"""

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import Path
from kube_apiserver.structured_merge.schema import ATOMIC, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed
from kube_apiserver.structured_merge.values import Value


def atomics(value: Typed) -> list[str]:
    """The paths of atomic lists and maps in it."""
    found = list[str]()
    _find(value.value, value.schema, value.type, (), found)
    return found


def _find(value: Value, schema: Schema, ref: TypeRef | None, path: Path, found: list[str]) -> None:
    atom = schema.resolve(ref)
    if atom is None:
        return
    if isinstance(value, dict) and atom.map is not None:
        if atom.map.relationship == ATOMIC:
            found.append(fieldpath.written(path))
        for name, item in value.items():
            if name in atom.map.fields:
                _find(item, schema, atom.map.fields[name].type, (*path, fieldpath.field(name)), found)
    if isinstance(value, list) and atom.list is not None:
        if atom.list.relationship == ATOMIC:
            found.append(fieldpath.written(path))
        for number, item in enumerate(value):
            _find(item, schema, atom.list.element, (*path, fieldpath.index(number)), found)
