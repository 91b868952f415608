"""Whether the owners of an object are there. Source: pkg/controller/garbagecollector/garbagecollector.go, getObject."""

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

# The uid of the object of this kind and key, None where there is none.
UidOf = Callable[[str, str], str | None]


def places(owner: Owner, inside: str) -> tuple[str, str]:
    """Return the keys by which an owner is looked for: in the namespace of what it owns, or in no namespace.

    A manifest without a namespace is in `default`.
    """
    named = str(owner["name"])
    return key_of(inside or "default", named), named


def is_known(owner: Owner, definitions: Iterable[Manifest]) -> bool:
    """Whether the cluster has such a kind; of others nobody can say that the owner is no more."""
    group = str(owner.get("apiVersion") or "").rpartition("/")[0]
    if is_of_every_server(group):
        return True
    defined = (spec(one) for one in definitions)
    return any((one.get("group"), _kind_of(one)) == (group, owner.get("kind")) for one in defined)


def _kind_of(definition: Mapping[str, Any]) -> Any:
    """What an imported one defines; nobody has checked it."""
    names = definition.get("names")
    return names.get("kind") if isinstance(names, Mapping) else None


def has_none(obj: Manifest, uid_of: UidOf, definitions: Iterable[Manifest]) -> bool:
    """Whether it has owners of which none is there: the garbage collector would take it."""
    owned_by = owners(obj)
    return bool(owned_by) and all(_is_absent(owner, namespace(obj), uid_of, definitions) for owner in owned_by)


def _is_absent(owner: Owner, inside: str, uid_of: UidOf, definitions: Iterable[Manifest]) -> bool:
    found = (uid_of(kind(owner), place) for place in places(owner, inside))
    of_it = next((uid for uid in found if uid is not None), None)
    return is_known(owner, definitions) if of_it is None else of_it != owner.get("uid")


def let_go(obj: Manifest) -> Manifest:
    """As it is when nobody owns it, as `kubectl delete --cascade=orphan` leaves what was owned."""
    return with_meta(obj, ownerReferences=None)
