"""A pod that was to be disrupted and is there still: after two minutes nobody says so any more.

Source: pkg/controller/disruption/disruption.go syncStalePodDisruption.
"""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import CAME, OTHER, Backoff, Outcome, Wake
from kube_controllers.disruption.actor import DELETION_SECONDS
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, condition, conditions, is_deleted, key, name, parse_time
from kube_objects.sentences import say

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
