"""A controller that resets a DisruptionTarget condition when the Pod still exists after two minutes.

Source: pkg/controller/disruption/disruption.go syncStalePodDisruption.
"""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import ADDED, OTHER, Backoff, Outcome, ReconcileRequest
from kube_controllers.disruption.disruption_controller import DELETION_SECONDS
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, condition, conditions, is_deleted, key, name, parse_time
from kube_objects.sentences import say

TARGET = "DisruptionTarget"
# A kubelet's termination has no time limit.
_BY_KUBELET = "TerminationByKubelet"


class StaleDisruptionController:
    name = "stale-disruption"
    kind = "Pod"
    watches = frozenset({"Pod"})
    event_filter: Mapping[str, int] = {"Pod": ADDED | OTHER}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        return () if new is None or _stale_condition(new) is None else (ReconcileRequest(key(new)),)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        stale = _stale_condition(obj)
        if stale is None:
            return Outcome()
        until = (parse_time(stale.get("lastTransitionTime")) or 0.0) + DELETION_SECONDS
        if until > view.now:
            return Outcome(requeue_at=until)
        api = Api(view)
        api.update_status(obj, with_condition(obj, TARGET, "False", "", "", view.now)["status"])
        return Outcome(api.changes, say("The disruption of Pod {pod} did not happen", pod=name(obj)))


def _stale_condition(pod: Manifest) -> Manifest | None:
    """Return the disruption condition of a Pod that is not deleted. Source:
    nonTerminatingPodHasStaleDisruptionCondition.
    """
    target = condition(conditions(pod), TARGET)
    if target is None or target.get("status") != "True" or target.get("reason") == _BY_KUBELET:
        return None
    return None if is_deleted(pod) or is_finished(pod) else target
