"""The StatefulSet controller. Source: pkg/controller/statefulset/stateful_set.go."""

from collections.abc import Iterable, Iterator

from kube_controllers.api import Api
from kube_controllers.claims import claim, owners_of_pod, would_adopt
from kube_controllers.contract import Backoff, Notes, Outcome, Wake, subject
from kube_controllers.objects import View
from kube_controllers.pods import next_availability
from kube_controllers.selecting import is_empty
from kube_controllers.stateful_set.control import Control
from kube_controllers.stateful_set.pods import parent_and_ordinal
from kube_objects.manifests import (
    Manifest,
    key,
    kind,
    name,
    number,
    spec,
)


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
