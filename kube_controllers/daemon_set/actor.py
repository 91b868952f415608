"""The DaemonSet controller. Source: pkg/controller/daemon/daemon_controller.go."""

from collections.abc import Iterable, Iterator

from kube_controllers.api import Api
from kube_controllers.claims import claim, owners_of_pod, would_adopt
from kube_controllers.contract import Backoff, Notes, Outcome, Wake, subject
from kube_controllers.daemon_set import nodes
from kube_controllers.daemon_set.control import COMPONENT, Control, KnownFits
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


class DaemonSetActor:
    name = "daemonset"
    kind = "DaemonSet"
    watches = frozenset({"DaemonSet", "Pod", "Node"})
    controls = frozenset({"Pod"})
    backoff = Backoff()

    def __init__(self) -> None:
        self._known_fits = KnownFits()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        match kind(obj):
            case "DaemonSet":
                return (Wake(key(obj)),)
            case "Pod":
                return _of_pod(old, new, view)
            case "Node":
                return _of_node(old, new, view)
        return ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api, notes = Api(view), Notes()
        if is_empty(spec(obj).get("selector")):
            message = "This daemon set is selecting all pods. A non-empty selector is required."
            api.tell(obj, "Warning", "SelectingAll", message, COMPONENT)
            return Outcome(api.changes, message)
        if is_deleted(obj):
            return Outcome()
        control = Control(obj, claim(obj, "Pod", api), api, notes, self._known_fits)
        new = control.sync()
        wake_at = control.wake_at
        if control.min_ready > 0 and new["numberReady"] != new.get("numberAvailable", 0):
            available_at = view.now + control.min_ready
            wake_at = available_at if wake_at is None else min(wake_at, available_at)
        return Outcome(api.changes, notes.first, wake_at, control.failed, control.setbacks or None)


def _of_pod(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    """Source: updatePod: one that became ready is looked at again when it is available, and a second after that."""
    yield from owners_of_pod("DaemonSet", old, new, view)
    if old is not None and new is not None and is_ready(new) and not is_ready(old):
        owner = view.controller("DaemonSet", new)
        if owner is not None and (seconds := nodes.min_ready(owner)) > 0:
            yield Wake(key(owner), seconds + 1.0)
    yield from (Wake(key(one)) for one in would_adopt("DaemonSet", old, new, view))


def _of_node(old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
    """Source: addNode, syncNodeUpdate. A node that goes wakes nobody; cordons are tolerated anyway."""
    if new is None or (old is not None and _seen(old) == _seen(new)):
        return
    daemons = {str(reference["uid"]) for pod in view.pods_on(name(new)) if (reference := controller_of(pod))}
    for one in view.of_kind("DaemonSet"):
        should_run, may_stay = nodes.fits(nodes.daemon_pod(one), new)
        has_pod = uid(one) in daemons
        misplaced = number(status(one).get("numberMisscheduled"), 0) > 0
        if (should_run and not has_pod) or (has_pod and (not may_stay or misplaced)):
            yield Wake(key(one))


def _seen(node: Manifest) -> tuple[object, ...]:
    return labels(node), spec(node).get("taints")
