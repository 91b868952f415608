"""The contract of a controller: its event filters, reconcile requests, changes and outcomes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kube_controllers.objects import View
from kube_objects.manifests import Manifest, condition


@dataclass(slots=True)
class PutObject:
    """A change that creates or replaces an object. `at` is the object's kind and key."""

    obj: Manifest
    at: tuple[str, str]


@dataclass(slots=True)
class RemoveObject:
    """A change that removes an object from storage."""

    obj: Manifest


@dataclass(slots=True)
class EmitEvent:
    """A change that emits a Kubernetes Event about an object. `by` is the reporting component."""

    about: Manifest
    type: str
    reason: str
    message: str
    by: str


Change = PutObject | RemoveObject | EmitEvent


KEEP = object()
"""A sentinel for `Outcome.memory`: keep the controller's memory of the object as it is."""


@dataclass(slots=True)
class Outcome:
    """The result of one reconcile.

    - `reason` explains the changes to people.
    - `requeue_at` is the time of the next reconcile, in seconds since 1970.
    - `failed` means that the manager adds the key again after a backoff, which grows with each failure.
    - `memory` is the controller's in-memory state about the object, as JSON. The next reconcile reads it from its view.
    - `is_partial` means that the next reconcile completes this one. Only that one counts as a success or a failure.
    - `error` is the unexpected exception that ended the reconcile.
    """

    changes: Sequence[Change] = ()
    reason: str = ""
    requeue_at: float | None = None
    failed: bool = False
    memory: Any = KEEP
    is_partial: bool = False
    error: Exception | None = None


@dataclass(slots=True)
class ReconcileRequest:
    """A request to reconcile the object with this key after `after` seconds.

    `by` names the controller to run, if it is not the one that returns the request.
    """

    key: str
    after: float = 0.0
    by: str = ""


@dataclass(slots=True, frozen=True)
class Backoff:
    """The delay before a failed key is tried again: `first` seconds, doubled each time, up to `most` seconds."""

    first: float = 0.005
    most: float = 1000.0

    def after(self, failures: int) -> float:
        return min(self.first * 2.0 ** min(failures, 64), self.most)


def latest_version(old: Manifest | None, new: Manifest | None) -> Manifest:
    """Return the new version of an object, or the old one if the object was removed."""
    obj = old if new is None else new
    assert obj is not None
    return obj


EVERY_KIND: frozenset[str] = frozenset()

# Aspects of a change, as a bit set.
ADDED, REMOVED, SPEC, LABELS, OWNERS, DELETED, FINISHED, READY = (1 << bit for bit in range(8))
FINALIZERS = 1 << 8  # the old or the new version has finalizers
OTHER = 1 << 9  # any other field
METADATA = 1 << 10  # any field of the metadata
ADDRESSES = 1 << 11  # the IP addresses of a Pod
EVERYTHING = (1 << 12) - 1
ANY = ""  # the entry of `event_filter` for all other kinds


class Controller(Protocol):
    """One controller.

    - `name` identifies it in the configuration and in records.
    - `kind` is the kind of its keys; "" means objects of any kind, whose keys are made by `kind_and_key`.
    - `watches` are the kinds whose events it receives; an empty set means all kinds.
    - `controls` (optional) are kinds. Of these it receives only objects without a controller, and objects whose
      controller is or was of `kind`.
    - `event_filter` (optional) maps a kind to the aspects whose changes it receives.
    - `needs` (optional) is a kind. While no object of this kind exists, the controller receives no events.
    - `lost(key, view)` (optional) is called for a requested object that no longer exists.
    """

    name: str
    kind: str
    watches: frozenset[str]
    backoff: Backoff

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        """Return requests for the objects to reconcile after one was added, changed or removed.

        `old` is None for an added object, `new` for a removed one.
        """

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Return the outcome for one object, without side effects.

        The outcome depends only on the object, the view and the view's random numbers.
        """


def kind_and_key(kind: str, key: str) -> str:
    """Return the key of an object for controllers that handle all kinds."""
    return f"{kind} {key}"


@dataclass(slots=True)
class Notes:
    """The reasons that a reconcile collects. The first one becomes the reason of its outcome."""

    reasons: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        self.reasons.append(reason)

    @property
    def first(self) -> str:
        return self.reasons[0] if self.reasons else ""


_NOTHING: Mapping[str, Any] = {}
_FINISHED = ("Succeeded", "Failed")


def changed_aspects(old: Manifest | None, new: Manifest | None) -> int:
    """Return the aspects in which two versions differ. The result may also include aspects that are equal."""
    if old is None or new is None:
        changed = ADDED if old is None else REMOVED
        obj = new or old or _NOTHING
        return changed | FINALIZERS if (obj.get("metadata") or _NOTHING).get("finalizers") else changed
    changed = OTHER if old.get("spec") is new.get("spec") else OTHER | SPEC
    old_metadata, new_metadata = old.get("metadata") or _NOTHING, new.get("metadata") or _NOTHING
    if old_metadata is not new_metadata:
        changed |= _metadata_aspects(old_metadata, new_metadata)
    if new_metadata.get("finalizers") or old_metadata.get("finalizers"):
        changed |= FINALIZERS
    if new.get("kind") == "Pod" and old.get("status") is not new.get("status"):
        changed |= _pod_aspects(old.get("status") or _NOTHING, new.get("status") or _NOTHING)
    return changed


def _metadata_aspects(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    changed = METADATA
    if _is_different(before.get("labels"), after.get("labels")):
        changed |= LABELS
    if _is_different(before.get("ownerReferences"), after.get("ownerReferences")):
        changed |= OWNERS
    if bool(before.get("deletionTimestamp")) != bool(after.get("deletionTimestamp")):
        changed |= DELETED
    return changed


def _is_different(one: Any, other: Any) -> bool:
    return one is not other and (one or None) != (other or None)


def _pod_aspects(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    """Return the aspects in which two statuses of a Pod differ."""
    changed = 0
    if (before.get("phase") in _FINISHED) != (after.get("phase") in _FINISHED):
        changed |= FINISHED
    old_ready = condition(before.get("conditions") or (), "Ready")
    new_ready = condition(after.get("conditions") or (), "Ready")
    if old_ready is not new_ready and old_ready != new_ready:
        changed |= READY
    old_addresses, new_addresses = before.get("podIPs"), after.get("podIPs")
    if old_addresses is not new_addresses and old_addresses != new_addresses:
        changed |= ADDRESSES
    return changed
