"""The node lifecycle controller: it turns conditions into taints, and marks Nodes without heartbeats unreachable.

Upstream checks all Nodes periodically; here a Node is checked when it changes and when a deadline passes. Source:
pkg/controller/nodelifecycle/node_lifecycle_controller.go.
"""

from collections.abc import Iterable
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.kubelet import is_silent
from kube_controllers.node_lifecycle.node_conditions import (
    NO_EXECUTE,
    NOT_READY,
    UNREACHABLE,
    evicting_key,
    has_taint,
    is_new,
    readiness,
    taints_of,
    unknown_conditions,
    with_conditions,
    with_evicting_taint,
    with_schedule_taints,
)
from kube_controllers.node_lifecycle.zones import eviction_time
from kube_controllers.objects import View
from kube_controllers.pods import is_ready
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, conditions, key, name, spec, status, with_spec
from kube_objects.sentences import say

COMPONENT = "node-controller"
# Seconds without a report: for a Node that has reported, and for a new one.
# Source: nodelifecycle/config/v1alpha1/defaults.go.
GRACE_SECONDS, STARTUP_SECONDS = 50.0, 60.0


class NodeLifecycleController:
    """The node lifecycle controller. Its memory is the time since which the kubelet is silent."""

    name = "node-lifecycle"
    kind = "Node"
    watches = frozenset({"Node"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None and (old is None or _relevant(old) != _relevant(new)) and _may_need_taints(new, old):
            yield ReconcileRequest(key(new))
        if old is not None and (new is None or readiness(old) != readiness(new)):
            # The state of the zone may have changed, and with it the eviction times of its Nodes.
            yield from (ReconcileRequest(key(node)) for node in view.of_kind("Node") if _awaits_eviction(node))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        since, wake_at = self._silent_since(obj, view), None
        node = obj
        if since is not None and readiness(obj) != "Unknown":
            lost_at = since + (STARTUP_SECONDS if is_new(obj) else GRACE_SECONDS)
            if lost_at <= view.now:
                node = _mark_unreachable(obj, view, api)
            else:
                wake_at = lost_at
        # A new Node keeps the taint until its kubelet reports; real kubelets register as not ready.
        taints = with_schedule_taints(node, view.now, also=(NOT_READY,) if is_new(node) else ())
        wanted = evicting_key(node)
        if wanted is not None and not _has_evicting_taint(node):
            evict_at = eviction_time(
                node, [node if name(other) == name(node) else other for other in view.of_kind("Node")], view.now
            )
            if evict_at is None or evict_at > view.now:
                wake_at = min((time for time in (wake_at, evict_at) if time is not None), default=None)
                wanted = None
        if readiness(node) is not None:
            taints = with_evicting_taint(taints, wanted, view.now)
        if list(taints) != list(taints_of(node)):
            node = api.update(with_spec(node, taints=list(taints)))
        return Outcome(api.changes, _reason(obj, node), requeue_at=wake_at, memory=since)

    def _silent_since(self, node: Manifest, view: View) -> float | None:
        """Return the time since which the kubelet is silent; None while it reports."""
        if not is_silent(node):
            return None
        return view.now if view.remembered is None else float(view.remembered)


def _relevant(node: Manifest) -> Any:
    return is_silent(node), spec(node).get("unschedulable"), taints_of(node), conditions(node)


def _may_need_taints(new: Manifest, old: Manifest | None) -> bool:
    """Return whether there may be anything to do. New Nodes without conditions and taints need nothing."""
    return old is not None or bool(
        taints_of(new) or conditions(new) or is_silent(new) or spec(new).get("unschedulable")
    )


def _has_evicting_taint(node: Manifest) -> bool:
    return has_taint(node, NOT_READY, NO_EXECUTE) or has_taint(node, UNREACHABLE, NO_EXECUTE)


def _awaits_eviction(node: Manifest) -> bool:
    return evicting_key(node) is not None and not _has_evicting_taint(node)


def _mark_unreachable(node: Manifest, view: View, api: Api) -> Manifest:
    """Set the Node's conditions to Unknown and its Pods to not ready. Source: MarkPodsNotReady."""
    was_ready = readiness(node) == "True" or (readiness(node) is None and not is_new(node))
    lost = api.update_status(node, with_conditions(node, unknown_conditions(node, view.now)))
    if was_ready:
        api.emit_event(lost, "Normal", "NodeNotReady", f"Node {name(node)} status is now: NodeNotReady", COMPONENT)
        for pod in view.pods_on(name(node)):
            if is_ready(pod):
                changed = with_condition(pod, "Ready", "False", "", "", view.now)
                api.update_status(pod, status(changed))
                api.emit_event(pod, "Warning", "NodeNotReady", "Node is not ready", COMPONENT)
    return lost


def _reason(before: Manifest, after: Manifest) -> str:
    if readiness(before) != readiness(after):
        return say("Node {node} has not reported for too long: its state is unknown", node=name(after))
    if readiness(after) in (None, "True"):
        return say("Node {node}: taints match its conditions", node=name(after))
    return say("Node {node} is not ready: taints added", node=name(after))
