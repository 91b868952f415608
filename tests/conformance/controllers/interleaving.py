"""Controllers with the interleaving of the recorded ones, which ran at the same time."""

from collections.abc import Sequence
from dataclasses import replace

from kube_controllers.contract import Change, Outcome, PutObject, RemoveObject
from kube_controllers.objects import View
from kube_controllers.persistent_volume.persistent_volume_controller import VOLUME, VolumeBindingController
from kube_controllers.stateful_set.stateful_set_controller import StatefulSetController
from kube_controllers.work_queue import Item, WorkQueue
from kube_objects.manifests import Manifest, is_deleted, kind, spec, status, uid

_A_WRITE_TAKES = 0.01  # seconds


# Who hears of a change before the other one has written what it makes of it.
_BEFORE = {"deployment": "replicaset", "pvc-protection": "persistentvolume-binder"}


class SideBySide(WorkQueue):
    """A work queue in which the ReplicaSet controller sees a request before the Deployment withdraws it.

    In the recording both receive the event at once; here one must be first.
    """

    def pop_ready(self, now: float) -> Item | None:
        found = super().pop_ready(now)
        if found is None or found[0] not in _BEFORE:
            return found
        first = next((item for item in self._ready if item[0] == _BEFORE[found[0]]), None)
        if first is None:
            return found
        self._ready[found] = None
        self._ready.move_to_end(found, last=False)
        del self._ready[first]
        return first


class Overtaken(StatefulSetController):
    """A StatefulSet controller that sets the owners of claims before it deletes their Pods.

    The scheduler receives such a claim when it is written, and tries the Pod that waits for it once more.
    """

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        outcome = super().reconcile(obj, view)
        has_claim = False
        for at, change in enumerate(outcome.changes):
            if has_claim and _ends_a_pod(change):
                written = outcome.changes[:at]
                return replace(outcome, changes=written, requeue_at=view.now + _A_WRITE_TAKES, failed=False)
            has_claim = has_claim or _is_claim(change, view)
        return outcome


class Unhurried(VolumeBindingController):
    """A binder that writes the volume's claim, then the volume's phase, and then the claim.

    The scheduler receives each of these writes, and tries the Pod that waits for the claim once more.
    """

    def __init__(self) -> None:
        super().__init__(provisions=False)
        self._writes_until: dict[str, float] = {}  # by the uid of the claim

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        until = self._writes_until.get(uid(obj), 0.0)
        if view.now < until:
            return Outcome(requeue_at=until)
        outcome = super().reconcile(obj, view)
        for change in outcome.changes:
            before = view.get(*change.at) if isinstance(change, PutObject) and change.at[0] == VOLUME else None
            if isinstance(change, PutObject) and before is not None:
                first = self._first_of(change, before, is_heard=bool(until))
                if first is not None:
                    until = self._writes_until[uid(obj)] = view.now + _A_WRITE_TAKES
                    return replace(outcome, changes=first, requeue_at=until)
        return outcome

    def _first_of(self, change: PutObject, before: Manifest, is_heard: bool) -> Sequence[Change] | None:
        """Return the first of the volume's writes; None if nothing is left to write."""
        if not is_heard:
            return ()
        if not (spec(before).get("claimRef") or {}).get("uid"):
            return (PutObject({**change.obj, "status": status(before)}, change.at),)
        return (change,) if status(before) != status(change.obj) else None


def _ends_a_pod(change: object) -> bool:
    return (
        isinstance(change, PutObject | RemoveObject)
        and kind(change.obj) == "Pod"
        and (isinstance(change, RemoveObject) or is_deleted(change.obj))
    )


def _is_claim(change: object, view: View) -> bool:
    """Return True if a claim that existed before is updated."""
    if not isinstance(change, PutObject) or change.at[0] != "PersistentVolumeClaim":
        return False
    return view.get(*change.at) is not None and not is_deleted(change.obj)
