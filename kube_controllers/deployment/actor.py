"""The Deployment controller. Source: pkg/controller/deployment/deployment_controller.go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import is_

from kube_controllers.api import Api
from kube_controllers.claims import claim
from kube_controllers.contract import GONE, Backoff, Notes, Outcome, Wake, subject
from kube_controllers.deployment import util
from kube_controllers.deployment.progress import next_look
from kube_controllers.deployment.recreate import recreate
from kube_controllers.deployment.rolling import roll
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


class DeploymentActor:
    name = "deployment"
    kind = "Deployment"
    watches = frozenset({"Deployment", "ReplicaSet", "Pod"})
    heeds: Mapping[str, int] = {"Pod": GONE}
    backoff = Backoff()

    def __init__(self) -> None:
        # By key, the version of those that wait, and their replica sets: as long as these are the very same, only time
        # can bring anything new. Otherwise each status that is written would be followed by a whole look at nothing.
        self._waiting: dict[str, tuple[Manifest, Sequence[Manifest]]] = {}

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        match kind(obj):
            case "Deployment":
                if new is None:
                    self._waiting.pop(key(obj), None)
                return (Wake(key(obj)),)
            case "ReplicaSet":
                return _of_replica_set(old, new, view)
            case "Pod" if new is None:
                return _of_last_pod(obj, view)
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if self._waits(obj, view):
            wake_at, is_due = next_look(obj, status(obj), view.now)
            return Outcome(wake_at=wake_at, failed=is_due)
        api, notes = Api(view), Notes()
        if is_empty(spec(obj).get("selector")):
            message = "This deployment is selecting all pods. A non-empty selector is required."
            api.tell(obj, "Warning", "SelectingAll", message, COMPONENT)
            api.update_status(obj, {**status(obj), "observedGeneration": generation(obj)})
            return Outcome(api.changes, message)
        replica_sets = claim(obj, "ReplicaSet", api)
        rollout = Rollout(obj, replica_sets, api, notes)
        _sync(rollout)
        if rollout.waits:
            self._waiting[key(obj)] = rollout.deployment, replica_sets
        failed = rollout.failed or rollout.rate_limited
        return Outcome(api.changes, notes.first, rollout.wake_at, failed)

    def _waits(self, obj: Manifest, view: View) -> bool:
        known, counted = self._waiting.get(key(obj), (None, ()))
        if known is not obj or util.has_timed_out(obj, status(obj), view.now):
            return False
        if view.has_orphans("ReplicaSet", namespace(obj)):
            return False  # it may have one to adopt
        owned = view.owned(obj, "ReplicaSet")
        return len(owned) == len(counted) and all(map(is_, counted, owned))


def _sync(rollout: Rollout) -> None:
    """Source: syncDeployment."""
    deployment = rollout.deployment
    if is_deleted(deployment):
        rollout.sync_revision()
        rollout.write_status(rollout.status_now())
        return
    _note_pause(rollout)
    if spec(deployment).get("paused") or _was_scaled(rollout):
        rollout.sync_revision()
        rollout.scale_all()
        if spec(deployment).get("paused"):
            rollout.clean_up()
        rollout.write_status(rollout.status_now())
    elif util.is_rolling(deployment):
        roll(rollout)
    else:
        recreate(rollout)


def _note_pause(rollout: Rollout) -> None:
    """Source: checkPausedConditions: a pause must not count against the deadline."""
    deployment = rollout.deployment
    found = condition(conditions(deployment), "Progressing")
    if util.progress_deadline(deployment) is None or (found is not None and found.get("reason") == util.TIMED_OUT):
        return
    is_paused = bool(spec(deployment).get("paused"))
    if is_paused == (found is not None and found.get("reason") == util.PAUSED):
        return
    reason = (util.PAUSED, "Deployment is paused") if is_paused else (util.RESUMED, "Deployment is resumed")
    made = util.new_condition("Progressing", "Unknown", *reason, rollout.view.now)
    new = {**status(deployment), "conditions": util.set_condition(conditions(deployment), made)}
    rollout.deployment = rollout.api.update_status(deployment, new)


def _was_scaled(rollout: Rollout) -> bool:
    """Source: isScalingEvent."""
    rollout.sync_revision()
    for one in util.active(rollout.all):
        desired = util.annotated_number(one, util.DESIRED)
        if desired is not None and desired != rollout.wanted:
            return True
    return False


def _of_replica_set(old: Manifest | None, new: Manifest | None, view: View) -> list[Wake]:
    found = [Wake(at) for at in view.controllers("Deployment", old, new)]
    if new is not None and controller_of(new) is None:
        every = view.of_kind("Deployment", namespace(new))
        found += [Wake(key(one)) for one in every if selects(spec(one).get("selector"), labels(new))]
    return found


def _of_last_pod(pod: Manifest, view: View) -> Iterator[Wake]:
    """Recreate waits for the last old pod. Source: deletePod."""
    replica_set = view.controller("ReplicaSet", pod)
    found = None if replica_set is None else view.controller("Deployment", replica_set)
    if found is not None and not util.is_rolling(found):
        others = (view.owned(one, "Pod") for one in view.owned(found, "ReplicaSet"))
        if not any(others):
            yield Wake(key(found))
