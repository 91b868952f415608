"""A pod that was to be disrupted and is there still: after two minutes nobody says so any more.

Source: pkg/controller/disruption/disruption.go syncStalePodDisruption.
"""

from collections.abc import Iterable, Mapping

from scheduler_core.actors.api import Api
from scheduler_core.actors.contract import CAME, OTHER, Backoff, Outcome, Wake
from scheduler_core.actors.disruption.actor import DELETION_SECONDS
from scheduler_core.actors.manifests import Manifest, condition, conditions, is_deleted, key, name, parse_time
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import is_finished
from scheduler_core.actors.statuses import with_condition
from scheduler_core.sentences import say

TARGET = "DisruptionTarget"
# Its kubelet may take as long as it likes to end it.
_BY_KUBELET = "TerminationByKubelet"


class StaleDisruptionActor:
    name = "stale-disruption"
    kind = "Pod"
    watches = frozenset({"Pod"})
    heeds: Mapping[str, int] = {"Pod": CAME | OTHER}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        return () if new is None or _stale(new) is None else (Wake(key(new)),)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        found = _stale(obj)
        if found is None:
            return Outcome()
        until = (parse_time(found.get("lastTransitionTime")) or 0.0) + DELETION_SECONDS
        if until > view.now:
            return Outcome(wake_at=until)
        api = Api(view)
        api.update_status(obj, with_condition(obj, TARGET, "False", "", "", view.now)["status"])
        return Outcome(api.changes, say("Pod {pod} was to be disrupted, and is there still", pod=name(obj)))


def _stale(pod: Manifest) -> Manifest | None:
    """What is said of one that nobody has deleted. Source: nonTerminatingPodHasStaleDisruptionCondition."""
    found = condition(conditions(pod), TARGET)
    if found is None or found.get("status") != "True" or found.get("reason") == _BY_KUBELET:
        return None
    return None if is_deleted(pod) or is_finished(pod) else found
