"""The ReplicationController controller, an adapter of the ReplicaSet controller. Source:
pkg/controller/replication/conversion.go.
"""

from dataclasses import replace

from kube_controllers.contract import Change, Outcome, PutObject
from kube_controllers.objects import View
from kube_controllers.replica_set.replica_set_controller import ReplicaSetController
from kube_controllers.selecting import Selector
from kube_objects.manifests import Manifest, spec, status, with_spec, with_status


class ReplicationControllerController(ReplicaSetController):
    name = "replicationcontroller"
    kind = "ReplicationController"
    watches = frozenset({"ReplicationController", "Pod"})

    def selector(self, obj: Manifest) -> Selector | None:
        """Return the map of labels as a selector; by default the labels of the template."""
        template = (spec(obj).get("template") or {}).get("metadata") or {}
        wanted = spec(obj).get("selector") or template.get("labels")
        return {"matchLabels": wanted} if wanted else None

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        outcome = super().reconcile(with_spec(obj, selector=self.selector(obj)), view)
        changes = [_without_terminating(change) for change in outcome.changes]
        return replace(outcome, changes=[change for change in changes if not _is_same_status(change, obj)])


def _without_terminating(change: Change) -> Change:
    """Return a status write without `terminatingReplicas`, which ReplicationControllers don't have."""
    if not isinstance(change, PutObject) or change.at[0] != ReplicationControllerController.kind:
        return change
    fields = {field: value for field, value in status(change.obj).items() if field != "terminatingReplicas"}
    return PutObject(with_status(change.obj, fields), change.at)


def _is_same_status(change: Change, obj: Manifest) -> bool:
    """Return whether the change writes the stored status again."""
    if not isinstance(change, PutObject) or change.at[0] != ReplicationControllerController.kind:
        return False
    return status(change.obj) == status(obj)
