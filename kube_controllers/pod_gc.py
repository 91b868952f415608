"""The Pod garbage collector, which deletes Pods of removed Nodes. Source: pkg/controller/podgc/gc_controller.go."""

from collections.abc import Iterable

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.objects import View
from kube_controllers.pods import is_finished, node_of
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, key, kind, name, status, with_status
from kube_objects.sentences import say

# The Node may be created again within this time. Source: quarantineTime.
QUARANTINE_SECONDS = 40.0


class PodGcController:
    name = "pod-gc"
    kind = "Pod"
    watches = frozenset({"Node"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is None and old is not None and kind(old) == "Node":
            yield from (ReconcileRequest(key(pod), QUARANTINE_SECONDS) for pod in view.pods_on(name(old)))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: gcOrphaned."""
        if not node_of(obj) or view.get("Node", node_of(obj)) is not None:
            return Outcome()
        api = Api(view)
        message = "PodGC: node no longer exists"
        changed = with_condition(obj, "DisruptionTarget", "True", "DeletionByPodGC", message, view.now)
        if not is_finished(obj):
            changed = with_status(changed, {**status(changed), "phase": "Failed"})
        api.delete(api.update_status(obj, status(changed)), grace=0)
        return Outcome(
            api.changes, say("Pod {pod} is deleted: its node {node} no longer exists", pod=name(obj), node=node_of(obj))
        )
