"""Atomic parts of an apply configuration, which a mutating policy must not set because it would drop unlisted fields.

Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go findAtomics.
"""

from kube_apiserver.structured_merge import fieldpath
from kube_apiserver.structured_merge.fieldpath import Path
from kube_apiserver.structured_merge.schema import ATOMIC, Schema, TypeRef
from kube_apiserver.structured_merge.typed import Typed
from kube_apiserver.structured_merge.values import Value


def find_atomics(value: Typed) -> list[str]:
    """Return the paths of the atomic lists and maps in a value."""
    paths = list[str]()
    _collect_atomics(value.value, value.schema, value.type, (), paths)
    return paths


def _collect_atomics(value: Value, schema: Schema, ref: TypeRef | None, path: Path, paths: list[str]) -> None:
    atom = schema.resolve(ref)
    if atom is None:
        return
    if isinstance(value, dict) and atom.map is not None:
        if atom.map.relationship == ATOMIC:
            paths.append(fieldpath.format_path(path))
        for name, item in value.items():
            if name in atom.map.fields:
                _collect_atomics(item, schema, atom.map.fields[name].type, (*path, fieldpath.field(name)), paths)
    if isinstance(value, list) and atom.list is not None:
        if atom.list.relationship == ATOMIC:
            paths.append(fieldpath.format_path(path))
        for number, item in enumerate(value):
            _collect_atomics(item, schema, atom.list.element, (*path, fieldpath.index(number)), paths)
