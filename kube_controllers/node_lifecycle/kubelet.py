"""What kubelets say of their nodes: a new one is ready after a while; one that was silent reports again.

Source: pkg/kubelet/nodestatus/setters.go. Heartbeats change nothing that anybody could see, and are not written.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake
from kube_controllers.kubelet import START, START_SECONDS, is_silent, seconds_of
from kube_controllers.node_lifecycle.conditions import READY, is_new, readiness
from kube_controllers.objects import View
from kube_controllers.statuses import with_condition
from kube_objects.manifests import Manifest, condition, conditions, key, name, status
from kube_objects.sentences import say

# What a kubelet says that is well: status, reason, message.
_WELL: Mapping[str, tuple[str, str, str]] = {
    "MemoryPressure": ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    READY: ("True", "KubeletReady", "kubelet is posting ready status"),
}


class NodeKubeletActor:
    """It remembers `{"new": since}` of a node that starts, and `{"silent": since}` of one that says nothing."""

    name = "node-kubelet"
    kind = "Node"
    watches = frozenset({"Node"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None and (is_new(new) or is_silent(new) or (old is not None and is_silent(old))):
            yield Wake(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        known: Mapping[str, Any] = view.remembered or {}
        if is_silent(obj):
            return Outcome(memory={"silent": known.get("silent", view.now)})
        if "silent" in known:
            return _reported(obj, view, say("The kubelet of node {node} reports again", node=name(obj)))
        if not is_new(obj):
            return Outcome(memory=None)
        since = float(known.get("new", view.now))
        at = since + seconds_of(obj, START, START_SECONDS)
        if at > view.now:
            return Outcome(wake_at=at, memory={"new": since})
        return _reported(obj, view, say("The kubelet of node {node} says that it is ready", node=name(obj)))


def _reported(node: Manifest, view: View, reason: str) -> Outcome:
    """What nothing was known of is well; what somebody said of the node stands."""
    found: Manifest = node
    for type_, well in _WELL.items():
        before = condition(conditions(found), type_)
        if before is None or before.get("status") == "Unknown":
            found = with_condition(found, type_, *well, view.now)
    api = Api(view)
    api.update_status(node, status(found))
    if readiness(found) == "True" and readiness(node) != "True":
        api.tell(node, "Normal", "NodeReady", f"Node {name(node)} status is now: NodeReady", "kubelet")
    return Outcome(api.changes, reason, memory=None)
