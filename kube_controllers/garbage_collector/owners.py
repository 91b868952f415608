"""The lookup of an object's owners. Source: pkg/controller/garbagecollector/garbagecollector.go, getObject."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kube_objects.manifests import (
    Manifest,
    Owner,
    is_of_every_server,
    key_of,
    kind,
    namespace,
    owners,
    spec,
    with_meta,
)

DEFINITION = "CustomResourceDefinition"

# Returns the uid of the object of this kind and key, or None.
UidOf = Callable[[str, str], str | None]


def owner_keys(owner: Owner, obj_namespace: str) -> tuple[str, str]:
    """Return the keys under which an owner may be stored: in the dependent's namespace, or cluster-scoped.

    A manifest without a namespace is in `default`.
    """
    owner_name = str(owner["name"])
    return key_of(obj_namespace or "default", owner_name), owner_name


def is_kind_known(owner: Owner, definitions: Iterable[Manifest]) -> bool:
    """Return whether the cluster serves the owner's kind. The absence of other kinds can't be established."""
    group = str(owner.get("apiVersion") or "").rpartition("/")[0]
    if is_of_every_server(group):
        return True
    defined = (spec(definition) for definition in definitions)
    return any((one.get("group"), _kind_of(one)) == (group, owner.get("kind")) for one in defined)


def _kind_of(definition: Mapping[str, Any]) -> Any:
    """Return the kind of a CRD's spec. Imported ones were never validated."""
    names = definition.get("names")
    return names.get("kind") if isinstance(names, Mapping) else None


def has_only_absent_owners(obj: Manifest, uid_of: UidOf, definitions: Iterable[Manifest]) -> bool:
    """Return whether the object has owners and none exists, so that the garbage collector would delete it."""
    owned_by = owners(obj)
    return bool(owned_by) and all(_is_absent(owner, namespace(obj), uid_of, definitions) for owner in owned_by)


def _is_absent(owner: Owner, inside: str, uid_of: UidOf, definitions: Iterable[Manifest]) -> bool:
    uids = (uid_of(kind(owner), owner_key) for owner_key in owner_keys(owner, inside))
    owner_uid = next((uid for uid in uids if uid is not None), None)
    return is_kind_known(owner, definitions) if owner_uid is None else owner_uid != owner.get("uid")


def without_owners(obj: Manifest) -> Manifest:
    """Return the object without owner references, as `kubectl delete --cascade=orphan` leaves it."""
    return with_meta(obj, ownerReferences=None)
