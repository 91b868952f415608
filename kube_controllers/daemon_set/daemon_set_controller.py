"""The DaemonSet controller. Source: pkg/controller/daemon/daemon_controller.go."""

from collections.abc import Iterable, Iterator

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Notes, Outcome, ReconcileRequest, latest_version
from kube_controllers.controller_refs import adopting_controllers, claim_objects, requests_for_owners
from kube_controllers.daemon_set import nodes
from kube_controllers.daemon_set.daemon_set_sync import COMPONENT, DaemonSetSync, NodeFitCache
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_controllers.selecting import is_empty
from kube_objects.manifests import (
    Manifest,
    controller_of,
    is_deleted,
    key,
    kind,
    labels,
    name,
    number,
    spec,
    status,
    uid,
)


class DaemonSetController:
    name = "daemonset"
    kind = "DaemonSet"
    watches = frozenset({"DaemonSet", "Pod", "Node"})
    controls = frozenset({"Pod"})
    backoff = Backoff()

    def __init__(self) -> None:
        self._known_fits = NodeFitCache()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        match kind(obj):
            case "DaemonSet":
                return (ReconcileRequest(key(obj)),)
            case "Pod":
                return _requests_for_pod(old, new, view)
            case "Node":
                return _requests_for_node(old, new, view)
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api, notes = Api(view), Notes()
        if is_empty(spec(obj).get("selector")):
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            api.emit_event(obj, "Warning", "SelectingAll", message, COMPONENT)
            return Outcome(api.changes, message)
        if is_deleted(obj):
            return Outcome()
        sync = DaemonSetSync(obj, claim_objects(obj, "Pod", api), api, notes, self._known_fits)
        new = sync.sync()
        wake_at = sync.requeue_at
        if sync.min_ready > 0 and new["numberReady"] != new.get("numberAvailable", 0):
            available_at = view.now + sync.min_ready
            wake_at = available_at if wake_at is None else min(wake_at, available_at)
        return Outcome(api.changes, notes.first, wake_at, sync.failed, sync.backoffs or None)


def _requests_for_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[ReconcileRequest]:
    """Yield requests for the Pod's DaemonSets. One whose Pod became ready is reconciled again when the Pod is
    available.

    Source: updatePod, which adds a second.
    """
    yield from requests_for_owners("DaemonSet", old, new, view)
    if old is not None and new is not None and is_ready(new) and not is_ready(old):
        owner = view.controller("DaemonSet", new)
        if owner is not None and (seconds := nodes.min_ready(owner)) > 0:
            yield ReconcileRequest(key(owner), seconds + 1.0)
    yield from (ReconcileRequest(key(daemon_set)) for daemon_set in adopting_controllers("DaemonSet", old, new, view))


def _requests_for_node(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[ReconcileRequest]:
    """Yield requests for the DaemonSets that a Node's change affects. Source: addNode, syncNodeUpdate.

    A removed Node affects none, and all daemons tolerate cordons.
    """
    if new is None or (old is not None and _scheduling_fields(old) == _scheduling_fields(new)):
        return
    owner_uids = {str(reference["uid"]) for pod in view.pods_on(name(new)) if (reference := controller_of(pod))}
    for daemon_set in view.of_kind("DaemonSet"):
        should_run, may_stay = nodes.fits_node(nodes.daemon_pod(daemon_set), new)
        has_pod = uid(daemon_set) in owner_uids
        misplaced = number(status(daemon_set).get("numberMisscheduled"), 0) > 0
        if (should_run and not has_pod) or (has_pod and (not may_stay or misplaced)):
            yield ReconcileRequest(key(daemon_set))


def _scheduling_fields(node: Manifest) -> tuple[object, ...]:
    return labels(node), spec(node).get("taints")
