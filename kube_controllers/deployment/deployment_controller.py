"""The Deployment controller. Source: pkg/controller/deployment/deployment_controller.go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import is_

from kube_controllers.api import Api
from kube_controllers.contract import REMOVED, Backoff, Notes, Outcome, ReconcileRequest, latest_version
from kube_controllers.controller_refs import claim_objects
from kube_controllers.deployment import util
from kube_controllers.deployment.progress import next_check
from kube_controllers.deployment.recreate import recreate_pods
from kube_controllers.deployment.rolling import roll_out
from kube_controllers.deployment.rollout import COMPONENT, Rollout
from kube_controllers.objects import View
from kube_controllers.selecting import is_empty
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    controller_of,
    generation,
    is_deleted,
    key,
    kind,
    labels,
    namespace,
    spec,
    status,
)
from kube_objects.selectors import selects


class DeploymentController:
    name = "deployment"
    kind = "Deployment"
    watches = frozenset({"Deployment", "ReplicaSet", "Pod"})
    event_filter: Mapping[str, int] = {"Pod": REMOVED}
    backoff = Backoff()

    def __init__(self) -> None:
        # Deployment versions that only wait, with their ReplicaSets. While these are the same instances, a reconcile
        # needs to check the deadline only.
        self._waiting: dict[str, tuple[Manifest, Sequence[Manifest]]] = {}

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        match kind(obj):
            case "Deployment":
                if new is None:
                    self._waiting.pop(key(obj), None)
                return (ReconcileRequest(key(obj)),)
            case "ReplicaSet":
                return _requests_for_replica_set(old, new, view)
            case "Pod" if new is None:
                return _requests_for_last_pod(obj, view)
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if self._only_waits(obj, view):
            wake_at, is_due = next_check(obj, status(obj), view.now)
            return Outcome(requeue_at=wake_at, failed=is_due)
        api, notes = Api(view), Notes()
        if is_empty(spec(obj).get("selector")):
            message = "This deployment is selecting all pods. A non-empty selector is required."
            api.emit_event(obj, "Warning", "SelectingAll", message, COMPONENT)
            api.update_status(obj, {**status(obj), "observedGeneration": generation(obj)})
            return Outcome(api.changes, message)
        replica_sets = claim_objects(obj, "ReplicaSet", api)
        rollout = Rollout(obj, replica_sets, api, notes)
        _sync_deployment(rollout)
        if rollout.only_waits:
            self._waiting[key(obj)] = rollout.deployment, replica_sets
        failed = rollout.failed or rollout.rate_limited
        return Outcome(api.changes, notes.first, rollout.requeue_at, failed)

    def _only_waits(self, obj: Manifest, view: View) -> bool:
        known, counted = self._waiting.get(key(obj), (None, ()))
        if known is not obj or util.has_timed_out(obj, status(obj), view.now):
            return False
        if view.has_orphans("ReplicaSet", namespace(obj)):
            return False  # it may have one to adopt
        owned = view.owned(obj, "ReplicaSet")
        return len(owned) == len(counted) and all(map(is_, counted, owned))


def _sync_deployment(rollout: Rollout) -> None:
    """Reconcile the Deployment: write its status only (deleted), scale it (paused or scaled), or roll it out.

    Source: syncDeployment.
    """
    deployment = rollout.deployment
    if is_deleted(deployment):
        rollout.sync_revision()
        rollout.write_status(rollout.status_now())
        return
    _check_paused(rollout)
    if spec(deployment).get("paused") or _is_scaling_event(rollout):
        rollout.sync_revision()
        rollout.scale_all()
        if spec(deployment).get("paused"):
            rollout.clean_up()
        rollout.write_status(rollout.status_now())
    elif util.is_rolling(deployment):
        roll_out(rollout)
    else:
        recreate_pods(rollout)


def _check_paused(rollout: Rollout) -> None:
    """Update the Progressing condition of a pause, so that the pause doesn't count against the deadline.

    Source: checkPausedConditions.
    """
    deployment = rollout.deployment
    progressing = condition(conditions(deployment), "Progressing")
    if util.progress_deadline(deployment) is None or (
        progressing is not None and progressing.get("reason") == util.TIMED_OUT
    ):
        return
    is_paused = bool(spec(deployment).get("paused"))
    if is_paused == (progressing is not None and progressing.get("reason") == util.PAUSED):
        return
    reason = (util.PAUSED, "Deployment is paused") if is_paused else (util.RESUMED, "Deployment is resumed")
    updated = util.new_condition("Progressing", "Unknown", *reason, rollout.view.now)
    new = {**status(deployment), "conditions": util.set_condition(conditions(deployment), updated)}
    rollout.deployment = rollout.api.update_status(deployment, new)


def _is_scaling_event(rollout: Rollout) -> bool:
    """Return whether the Deployment was scaled since its ReplicaSets were annotated. Source: isScalingEvent."""
    rollout.sync_revision()
    for replica_set in util.active_replica_sets(rollout.all):
        desired = util.annotated_number(replica_set, util.DESIRED)
        if desired is not None and desired != rollout.wanted:
            return True
    return False


def _requests_for_replica_set(old: Manifest | None, new: Manifest | None, view: View) -> list[ReconcileRequest]:
    requests = [ReconcileRequest(owner_key) for owner_key in view.controllers("Deployment", old, new)]
    if new is not None and controller_of(new) is None:
        deployments = view.of_kind("Deployment", namespace(new))
        requests += [
            ReconcileRequest(key(deployment))
            for deployment in deployments
            if selects(spec(deployment).get("selector"), labels(new))
        ]
    return requests


def _requests_for_last_pod(pod: Manifest, view: View) -> Iterator[ReconcileRequest]:
    """Yield a request for a Deployment of type Recreate whose last Pod was removed. Source: deletePod."""
    replica_set = view.controller("ReplicaSet", pod)
    deployment = None if replica_set is None else view.controller("Deployment", replica_set)
    if deployment is not None and not util.is_rolling(deployment):
        pods = (view.owned(sibling, "Pod") for sibling in view.owned(deployment, "ReplicaSet"))
        if not any(pods):
            yield ReconcileRequest(key(deployment))
