"""Node lifecycle: a node's conditions become taints, and one whose kubelet is silent becomes unreachable.

Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go. Upstream looks at every node again and again; here
one is looked at when it changes, and when its time is over.
"""

from collections.abc import Iterable
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake
from kube_controllers.kubelet import is_silent
from kube_controllers.node_lifecycle.conditions import (
    NO_EXECUTE,
    NOT_READY,
    UNREACHABLE,
    evicting_key,
    has_taint,
    is_new,
    readiness,
    taints_of,
    unknown,
    with_conditions,
    with_evicting_taint,
    with_schedule_taints,
)
from kube_controllers.node_lifecycle.zones import turn_of
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, conditions, key, name, spec, status, with_spec
from kube_objects.sentences import say

COMPONENT = "node-controller"
# How long it may be silent: once it has reported, and before that. Source: nodelifecycle/config/v1alpha1/defaults.go.
GRACE_SECONDS, STARTUP_SECONDS = 50.0, 60.0


class NodeLifecycleActor:
    """It remembers since when a kubelet has been silent."""

    name = "node-lifecycle"
    kind = "Node"
    watches = frozenset({"Node"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None and (old is None or _relevant(old) != _relevant(new)) and _says_something(new, old):
            yield Wake(key(new))
        if old is not None and (new is None or readiness(old) != readiness(new)):
            # The state of its zone may be another one, and with it when others may be emptied.
            yield from (Wake(key(one)) for one in view.of_kind("Node") if _waits(one))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        since, wake_at = self._silence(obj, view), None
        node = obj
        if since is not None and readiness(obj) != "Unknown":
            lost_at = since + (STARTUP_SECONDS if is_new(obj) else GRACE_SECONDS)
            if lost_at <= view.now:
                node = _lost(obj, view, api)
            else:
                wake_at = lost_at
        # While a kubelet has yet to report, the taint stays: upstream's say that they are not ready when they register.
        taints = with_schedule_taints(node, view.now, also=(NOT_READY,) if is_new(node) else ())
        wanted = evicting_key(node)
        if wanted is not None and not _is_emptied(node):
            turn = turn_of(node, [node if name(one) == name(node) else one for one in view.of_kind("Node")], view.now)
            if turn is None or turn > view.now:
                wake_at = min((at for at in (wake_at, turn) if at is not None), default=None)
                wanted = None
        if readiness(node) is not None:
            taints = with_evicting_taint(taints, wanted, view.now)
        if list(taints) != list(taints_of(node)):
            node = api.update(with_spec(node, taints=list(taints)))
        return Outcome(api.changes, _why(obj, node), wake_at=wake_at, memory=since)

    def _silence(self, node: Manifest, view: View) -> float | None:
        """Since when its kubelet has been silent; None while it reports."""
        if not is_silent(node):
            return None
        return view.now if view.remembered is None else float(view.remembered)


def _relevant(node: Manifest) -> Any:
    return is_silent(node), spec(node).get("unschedulable"), taints_of(node), conditions(node)


def _says_something(new: Manifest, old: Manifest | None) -> bool:
    """Whether there can be anything to do: nodes that are well and always were are left alone."""
    return old is not None or bool(
        taints_of(new) or conditions(new) or is_silent(new) or spec(new).get("unschedulable")
    )


def _is_emptied(node: Manifest) -> bool:
    return has_taint(node, NOT_READY, NO_EXECUTE) or has_taint(node, UNREACHABLE, NO_EXECUTE)


def _waits(node: Manifest) -> bool:
    return evicting_key(node) is not None and not _is_emptied(node)


def _lost(node: Manifest, view: View, api: Api) -> Manifest:
    """Nothing is known of it any longer; its pods count as not ready. Source: MarkPodsNotReady."""
    was_ready = readiness(node) == "True" or (readiness(node) is None and not is_new(node))
    lost = api.update_status(node, with_conditions(node, unknown(node, view.now)))
    if was_ready:
        api.tell(lost, "Normal", "NodeNotReady", f"Node {name(node)} status is now: NodeNotReady", COMPONENT)
        for pod in view.pods_on(name(node)):
            if is_ready(pod):
                changed = with_condition(pod, "Ready", "False", "", "", view.now)
                api.update_status(pod, status(changed))
                api.tell(pod, "Warning", "NodeNotReady", "Node is not ready", COMPONENT)
    return lost


def _why(before: Manifest, after: Manifest) -> str:
    if readiness(before) != readiness(after):
        return say("Node {node} has not been heard of for too long: nothing is known of it", node=name(after))
    if readiness(after) in (None, "True"):
        return say("Node {node} has the taints that its conditions ask for", node=name(after))
    return say("Node {node} is not ready: its taints say so", node=name(after))
