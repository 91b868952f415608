"""The StatefulSet controller. Source: pkg/controller/statefulset/stateful_set.go."""

from collections.abc import Iterable, Iterator

from scheduler_core.actors.api import Api
from scheduler_core.actors.claims import claim, owners_of_pod, would_adopt
from scheduler_core.actors.contract import Backoff, Notes, Outcome, Wake, subject
from scheduler_core.actors.manifests import (
    Manifest,
    key,
    kind,
    name,
    number,
    spec,
)
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import next_availability
from scheduler_core.actors.selecting import is_empty
from scheduler_core.actors.stateful_set.control import Control
from scheduler_core.actors.stateful_set.pods import parent_and_ordinal


class StatefulSetActor:
    name = "statefulset"
    kind = "StatefulSet"
    watches = frozenset({"StatefulSet", "Pod"})
    controls = frozenset({"Pod"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            return (Wake(key(obj)),)
        return _of_pod(old, new, view) if kind(obj) == "Pod" else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if is_empty(spec(obj).get("selector")):
            return Outcome()
        api, notes = Api(view), Notes()
        found = claim(obj, "Pod", api, lambda pod: parent_and_ordinal(pod)[0] == name(obj))
        control = Control(obj, found, api, notes)
        new = control.sync()
        wake_at = None
        if number(new.get("availableReplicas"), 0) < number(new.get("readyReplicas"), 0):
            wake_at = next_availability(found, control.min_ready, view.now)
        return Outcome(api.changes, notes.first, wake_at, control.failed)


def _of_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    yield from owners_of_pod("StatefulSet", old, new, view)
    for one in would_adopt("StatefulSet", old, new, view):
        if new is not None and parent_and_ordinal(new)[0] == name(one):
            yield Wake(key(one))
