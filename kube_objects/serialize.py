"""The conversion of objects to manifests, with the changes that the engine made since they were parsed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kube_objects.kinds.table import KINDS
from kube_objects.kinds.written import OF_ALL_KINDS, Written
from kube_objects.meta import KubeObject, with_manifest
from kube_objects.node import Node

_BY_TYPE: Mapping[type[KubeObject], tuple[Written, ...]] = {
    kind.type: (*OF_ALL_KINDS, *kind.written) for kind in KINDS.values()
}
_NOTHING: Mapping[str, Any] = {}


def manifest_of(obj: KubeObject, settled_before: KubeObject | None = None) -> Mapping[str, Any]:
    """Return the manifest from which `parse_object` makes an equal object.

    Don't modify it: it may be the object's own.
    """
    fields = _BY_TYPE.get(type(obj), OF_ALL_KINDS)
    changed: dict[str, dict[str, Any]] = {}
    new: dict[str, Any] = {}
    for written in fields:
        value = getattr(obj, written.attribute)
        if settled_before is not None and value is getattr(settled_before, written.attribute):
            continue
        part = obj.manifest.get(written.part) or _NOTHING
        before = part.get(written.key)
        if value != (written.absent if before is None else written.parse(before)):
            changed.setdefault(written.part, dict(part))
            new[written.attribute] = written.dump(value, before)
    if not changed:
        return obj.manifest
    for written in fields:
        if (rest := changed.get(written.part)) is not None:
            before = rest.pop(written.key, None)
            json = new.get(written.attribute, before)
            if json is not None:
                rest[written.key] = json
    whole = {**obj.manifest, **changed}
    return {name: part for name, part in whole.items() if part or name not in changed}


def settled(obj: KubeObject, before: KubeObject | None = None) -> KubeObject:
    """Return the object with the engine's writes in its manifest.

    `before`: an earlier version returned by this function.
    """
    manifest = manifest_of(obj, before if before is not None and before.manifest is obj.manifest else None)
    if manifest is obj.manifest:
        return obj
    return with_manifest(obj, manifest)


def with_cordon(node: Node, value: bool) -> Node:
    """Return the node, cordoned or not. Its manifest is in checkpoint form, without the earlier value."""
    changed = replace(node, unschedulable=value)
    return replace(changed, manifest=manifest_of(changed))
