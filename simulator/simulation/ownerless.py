"""Objects whose owners are not there: what the garbage collector takes once it is at work."""

from collections.abc import Iterable, Mapping, Sequence

from kube_controllers.garbage_collector import owners
from kube_objects.manifests import Manifest
from kube_objects.meta import KubeObject

# By kind and key.
Uids = Mapping[tuple[str, str], str]


def owned(objects: Iterable[KubeObject]) -> list[KubeObject]:
    return [obj for obj in objects if obj.owners]


def left_alone(
    objects: Sequence[KubeObject], elsewhere: Uids | None = None, definitions: Iterable[Manifest] = ()
) -> list[KubeObject]:
    """Those whose owners are neither among them nor `elsewhere`, where these `definitions` of kinds are, too."""
    candidates = owned(objects)
    if not candidates:
        return []
    uids = {**(elsewhere or {}), **{(obj.kind, obj.key): obj.uid for obj in objects}}
    defined = [*definitions, *(obj.manifest for obj in objects if obj.kind == owners.DEFINITION)]
    return [
        obj
        for obj in candidates
        if owners.has_only_absent_owners(obj.manifest, lambda of, at: uids.get((of, at)), defined)
    ]
