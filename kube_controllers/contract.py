"""The contract of an actor: what it watches, and what comes of looking at one object."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from kube_controllers.objects import View
from kube_objects.manifests import Manifest, condition


@dataclass(slots=True)
class Put:
    """An object comes, or is changed. `at` is its kind and key."""

    obj: Manifest
    at: tuple[str, str]


@dataclass(slots=True)
class Gone:
    """An object is there no longer."""

    obj: Manifest


@dataclass(slots=True)
class ActorEvent:
    """A Kubernetes Event about an object. `by` is the component that tells it."""

    about: Manifest
    type: str
    reason: str
    message: str
    by: str


Change = Put | Gone | ActorEvent


KEEP = object()
"""What an actor remembers of an object stays as it is."""


@dataclass(slots=True)
class Outcome:
    """What a reconcile leads to. `reason` says why, for people; `wake_at` when to look again (seconds since 1970).

    `failed`: it could not do all of it, and tries again after a backoff, which grows each time. `memory`: what upstream
    keeps in the controller's memory about this object, as JSON has it; the next reconcile finds it in its view.
    `goes_on`: the next one is part of this one, which says whether it failed. `error`: the defect of the engine that
    ended the reconcile.
    """

    changes: Sequence[Change] = ()
    reason: str = ""
    wake_at: float | None = None
    failed: bool = False
    memory: Any = KEEP
    goes_on: bool = False
    error: Exception | None = None


@dataclass(slots=True)
class Wake:
    """An object that the actor wants to look at, at once or some seconds from now; `by` another actor, if named."""

    key: str
    after: float = 0.0
    by: str = ""


@dataclass(slots=True, frozen=True)
class Backoff:
    """Seconds before a key that failed is tried again: `first`, then twice as much each time up to `most`."""

    first: float = 0.005
    most: float = 1000.0

    def after(self, failures: int) -> float:
        return min(self.first * 2.0 ** min(failures, 64), self.most)


def subject(old: Manifest | None, new: Manifest | None) -> Manifest:
    """The object that came, changed or went, as it is by now or was last."""
    obj = old if new is None else new
    assert obj is not None
    return obj


EVERY_KIND: frozenset[str] = frozenset()

# Aspects: what is new about a version of an object.
CAME, GONE, SPEC, LABELS, OWNERS, DELETED, FINISHED, READY = (1 << at for at in range(8))
FINALIZERS = 1 << 8  # it has some, or had
OTHER = 1 << 9  # whatever else
METADATA = 1 << 10  # anything of it
ADDRESSES = 1 << 11  # of a pod
EVERYTHING = (1 << 12) - 1
ANY = ""  # of any other kind


class Actor(Protocol):
    """One controller. `kind` are the objects whose keys it is given, "" for objects of any kind, which are `named`;
    `name` is how it is switched and shown.

    `watches` are the kinds that it hears of; none are all. Who has `controls`, too (a set of kinds), hears of objects
    of those kinds only if one of its own `kind` controls them, or did, or if nobody does. Who `heeds` only some aspects
    of a kind (those above) hears of no other changes of it. Who has `needs` (a kind) hears of nothing as long as there
    is no object of that kind. Who has `lost(key, view)` is asked by it about what it wanted to look at and is no more.
    """

    name: str
    kind: str
    watches: frozenset[str]
    backoff: Backoff

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        """The objects to look at after this one came (no `old`), changed or went (no `new`)."""

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Look at one object. Changes nothing itself; the same object, view and chance give the same outcome."""


def named(of: str, at: str) -> str:
    """An object by kind and key, for who looks at those of any kind."""
    return f"{of} {at}"


@dataclass(slots=True)
class Notes:
    """The reasons that a reconcile gathers on its way; the first one is what it is about."""

    reasons: list[str] = field(default_factory=list)

    def add(self, reason: str) -> None:
        self.reasons.append(reason)

    @property
    def first(self) -> str:
        return self.reasons[0] if self.reasons else ""


_NOTHING: Mapping[str, Any] = {}
_FINISHED = ("Succeeded", "Failed")


def aspects(old: Manifest | None, new: Manifest | None) -> int:
    """What is new; nothing is left out, but some may be named that is the same after all."""
    if old is None or new is None:
        found = CAME if old is None else GONE
        came_or_went = new or old or _NOTHING
        return found | FINALIZERS if (came_or_went.get("metadata") or _NOTHING).get("finalizers") else found
    found = OTHER if old.get("spec") is new.get("spec") else OTHER | SPEC
    before, after = old.get("metadata") or _NOTHING, new.get("metadata") or _NOTHING
    if before is not after:
        found |= _of_metadata(before, after)
    if after.get("finalizers") or before.get("finalizers"):
        found |= FINALIZERS
    if new.get("kind") == "Pod" and old.get("status") is not new.get("status"):
        found |= _of_pod(old.get("status") or _NOTHING, new.get("status") or _NOTHING)
    return found


def _of_metadata(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    found = METADATA
    if _differ(before.get("labels"), after.get("labels")):
        found |= LABELS
    if _differ(before.get("ownerReferences"), after.get("ownerReferences")):
        found |= OWNERS
    if bool(before.get("deletionTimestamp")) != bool(after.get("deletionTimestamp")):
        found |= DELETED
    return found


def _differ(one: Any, other: Any) -> bool:
    return one is not other and (one or None) != (other or None)


def _of_pod(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    """`before` and `after` are its statuses."""
    found = 0
    if (before.get("phase") in _FINISHED) != (after.get("phase") in _FINISHED):
        found |= FINISHED
    ready = condition(before.get("conditions") or (), "Ready")
    now_ready = condition(after.get("conditions") or (), "Ready")
    if ready is not now_ready and ready != now_ready:
        found |= READY
    addresses, now_addresses = before.get("podIPs"), after.get("podIPs")
    if addresses is not now_addresses and addresses != now_addresses:
        found |= ADDRESSES
    return found
