"""Fields of an object that scheduling does not read."""

from collections.abc import Mapping
from typing import Any

from kube_objects.kinds.table import DESCRIBED
from kube_objects.read_fields import ALL, META_FIELDS, Fields

_ROOTS: Mapping[str, Fields] = {
    name: {"apiVersion": ALL, "kind": ALL, "metadata": META_FIELDS, **kind.fields} for name, kind in DESCRIBED.items()
}


def unused_paths(kind: str, manifest: Mapping[str, Any]) -> set[str]:
    """Return the paths of a manifest that scheduling doesn't read; only the topmost of nested ones.

    List items have one path: `spec.containers[].env`. Empty values are left out.
    """
    found: set[str] = set()
    _walk(manifest, _ROOTS[kind], "", found)
    return found


def _walk(value: Mapping[str, Any], fields: Fields, path: str, found: set[str]) -> None:
    for key, inner in value.items():
        if key not in fields:
            if inner is not None and inner != {} and inner != []:
                found.add(f"{path}{key[:80]}")
            continue
        below = fields[key]
        if below is None:
            continue
        if type(inner) is dict:
            _walk(inner, below, f"{path}{key}.", found)
        elif type(inner) is list:
            for item in inner:
                if type(item) is dict:
                    _walk(item, below, f"{path}{key}[].", found)
