"""The controller that deletes finished Jobs after `ttlSecondsAfterFinished`. Source:
pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
"""

from collections.abc import Iterable

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.job.job_sync import is_finished
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, conditions, is_deleted, key, kind, name, parse_time, spec
from kube_objects.sentences import say


class TtlAfterFinishedController:
    name = "ttl-after-finished"
    kind = "Job"
    watches = frozenset({"Job"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is None or kind(new) != self.kind or is_deleted(new):
            return
        if spec(new).get("ttlSecondsAfterFinished") is not None and is_finished(new):
            yield ReconcileRequest(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        seconds = spec(obj).get("ttlSecondsAfterFinished")
        if seconds is None or is_deleted(obj) or not is_finished(obj):
            return Outcome()
        ends = [
            condition
            for condition in conditions(obj)
            if condition["type"] in ("Complete", "Failed") and condition["status"] == "True"
        ]
        expires = (parse_time(ends[0].get("lastTransitionTime")) or view.now) + float(seconds)
        if expires > view.now:
            return Outcome(requeue_at=expires)
        api = Api(view)
        api.delete(obj, "Foreground")
        return Outcome(
            api.changes, say("Job {name} ended {seconds} seconds ago: deleted", name=name(obj), seconds=seconds)
        )
