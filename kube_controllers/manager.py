"""Manager: the actors of one cluster, what they have to look at, and what came of it.

It writes nothing: whoever holds the cluster carries the changes out and tells the manager what changed.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.api import Refused
from kube_controllers.contract import ANY, EVERYTHING, KEEP, Actor, Outcome, aspects, subject
from kube_controllers.hashing import HASHES, UPSTREAM
from kube_controllers.objects import Chance, Objects, View
from kube_controllers.work import Item, Work
from kube_objects.defects import PASSED_ON, message_of, raise_defect
from kube_objects.manifests import Manifest, controller_of, kind
from kube_objects.sentences import say
from kube_objects.text.problems import Problem


@dataclass(slots=True)
class Step:
    """One reconcile: who looked at which object, and what comes of it."""

    actor: str
    kind: str
    key: str
    outcome: Outcome


class _Trial:
    """Draws the names of what is never created; another one each time, for those that try until one is free."""

    def __init__(self) -> None:
        self._draws = 0

    def choice(self, of: str) -> str:
        return of[self.getrandbits(0) * 8 % len(of)]

    def getrandbits(self, bits: int) -> int:
        self._draws += 1
        return self._draws


class Manager:
    """`now` is seconds since the Unix epoch everywhere in here."""

    def __init__(self, actors: Sequence[Actor], chance: Chance, recurring: Collection[str] = ()) -> None:
        """`recurring`: the names of those that look again for ever, whatever happens."""
        self.recurring = recurring
        self.actors: Mapping[str, Actor] = {actor.name: actor for actor in actors}
        self.objects = Objects()
        self._hearing: dict[tuple[str, str, str, int], Sequence[Actor]] = {}  # as long as these kinds are there
        self._kinds_that_are_there = self.objects.appearances
        self._view = View(self.objects, 0.0, chance)
        self.work = Work()
        self.chance = chance
        self.memory: dict[Item, Any] = {}  # what actors remember of objects
        self.snapshot: Callable[[], Any] | None = None  # for actors that plan with the scheduler's filters
        self.hashes = HASHES[UPSTREAM]
        self.problem_of: Callable[[Manifest], Problem | None] | None = None  # for those that are given templates
        self.on_defect: Callable[[Exception], None] = raise_defect  # for exceptions outside of a reconcile

    def view(self, now: float) -> View:
        """It shows the objects as they are at any time: one is enough."""
        view = self._view
        view.now, view.chance = now, self.chance
        view.snapshot, view.problem_of, view.remembered = self.snapshot, self.problem_of, None
        view.memory, view.hashes = self.memory, self.hashes
        return view

    def put(self, obj: Manifest, now: float) -> None:
        """The object has come or changed."""
        old = self.objects.put(obj)
        if old is not obj:
            self._wake(old, obj, now)

    def remove(self, of: str, at: str, now: float) -> None:
        old = self.objects.remove(of, at)
        if old is not None:
            self._wake(old, None, now)

    def _wake(self, old: Manifest | None, new: Manifest | None, now: float) -> None:
        hearing = self._who_hears(old, new)
        if not hearing:
            return
        view, work = self.view(now), self.work
        for actor in hearing:
            try:
                for wake in actor.wakes(old, new, view):
                    item = wake.by or actor.name, wake.key
                    if wake.after > 0:
                        work.add_at(item, now + wake.after)
                    else:
                        work.add(item)
            except PASSED_ON:
                raise
            except Exception as error:
                self.on_defect(error)

    def _who_hears(self, old: Manifest | None, new: Manifest | None) -> Sequence[Actor]:
        """Those that watch the kind, heed what has changed, and have anything that they could look at.

        Of what one of them controls, others that control such objects do not hear.
        """
        if self._kinds_that_are_there != self.objects.appearances:
            self._kinds_that_are_there = self.objects.appearances
            self._hearing.clear()
        obj = subject(old, new)
        of, now = kind(obj), _controller(obj)
        before = now if old is None or old.get("metadata") is obj.get("metadata") else _controller(old)
        changed = aspects(old, new)
        hearing = self._hearing.get((of, now, before, changed))
        if hearing is None:
            hearing = self._hearing[of, now, before, changed] = [
                one
                for one in self.actors.values()
                if _heeds(one, of) & changed
                and _hears(one, of, (now, before))
                and (not one.watches or one.kind == of or self.objects.has(one.kind))
                and self._has_what_it_needs(one)
            ]
        return hearing

    def _has_what_it_needs(self, actor: Actor) -> bool:
        needed: str | None = getattr(actor, "needs", None)
        return needed is None or self.objects.has(needed)

    def next(self, now: float) -> Step | None:
        """Look at the next object that there is a reason to look at now; None if there is none."""
        while (item := self.work.take(now)) is not None:
            actor = self.actors.get(item[0])
            of, at = ("", "") if actor is None else _looked_at(actor, item)
            obj = self.objects.get(of, at)
            if actor is None or obj is None:
                self.work.succeeded(item)
                # Most have nothing to say of an object that is no more.
                lost: Callable[[str, View], Outcome] | None = getattr(actor, "lost", None)
                try:
                    outcome = None if lost is None else lost(item[1], self._reminded(item, now))
                except PASSED_ON:
                    raise
                except Exception as error:  # the outcome carries it to whoever reports it
                    outcome = failure_of(error)
                self.memory.pop(item, None)
                if actor is not None and outcome is not None and (outcome.changes or outcome.error is not None):
                    return Step(actor.name, of, at, outcome)
                continue
            outcome = _reconcile(actor, obj, self._reminded(item, now))
            if outcome.memory is not KEEP:
                self._remember(item, outcome.memory)
            if outcome.failed:
                self.work.add_at(item, now + actor.backoff.after(self.work.failed(item)))
            elif not outcome.goes_on:
                self.work.succeeded(item)
            if outcome.wake_at is not None:
                self.work.add_at(item, max(outcome.wake_at, now))
            return Step(actor.name, of, at, outcome)
        return None

    def _reminded(self, item: Item, now: float) -> View:
        view = self.view(now)
        view.remembered = self.memory.get(item)
        return view

    def _remember(self, item: Item, memory: Any) -> None:
        if memory is None:
            self.memory.pop(item, None)
        else:
            self.memory[item] = memory

    def has_work(self, now: float) -> bool:
        return self.work.has_ready(now)

    def next_change(self, end: float) -> float:
        """Return the first time up to `end` at which an actor would change something; inf for never.

        Actors that look again for ever don't count.
        """
        for at, item in self.work.later():
            if at > end:
                break
            if item[0] not in self.recurring and self._would_change(item, at, end):
                return at
        return math.inf

    def _would_change(self, item: Item, at: float, end: float) -> bool:
        actor = self.actors[item[0]]
        while (obj := self.objects.get(*_looked_at(actor, item))) is not None:
            view = View(self.objects, at, _Trial())
            view.remembered, view.snapshot = self.memory.get(item), self.snapshot
            view.problem_of, view.hashes = self.problem_of, self.hashes
            outcome = _reconcile(actor, obj, view)
            if outcome.changes:
                return True
            if outcome.wake_at is None or not at < outcome.wake_at <= end:
                break
            at = outcome.wake_at
        return False

    def dump(self) -> dict[str, Any]:
        """What waits and what is remembered, for a checkpoint."""
        return {
            "work": self.work.dump(),
            "memory": [[*item, known] for item, known in self.memory.items()],
        }

    def load(self, objects: Iterable[Manifest], data: Mapping[str, Any]) -> None:
        """After a checkpoint was read; those of before actors remembered have no memory."""
        for obj in objects:
            self.objects.put(obj)
        self.work.load(data["work"])
        self.memory = {(actor, key): known for actor, key, known in data.get("memory", ())}


def _looked_at(actor: Actor, item: Item) -> tuple[str, str]:
    """Kind and key of the object that an item is about."""
    if actor.kind:
        return actor.kind, item[1]
    of, _, at = item[1].partition(" ")
    return of, at


def _reconcile(actor: Actor, obj: Manifest, view: View) -> Outcome:
    """Return the outcome of one reconcile. A refused write is tried again after a backoff.

    A defect ends this reconcile only, so that other objects are still looked at: upstream's workers recover from
    panics in the same way. Source: apimachinery/pkg/util/runtime HandleCrash.
    """
    try:
        return actor.reconcile(obj, view)
    except Refused as refused:
        return Outcome(reason=refused.message, failed=True)
    except PASSED_ON:
        raise
    except Exception as error:  # the outcome carries it to whoever reports it
        return failure_of(error)


def failure_of(error: Exception) -> Outcome:
    """Return the outcome of a reconcile that a defect of the engine ended."""
    reason = say("the engine failed: {name}: {error}", name=type(error).__name__, error=message_of(error))
    return Outcome(reason=reason, failed=True, error=error)


def _controller(obj: Manifest) -> str:
    """The kind of the controller that the object has; an empty text for none."""
    found = controller_of(obj)
    return "" if found is None else kind(found)


def _heeds(actor: Actor, of: str) -> int:
    heeded: Mapping[str, int] = getattr(actor, "heeds", {})
    return heeded.get(of, heeded.get(ANY, EVERYTHING))


def _hears(actor: Actor, of: str, controllers: Sequence[str]) -> bool:
    if actor.watches and of not in actor.watches:
        return False
    return of not in getattr(actor, "controls", ()) or "" in controllers or actor.kind in controllers
