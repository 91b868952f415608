"""Jobs that have ended go after a while. Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go."""

from collections.abc import Iterable

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake
from kube_controllers.job.control import is_finished
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, conditions, is_deleted, key, kind, name, parse_time, spec
from kube_objects.sentences import say


class TtlAfterFinishedActor:
    name = "ttl-after-finished"
    kind = "Job"
    watches = frozenset({"Job"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is None or kind(new) != self.kind or is_deleted(new):
            return
        if spec(new).get("ttlSecondsAfterFinished") is not None and is_finished(new):
            yield Wake(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        seconds = spec(obj).get("ttlSecondsAfterFinished")
        if seconds is None or is_deleted(obj) or not is_finished(obj):
            return Outcome()
        ends = [one for one in conditions(obj) if one["type"] in ("Complete", "Failed") and one["status"] == "True"]
        at = (parse_time(ends[0].get("lastTransitionTime")) or view.now) + float(seconds)
        if at > view.now:
            return Outcome(wake_at=at)
        api = Api(view)
        api.delete(obj, "Foreground")
        return Outcome(
            api.changes, say("Job {name} ended {seconds} seconds ago: it goes", name=name(obj), seconds=seconds)
        )
