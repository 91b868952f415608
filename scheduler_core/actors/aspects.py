"""Aspects: what is new about a version of an object. Actors say which of them they heed, and hear of no others."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.actors.manifests import Manifest, condition

CAME, GONE, SPEC, LABELS, OWNERS, DELETED, FINISHED, READY = (1 << at for at in range(8))
FINALIZERS = 1 << 8  # it has some, or had
OTHER = 1 << 9  # whatever else
EVERYTHING = (1 << 10) - 1
ANY = ""  # of any other kind

_NOTHING: Mapping[str, Any] = {}
_FINISHED = ("Succeeded", "Failed")


def aspects(old: Manifest | None, new: Manifest | None) -> int:
    """What is new; nothing is left out, but some may be named that is the same after all."""
    if old is None or new is None:
        found = CAME if old is None else GONE
        return found | FINALIZERS if _part(new or old or _NOTHING, "metadata").get("finalizers") else found
    found = OTHER
    if old.get("spec") is not new.get("spec"):
        found |= SPEC
    before, after = _part(old, "metadata"), _part(new, "metadata")
    if before is not after:
        if _differ(before, after, "labels"):
            found |= LABELS
        if _differ(before, after, "ownerReferences"):
            found |= OWNERS
        if bool(before.get("deletionTimestamp")) != bool(after.get("deletionTimestamp")):
            found |= DELETED
    if after.get("finalizers") or before.get("finalizers"):
        found |= FINALIZERS
    return found | _of_pod(old, new) if new.get("kind") == "Pod" else found


def _of_pod(old: Manifest, new: Manifest) -> int:
    found = 0
    before, after = _part(old, "status"), _part(new, "status")
    if before is not after:
        if (before.get("phase") in _FINISHED) != (after.get("phase") in _FINISHED):
            found |= FINISHED
        ready = condition(before.get("conditions") or (), "Ready")
        now_ready = condition(after.get("conditions") or (), "Ready")
        if ready is not now_ready and ready != now_ready:
            found |= READY
    return found


def _part(obj: Manifest, of: str) -> Mapping[str, Any]:
    return obj.get(of) or _NOTHING


def _differ(before: Mapping[str, Any], after: Mapping[str, Any], field: str) -> bool:
    one, other = before.get(field), after.get(field)
    return one is not other and (one or None) != (other or None)
