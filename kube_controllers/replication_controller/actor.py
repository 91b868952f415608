"""The ReplicationController controller: that of replica sets. Source: pkg/controller/replication/conversion.go."""

from dataclasses import replace

from kube_controllers.contract import Change, Outcome, Put
from kube_controllers.objects import View
from kube_controllers.replica_set.actor import ReplicaSetActor
from kube_controllers.selecting import Selector
from kube_objects.manifests import Manifest, spec, status, with_spec, with_status


class ReplicationControllerActor(ReplicaSetActor):
    name = "replicationcontroller"
    kind = "ReplicationController"
    watches = frozenset({"ReplicationController", "Pod"})

    def selector(self, obj: Manifest) -> Selector | None:
        """Its selector is a map of labels; without one those of its template are meant."""
        template = (spec(obj).get("template") or {}).get("metadata") or {}
        wanted = spec(obj).get("selector") or template.get("labels")
        return {"matchLabels": wanted} if wanted else None

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        outcome = super().reconcile(with_spec(obj, selector=self.selector(obj)), view)
        changes = [_without_terminating(change) for change in outcome.changes]
        return replace(outcome, changes=[change for change in changes if not _is_same_status(change, obj)])


def _without_terminating(change: Change) -> Change:
    """Its status does not tell of pods that are going."""
    if not isinstance(change, Put) or change.at[0] != ReplicationControllerActor.kind:
        return change
    fields = {field: value for field, value in status(change.obj).items() if field != "terminatingReplicas"}
    return Put(with_status(change.obj, fields), change.at)


def _is_same_status(change: Change, obj: Manifest) -> bool:
    """Without that there may be nothing to write."""
    if not isinstance(change, Put) or change.at[0] != ReplicationControllerActor.kind:
        return False
    return status(change.obj) == status(obj)
