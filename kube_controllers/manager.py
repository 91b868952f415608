"""The manager of one cluster's controllers: it routes events to them, runs reconciles and stores their memory.

It writes nothing. The caller carries out the changes of each `Step`, and reports every changed object to the manager.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.api import WriteRefused
from kube_controllers.contract import ANY, EVERYTHING, KEEP, Controller, Outcome, changed_aspects, latest_version
from kube_controllers.hashing import HASHES, UPSTREAM
from kube_controllers.objects import Chance, Objects, View
from kube_controllers.work_queue import Item, WorkQueue
from kube_objects.defects import PASSED_ON, message_of, raise_defect
from kube_objects.manifests import Manifest, controller_of, kind
from kube_objects.sentences import say
from kube_objects.text.problems import Problem


@dataclass(slots=True)
class Step:
    """One reconcile: the controller, the object's kind and key, and the outcome."""

    controller: str
    kind: str
    key: str
    outcome: Outcome


class _TrialRandom:
    """A random source for reconciles that are only tried. It draws a different value each time, so that a search for a
    free name ends.
    """

    def __init__(self) -> None:
        self._draws = 0

    def choice(self, of: str) -> str:
        return of[self.getrandbits(0) * 8 % len(of)]

    def getrandbits(self, bits: int) -> int:
        self._draws += 1
        return self._draws


class Manager:
    """The controllers of one cluster, and their work queue. `now` is always in seconds since the Unix epoch."""

    def __init__(self, controllers: Sequence[Controller], chance: Chance, recurring: Collection[str] = ()) -> None:
        """Take the controllers. `recurring` names those that requeue themselves forever."""
        self.recurring = recurring
        self.controllers: Mapping[str, Controller] = {controller.name: controller for controller in controllers}
        self.objects = Objects()
        self._receivers: dict[
            tuple[str, str, str, int], Sequence[Controller]
        ] = {}  # valid while `_seen_appearances` is
        self._seen_appearances = self.objects.appearances
        self._view = View(self.objects, 0.0, chance)
        self.work = WorkQueue()
        self.chance = chance
        self.memory: dict[Item, Any] = {}  # the controllers' in-memory state
        self.snapshot: Callable[[], Any] | None = None  # for controllers that plan with the scheduler's filters
        self.hashes = HASHES[UPSTREAM]
        self.problem_of: Callable[[Manifest], Problem | None] | None = (
            None  # for controllers that create objects from templates
        )
        self.on_defect: Callable[[Exception], None] = raise_defect  # reports exceptions outside of a reconcile

    def view(self, now: float) -> View:
        """Return the view of the objects at `now`. The instance is shared and always shows the current objects."""
        view = self._view
        view.now, view.chance = now, self.chance
        view.snapshot, view.problem_of, view.remembered = self.snapshot, self.problem_of, None
        view.memory, view.hashes = self.memory, self.hashes
        return view

    def put(self, obj: Manifest, now: float) -> None:
        """Store an object that was added or changed, and queue the reconciles that follow."""
        old = self.objects.put(obj)
        if old is not obj:
            self._queue_requests(old, obj, now)

    def remove(self, of: str, at: str, now: float) -> None:
        """Remove an object, and queue the reconciles that follow."""
        old = self.objects.remove(of, at)
        if old is not None:
            self._queue_requests(old, None, now)

    def _queue_requests(self, old: Manifest | None, new: Manifest | None, now: float) -> None:
        receivers = self._receivers_of(old, new)
        if not receivers:
            return
        view, work = self.view(now), self.work
        for controller in receivers:
            try:
                for request in controller.map_event(old, new, view):
                    item = request.by or controller.name, request.key
                    if request.after > 0:
                        work.add_at(item, now + request.after)
                    else:
                        work.add(item)
            except PASSED_ON:
                raise
            except Exception as error:
                self.on_defect(error)

    def _receivers_of(self, old: Manifest | None, new: Manifest | None) -> Sequence[Controller]:
        """Return the controllers that receive the event.

        A receiver watches the kind, accepts one of the changed aspects, and has objects to reconcile. Results are
        cached.
        """
        if self._seen_appearances != self.objects.appearances:
            self._seen_appearances = self.objects.appearances
            self._receivers.clear()
        obj = latest_version(old, new)
        obj_kind, owner_kind = kind(obj), _controller_kind(obj)
        old_owner_kind = (
            owner_kind if old is None or old.get("metadata") is obj.get("metadata") else _controller_kind(old)
        )
        changed = changed_aspects(old, new)
        receivers = self._receivers.get((obj_kind, owner_kind, old_owner_kind, changed))
        if receivers is None:
            receivers = self._receivers[obj_kind, owner_kind, old_owner_kind, changed] = [
                controller
                for controller in self.controllers.values()
                if _accepted_aspects(controller, obj_kind) & changed
                and _watches_kind(controller, obj_kind, (owner_kind, old_owner_kind))
                and (not controller.watches or controller.kind == obj_kind or self.objects.has(controller.kind))
                and self._has_needed_kind(controller)
            ]
        return receivers

    def _has_needed_kind(self, controller: Controller) -> bool:
        needed: str | None = getattr(controller, "needs", None)
        return needed is None or self.objects.has(needed)

    def next(self, now: float) -> Step | None:
        """Run the next reconcile that is due.

        1. Take the next item from the work queue; return None if none is due.
        2. If the object no longer exists, call the controller's `lost` and drop its memory.
        3. Reconcile the object, and store the controller's memory.
        4. Queue the item again: after the backoff if it failed, and at `requeue_at` if the outcome has one.
        """
        while (item := self.work.pop_ready(now)) is not None:
            controller = self.controllers.get(item[0])
            obj_kind, obj_key = ("", "") if controller is None else _target_of(controller, item)
            obj = self.objects.get(obj_kind, obj_key)
            if controller is None or obj is None:
                self.work.forget(item)
                # Few controllers handle a removed object.
                lost: Callable[[str, View], Outcome] | None = getattr(controller, "lost", None)
                try:
                    outcome = None if lost is None else lost(item[1], self._view_with_memory(item, now))
                except PASSED_ON:
                    raise
                except Exception as error:  # the outcome carries it to whoever reports it
                    outcome = failure_of(error)
                self.memory.pop(item, None)
                if controller is not None and outcome is not None and (outcome.changes or outcome.error is not None):
                    return Step(controller.name, obj_kind, obj_key, outcome)
                continue
            outcome = _reconcile(controller, obj, self._view_with_memory(item, now))
            if outcome.memory is not KEEP:
                self._store_memory(item, outcome.memory)
            if outcome.failed:
                self.work.add_at(item, now + controller.backoff.after(self.work.record_failure(item)))
            elif not outcome.is_partial:
                self.work.forget(item)
            if outcome.requeue_at is not None:
                self.work.add_at(item, max(outcome.requeue_at, now))
            return Step(controller.name, obj_kind, obj_key, outcome)
        return None

    def _view_with_memory(self, item: Item, now: float) -> View:
        view = self.view(now)
        view.remembered = self.memory.get(item)
        return view

    def _store_memory(self, item: Item, memory: Any) -> None:
        if memory is None:
            self.memory.pop(item, None)
        else:
            self.memory[item] = memory

    def has_work(self, now: float) -> bool:
        return self.work.has_ready(now)

    def next_change(self, end: float) -> float:
        """Return the first time up to `end` at which a controller would change something; inf if there is none.

        Controllers in `recurring` don't count.
        """
        for due, item in self.work.delayed():
            if due > end:
                break
            if item[0] not in self.recurring and self._would_change(item, due, end):
                return due
        return math.inf

    def _would_change(self, item: Item, due: float, end: float) -> bool:
        controller = self.controllers[item[0]]
        while (obj := self.objects.get(*_target_of(controller, item))) is not None:
            view = View(self.objects, due, _TrialRandom())
            view.remembered, view.snapshot = self.memory.get(item), self.snapshot
            view.problem_of, view.hashes = self.problem_of, self.hashes
            outcome = _reconcile(controller, obj, view)
            if outcome.changes:
                return True
            if outcome.requeue_at is None or not due < outcome.requeue_at <= end:
                break
            due = outcome.requeue_at
        return False

    def dump(self) -> dict[str, Any]:
        """Return the work queue and the memory for a checkpoint, as JSON."""
        return {
            "work": self.work.dump(),
            "memory": [[*item, known] for item, known in self.memory.items()],
        }

    def load(self, objects: Iterable[Manifest], data: Mapping[str, Any]) -> None:
        """Continue from the objects and `dump` of a checkpoint."""
        for obj in objects:
            self.objects.put(obj)
        self.work.load(data["work"])
        self.memory = {(actor, key): known for actor, key, known in data["memory"]}


def _target_of(controller: Controller, item: Item) -> tuple[str, str]:
    """Return the kind and key of the object that an item is about."""
    if controller.kind:
        return controller.kind, item[1]
    obj_kind, _, obj_key = item[1].partition(" ")
    return obj_kind, obj_key


def _reconcile(controller: Controller, obj: Manifest, view: View) -> Outcome:
    """Return the outcome of one reconcile. A refused write is tried again after a backoff.

    A defect ends this reconcile only, so that other objects are still looked at: upstream's workers recover from
    panics in the same way. Source: apimachinery/pkg/util/runtime HandleCrash.
    """
    try:
        return controller.reconcile(obj, view)
    except WriteRefused as refused:
        return Outcome(reason=refused.message, failed=True)
    except PASSED_ON:
        raise
    except Exception as error:  # the outcome carries it to whoever reports it
        return failure_of(error)


def failure_of(error: Exception) -> Outcome:
    """Return the outcome of a reconcile that a defect of the engine ended."""
    reason = say("the engine failed: {name}: {error}", name=type(error).__name__, error=message_of(error))
    return Outcome(reason=reason, failed=True, error=error)


def _controller_kind(obj: Manifest) -> str:
    """Return the kind of the object's controller, or ""."""
    reference = controller_of(obj)
    return "" if reference is None else kind(reference)


def _accepted_aspects(controller: Controller, obj_kind: str) -> int:
    event_filter: Mapping[str, int] = getattr(controller, "event_filter", {})
    return event_filter.get(obj_kind, event_filter.get(ANY, EVERYTHING))


def _watches_kind(controller: Controller, obj_kind: str, owner_kinds: Sequence[str]) -> bool:
    if controller.watches and obj_kind not in controller.watches:
        return False
    return obj_kind not in getattr(controller, "controls", ()) or "" in owner_kinds or controller.kind in owner_kinds
