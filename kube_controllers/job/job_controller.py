"""The Job controller. Source: pkg/controller/job/job_controller.go."""

from collections.abc import Iterable, Iterator, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import FINALIZERS, Backoff, Notes, Outcome, ReconcileRequest, latest_version
from kube_controllers.controller_refs import claim_objects
from kube_controllers.job.job_sync import JobSync, is_finished
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

# Changes of Pods and statuses within this time are reconciled together. Source: SyncJobBatchPeriod.
BATCH_SECONDS = 1.0
_MANAGED_BY = "kubernetes.io/job-controller"


class JobController:
    name = "job"
    kind = "Job"
    watches = frozenset({"Job", "Pod"})
    controls = frozenset({"Pod"})
    backoff = Backoff(1.0, 60.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind:
            return (ReconcileRequest(key(obj), BATCH_SECONDS if _has_same_generation(old, new) else 0.0),)
        return _requests_for_pod(old, new, view) if kind(obj) == "Pod" else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if is_finished(obj) or spec(obj).get("managedBy") not in (None, _MANAGED_BY):
            return Outcome(memory=None)
        api, notes = Api(view), Notes()
        sync = JobSync(obj, claim_objects(obj, "Pod", api, finalizer=FINALIZER), api, notes)
        sync.sync()
        if sync.refused:
            # Nothing was counted or stored in memory, so the whole reconcile is tried again, as upstream does.
            return Outcome(api.changes, notes.first, sync.requeue_at, failed=True)
        if sync.is_halfway:
            halfway = [*sync.backoff, sync.failed]
            return Outcome(api.changes, notes.first, sync.requeue_at, memory=halfway, is_partial=True)
        return Outcome(api.changes, notes.first, sync.requeue_at, sync.failed, list(sync.backoff))


class OrphanPodController:
    """The controller that removes the tracking finalizer from Pods without an active Job. Source: syncOrphanPod."""

    name = "job-orphans"
    kind = "Pod"
    watches = frozenset({"Job", "Pod"})
    event_filter: Mapping[str, int] = {"Pod": FINALIZERS}
    backoff = Backoff(1.0, 60.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == "Pod":
            if new is not None and FINALIZER in finalizers(new) and view.controller("Job", new) is None:
                yield ReconcileRequest(key(new))
        elif kind(obj) == "Job" and (new is None or is_finished(new)):
            yield from (ReconcileRequest(key(pod)) for pod in view.owned(obj, "Pod") if FINALIZER in finalizers(pod))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        job = view.controller("Job", obj)
        if FINALIZER not in finalizers(obj) or (job is not None and not is_finished(job)):
            return Outcome()
        api = Api(view)
        api.update(without_finalizer(obj, FINALIZER))
        return Outcome(api.changes)


def _has_same_generation(old: Manifest | None, new: Manifest | None) -> bool:
    """Return whether only the status changed, which more changes of Pods usually follow. Source: updateJob."""
    return old is not None and new is not None and generation(old) == generation(new)


def _requests_for_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[ReconcileRequest]:
    owners = {
        key(found): None
        for version in (old, new)
        if version is not None and (found := view.controller("Job", version)) is not None
    }
    yield from (ReconcileRequest(owner, BATCH_SECONDS) for owner in owners)
    if new is not None and controller_of(new) is None and (old is None or labels(old) != labels(new)):
        for job in view.of_kind("Job", namespace(new)):
            if selects(spec(job).get("selector"), labels(new)):
                yield ReconcileRequest(key(job), BATCH_SECONDS)
