"""Find objects whose owners don't exist, which the garbage collector deletes once it runs."""

from collections.abc import Iterable, Mapping, Sequence

from kube_controllers.garbage_collector import owners
from kube_objects.manifests import Manifest
from kube_objects.meta import KubeObject

# (kind, key) → uid.
Uids = Mapping[tuple[str, str], str]


def select_owned(objects: Iterable[KubeObject]) -> list[KubeObject]:
    return [obj for obj in objects if obj.owners]


def find_ownerless(
    objects: Sequence[KubeObject], elsewhere: Uids | None = None, definitions: Iterable[Manifest] = ()
) -> list[KubeObject]:
    """Return the objects none of whose owners exists, neither in `objects` nor in `elsewhere`.

    `definitions` are the CustomResourceDefinitions beyond those in `objects`.
    """
    candidates = select_owned(objects)
    if not candidates:
        return []
    uids = {**(elsewhere or {}), **{(obj.kind, obj.key): obj.uid for obj in objects}}
    defined = [*definitions, *(obj.manifest for obj in objects if obj.kind == owners.DEFINITION)]
    return [
        obj
        for obj in candidates
        if owners.has_only_absent_owners(obj.manifest, lambda kind, key: uids.get((kind, key)), defined)
    ]
