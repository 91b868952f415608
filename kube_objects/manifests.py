"""Manifests as actors read them: identity, owners, conditions, times. Never changed in place."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from kube_objects.kinds.storage_kind import KUBERNETES_GROUPS, storage_kind

Manifest = Mapping[str, Any]
Owner = Mapping[str, Any]
_NOTHING: Mapping[str, Any] = {}


def meta(obj: Manifest) -> Mapping[str, Any]:
    return obj.get("metadata") or _NOTHING


def spec(obj: Manifest) -> Mapping[str, Any]:
    return obj.get("spec") or _NOTHING


def status(obj: Manifest) -> Mapping[str, Any]:
    return obj.get("status") or _NOTHING


def name(obj: Manifest) -> str:
    return str((obj.get("metadata") or _NOTHING).get("name", ""))


def namespace(obj: Manifest) -> str:
    return str((obj.get("metadata") or _NOTHING).get("namespace", ""))


def kind(obj: Manifest) -> str:
    """By which an object is kept, or one that a reference is about: Volcano's Job is none of those of `batch`."""
    return storage_kind(str(obj.get("apiVersion") or ""), str(obj.get("kind", "")))


def is_of_every_server(group: str) -> bool:
    """Return whether every API server has the group. The core group is ""."""
    return group in KUBERNETES_GROUPS or group in ("", "apps", "autoscaling", "batch", "policy")


def uid(obj: Manifest) -> str:
    return str((obj.get("metadata") or _NOTHING).get("uid", ""))


def labels(obj: Manifest) -> Mapping[str, str]:
    return (obj.get("metadata") or _NOTHING).get("labels") or _NOTHING


def annotations(obj: Manifest) -> Mapping[str, str]:
    return (obj.get("metadata") or _NOTHING).get("annotations") or _NOTHING


def finalizers(obj: Manifest) -> Sequence[str]:
    return (obj.get("metadata") or _NOTHING).get("finalizers") or ()


def generation(obj: Manifest) -> int:
    return int((obj.get("metadata") or _NOTHING).get("generation") or 1)


def key(obj: Manifest) -> str:
    """Return `namespace/name`, or only the name: unique within a kind."""
    given = obj.get("metadata") or _NOTHING
    inside, named = given.get("namespace"), str(given.get("name", ""))
    return f"{inside}/{named}" if inside else named


def key_of(in_namespace: str, named: str) -> str:
    return f"{in_namespace}/{named}" if in_namespace else named


def split(of: str) -> tuple[str, str]:
    """Namespace and name of a key."""
    in_namespace, _, named = of.rpartition("/")
    return in_namespace, named


def is_deleted(obj: Manifest) -> bool:
    """Return whether the object has a deletionTimestamp."""
    return bool((obj.get("metadata") or _NOTHING).get("deletionTimestamp"))


def owners(obj: Manifest) -> Sequence[Owner]:
    return (obj.get("metadata") or _NOTHING).get("ownerReferences") or ()


def controller_of(obj: Manifest) -> Owner | None:
    known: Sequence[Owner] = (obj.get("metadata") or _NOTHING).get("ownerReferences") or ()
    for owner in known:
        if owner.get("controller"):
            return owner
    return None


def is_controlled_by(obj: Manifest, owner: Manifest) -> bool:
    found = controller_of(obj)
    return found is not None and found.get("uid") == uid(owner)


def controller_reference(owner: Manifest) -> Owner:
    """Source: apimachinery/pkg/apis/meta/v1 NewControllerRef."""
    return {
        "apiVersion": owner.get("apiVersion", ""),
        "kind": owner.get("kind", ""),
        "name": name(owner),
        "uid": uid(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def with_meta(obj: Manifest, **fields: Any) -> dict[str, Any]:
    """Return a copy with these fields of metadata; None removes a field."""
    merged = {**meta(obj), **fields}
    return {**obj, "metadata": {name: value for name, value in merged.items() if value is not None}}


def without_finalizer(obj: Manifest, finalizer: str) -> dict[str, Any]:
    """Return a copy without the finalizer."""
    return with_meta(obj, finalizers=[one for one in finalizers(obj) if one != finalizer] or None)


def with_spec(obj: Manifest, **fields: Any) -> dict[str, Any]:
    return {**obj, "spec": {**spec(obj), **fields}}


def with_status(obj: Manifest, new: Mapping[str, Any]) -> dict[str, Any]:
    return {**obj, "status": dict(new)}


# Times


def parse_time(text: str | None) -> float | None:
    """Seconds since the Unix epoch of an RFC 3339 time."""
    return _parsed(str(text)) if text else None


@lru_cache(maxsize=4096)
def _parsed(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def format_time(seconds: float) -> str:
    """Return a time as the API server writes it: in whole seconds."""
    return _formatted(int(seconds))


@lru_cache(maxsize=4096)
def _formatted(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def created(obj: Manifest) -> str:
    """Return the creation time; RFC 3339 times in UTC sort as text."""
    return str((obj.get("metadata") or _NOTHING).get("creationTimestamp") or "")


def by_creation(obj: Manifest) -> tuple[str, str]:
    """Source: ReplicaSetsByCreationTimestamp: names break ties."""
    given = obj.get("metadata") or _NOTHING
    return str(given.get("creationTimestamp") or ""), str(given.get("name", ""))


# Conditions


def conditions(obj: Manifest) -> Sequence[Mapping[str, Any]]:
    return (obj.get("status") or _NOTHING).get("conditions") or ()


def condition(found: Iterable[Mapping[str, Any]], type_: str) -> Mapping[str, Any] | None:
    for one in found:
        if one.get("type") == type_:
            return one
    return None


def without_condition(found: Iterable[Mapping[str, Any]], type_: str) -> list[Mapping[str, Any]]:
    return [one for one in found if one.get("type") != type_]


# Numbers


def number(value: Any, otherwise: int) -> int:
    return otherwise if value is None else int(value)


def scaled(value: int | str | None, total: int, round_up: bool) -> int:
    """Source: GetScaledValueFromIntOrPercent."""
    if value is None:
        return 0
    if isinstance(value, str) and value.endswith("%"):
        product = int(value[:-1]) * total
        return -(-product // 100) if round_up else product // 100
    return int(value)


def nonzero(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that Go's `omitempty` writes."""
    return {name: value for name, value in fields.items() if value not in (0, "", None, [], {}, ())}
