"""The Job controller. Source: pkg/controller/job/job_controller.go."""

from collections.abc import Iterable, Iterator, Mapping

from kube_controllers.api import Api
from kube_controllers.claims import claim
from kube_controllers.contract import FINALIZERS, Backoff, Notes, Outcome, Wake, subject
from kube_controllers.job.control import Control, is_finished
from kube_controllers.job.per_index import FINALIZER
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    controller_of,
    finalizers,
    generation,
    key,
    kind,
    labels,
    namespace,
    spec,
    without_finalizer,
)
from kube_objects.selectors import selects

# Changes of pods and of statuses are gathered for a while. Source: SyncJobBatchPeriod.
BATCH_SECONDS = 1.0
_OURS = "kubernetes.io/job-controller"


class JobActor:
    name = "job"
    kind = "Job"
    watches = frozenset({"Job", "Pod"})
    controls = frozenset({"Pod"})
    backoff = Backoff(1.0, 60.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            return (Wake(key(obj), BATCH_SECONDS if _asks_the_same(old, new) else 0.0),)
        return _of_pod(old, new, view) if kind(obj) == "Pod" else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if is_finished(obj) or spec(obj).get("managedBy") not in (None, _OURS):
            return Outcome(memory=None)
        api, notes = Api(view), Notes()
        control = Control(obj, claim(obj, "Pod", api, finalizer=FINALIZER), api, notes)
        control.sync()
        if control.refused:
            # Nothing is counted yet, nor remembered: all of it is tried again. So upstream, whatever it waits for.
            return Outcome(api.changes, notes.first, control.wake_at, failed=True)
        if control.is_halfway:
            halfway = [*control.setback, control.failed]
            return Outcome(api.changes, notes.first, control.wake_at, memory=halfway, goes_on=True)
        return Outcome(api.changes, notes.first, control.wake_at, control.failed, list(control.setback))


class OrphanPodActor:
    """Pods that no job counts any more are let go. Source: syncOrphanPod."""

    name = "job-orphans"
    kind = "Pod"
    watches = frozenset({"Job", "Pod"})
    heeds: Mapping[str, int] = {"Pod": FINALIZERS}
    backoff = Backoff(1.0, 60.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == "Pod":
            if new is not None and FINALIZER in finalizers(new) and view.controller("Job", new) is None:
                yield Wake(key(new))
        elif kind(obj) == "Job" and (new is None or is_finished(new)):
            yield from (Wake(key(pod)) for pod in view.owned(obj, "Pod") if FINALIZER in finalizers(pod))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        job = view.controller("Job", obj)
        if FINALIZER not in finalizers(obj) or (job is not None and not is_finished(job)):
            return Outcome()
        api = Api(view)
        api.update(without_finalizer(obj, FINALIZER))
        return Outcome(api.changes)


def _asks_the_same(old: Manifest | None, new: Manifest | None) -> bool:
    """Source: updateJob: what is new comes of its pods, mostly, more of which may change."""
    return old is not None and new is not None and generation(old) == generation(new)


def _of_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    owners = {
        key(found): None for one in (old, new) if one is not None and (found := view.controller("Job", one)) is not None
    }
    yield from (Wake(found, BATCH_SECONDS) for found in owners)
    if new is not None and controller_of(new) is None and (old is None or labels(old) != labels(new)):
        for one in view.of_kind("Job", namespace(new)):
            if selects(spec(one).get("selector"), labels(new)):
                yield Wake(key(one), BATCH_SECONDS)
