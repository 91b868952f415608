"""Jobs that have ended go after a while. Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go."""

from collections.abc import Iterable

from scheduler_core.actors.api import Api
from scheduler_core.actors.contract import Backoff, Outcome, Wake
from scheduler_core.actors.job.control import is_finished
from scheduler_core.actors.manifests import Manifest, conditions, is_deleted, key, kind, name, parse_time, spec
from scheduler_core.actors.objects import View
from scheduler_core.sentences import say


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
