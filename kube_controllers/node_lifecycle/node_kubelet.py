"""The kubelet's reports of its Node: it becomes ready after a while, and reports again after silence.

Heartbeats are not written. Source: pkg/kubelet/nodestatus/setters.go.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.kubelet import START, START_SECONDS, is_silent, seconds_of
from kube_controllers.node_lifecycle.node_conditions import READY, is_new, readiness
from kube_controllers.objects import View
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, condition, conditions, key, name, status
from kube_objects.sentences import say

# The conditions of a healthy Node: status, reason, message.
_HEALTHY: Mapping[str, tuple[str, str, str]] = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    READY: ("True", "KubeletReady", "kubelet is posting ready status"),
}


class NodeKubeletController:
    """The kubelet's Node status. Its memory is `{"new": since}` while the Node starts and `{"silent": since}` while it
    is silent.
    """

    name = "node-kubelet"
    kind = "Node"
    watches = frozenset({"Node"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None and (is_new(new) or is_silent(new) or (old is not None and is_silent(old))):
            yield ReconcileRequest(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        known: Mapping[str, Any] = view.remembered or {}
        if is_silent(obj):
            return Outcome(memory={"silent": known.get("silent", view.now)})
        if "silent" in known:
            return _report_healthy(obj, view, say("The kubelet of node {node} reports again", node=name(obj)))
        if not is_new(obj):
            return Outcome(memory=None)
        since = float(known.get("new", view.now))
        ready_at = since + seconds_of(obj, START, START_SECONDS)
        if ready_at > view.now:
            return Outcome(requeue_at=ready_at, memory={"new": since})
        return _report_healthy(obj, view, say("The kubelet of node {node} reports ready", node=name(obj)))


def _report_healthy(node: Manifest, view: View, reason: str) -> Outcome:
    """Set missing and unknown conditions to healthy; other conditions stay."""
    updated: Manifest = node
    for type_, healthy in _HEALTHY.items():
        before = condition(conditions(updated), type_)
        if before is None or before.get("status") == "Unknown":
            updated = with_condition(updated, type_, *healthy, view.now)
    api = Api(view)
    api.update_status(node, status(updated))
    if readiness(updated) == "True" and readiness(node) != "True":
        api.emit_event(node, "Normal", "NodeReady", f"Node {name(node)} status is now: NodeReady", "kubelet")
    return Outcome(api.changes, reason, memory=None)
