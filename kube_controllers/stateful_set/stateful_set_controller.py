"""The StatefulSet controller. Source: pkg/controller/statefulset/stateful_set.go."""

from collections.abc import Iterable, Iterator

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Notes, Outcome, ReconcileRequest, latest_version
from kube_controllers.controller_refs import adopting_controllers, claim_objects, requests_for_owners
from kube_controllers.objects import View
from kube_controllers.pods import next_availability
from kube_controllers.selecting import is_empty
from kube_controllers.stateful_set.stateful_pods import parent_and_ordinal
from kube_controllers.stateful_set.stateful_set_sync import StatefulSetSync
from kube_objects.manifests import (
    Manifest,
    key,
    kind,
    name,
    number,
    spec,
)


class StatefulSetController:
    name = "statefulset"
    kind = "StatefulSet"
    watches = frozenset({"StatefulSet", "Pod"})
    controls = frozenset({"Pod"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind:
            return (ReconcileRequest(key(obj)),)
        return _requests_for_pod(old, new, view) if kind(obj) == "Pod" else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if is_empty(spec(obj).get("selector")):
            return Outcome()
        api, notes = Api(view), Notes()
        claimed = claim_objects(obj, "Pod", api, lambda pod: parent_and_ordinal(pod)[0] == name(obj))
        sync = StatefulSetSync(obj, claimed, api, notes)
        new = sync.sync()
        wake_at = None
        if number(new.get("availableReplicas"), 0) < number(new.get("readyReplicas"), 0):
            wake_at = next_availability(claimed, sync.min_ready, view.now)
        return Outcome(api.changes, notes.first, wake_at, sync.failed)


def _requests_for_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[ReconcileRequest]:
    yield from requests_for_owners("StatefulSet", old, new, view)
    for owner in adopting_controllers("StatefulSet", old, new, view):
        if new is not None and parent_and_ordinal(new)[0] == name(owner):
            yield ReconcileRequest(key(owner))
