"""Taint eviction: Pods are evicted from Nodes with NoExecute taints, at once or after `tolerationSeconds`.

Source: pkg/controller/tainteviction/taint_eviction.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import ADDED, REMOVED, SPEC, Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.objects import View
from kube_controllers.pods import node_of
from kube_controllers.statuses import with_condition
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    key,
    kind,
    name,
    parse_time,
    spec,
)
from kube_objects.sentences import say
from kube_objects.taints import as_taint, as_tolerations, patience, tolerations_used

COMPONENT = "taint-eviction-controller"
NO_EXECUTE = "NoExecute"
_A_SECOND = 1.0  # times in objects are whole seconds, so a change within the last second counts as now


class TaintEvictionController:
    """The taint eviction controller.

    Its memory of a Pod is the time of the planned eviction, which later taints don't change.
    """

    name = "taint-eviction"
    kind = "Pod"
    watches = frozenset({"Node", "Pod"})
    event_filter: Mapping[str, int] = {"Pod": ADDED | REMOVED | SPEC}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == "Node":
            if new is not None and (old is None or no_execute(old) != no_execute(new)):
                yield from (ReconcileRequest(key(pod)) for pod in view.pods_on(name(new)))
        elif kind(obj) == "Pod" and node_of(obj) and _is_affected(old, new, view):
            yield ReconcileRequest(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Evict the Pod, or plan its eviction. The toleration time starts when the taint was added.

        Source: handleNodeUpdate, processPodOnNode.
        """
        planned: float | None = view.remembered
        if planned is not None and planned <= view.now:
            return _evict(obj, Api(view))
        node = view.get("Node", node_of(obj))
        if node is None:
            return Outcome(requeue_at=planned)
        manifests = no_execute(node)
        taints = [as_taint(taint) for taint in manifests]
        tolerations = as_tolerations(spec(obj).get("tolerations"))
        patience_seconds = patience(taints, tolerations)
        if planned is not None:
            if patience_seconds is not None and (
                patience_seconds > 0 or tolerations_used(taints, tolerations) is not None
            ):
                return Outcome(requeue_at=planned)
            api = Api(view)
            _cancel(obj, api)
            return Outcome(api.changes, memory=None) if patience_seconds is None else _evict(obj, api)
        if patience_seconds is None:
            return Outcome()
        since = _since(obj, manifests)
        until = (view.now if view.now - since < _A_SECOND else since) + patience_seconds
        if patience_seconds > 0 and until > view.now:
            return Outcome(requeue_at=until, memory=until)
        return _evict(obj, Api(view))

    def lost(self, pod_key: str, view: View) -> Outcome:
        """Cancel the planned eviction of a Pod that was removed before."""
        if view.remembered is None:
            return Outcome()
        pod_namespace, _, pod_name = pod_key.rpartition("/")
        api = Api(view)
        _cancel(
            {"apiVersion": "v1", "kind": self.kind, "metadata": {"name": pod_name, "namespace": pod_namespace}}, api
        )
        return Outcome(api.changes)


def _is_affected(old: Manifest | None, new: Manifest | None, view: View) -> bool:
    """Return whether the Pod's change may plan or cancel an eviction."""
    if old is None or new is None or not node_of(old):
        return _is_tainted(node_of(latest_version(old, new)), view)
    return _placement(old) != _placement(new)


def _is_tainted(node: str, view: View) -> bool:
    listed = view.get("Node", node)
    return listed is not None and bool(no_execute(listed))


def _cancel(pod: Manifest, api: Api) -> None:
    """Source: cancelWorkWithEvent."""
    api.emit_event(pod, "Normal", "TaintManagerEviction", f"Cancelling deletion of Pod {key(pod)}", COMPONENT)


def _evict(pod: Manifest, api: Api) -> Outcome:
    """Source: deletePodHandler, addConditionAndDeletePod."""
    api.emit_event(pod, "Normal", "TaintManagerEviction", f"Marking for deletion Pod {key(pod)}", COMPONENT)
    text = "Taint manager: deleting due to NoExecute taint"
    live = with_condition(pod, "DisruptionTarget", "True", "DeletionByTaintManager", text, api.view.now)
    api.delete(api.update_status(pod, live["status"]))
    reason = say("Pod {pod} does not tolerate the taints of node {node}: deleted", pod=name(pod), node=node_of(pod))
    return Outcome(api.changes, reason, memory=None)


def _placement(pod: Manifest) -> tuple[str, Any]:
    return node_of(pod), spec(pod).get("tolerations")


def _since(pod: Manifest, taints: Sequence[Mapping[str, Any]]) -> float:
    """Return the time from which the Pod was on the Node with the taints."""
    bound = condition(conditions(pod), "PodScheduled") or {}
    times = [bound.get("lastTransitionTime"), *(taint.get("timeAdded") for taint in taints)]
    return max((parse_time(time) or 0.0 for time in times), default=0.0)


def no_execute(node: Manifest) -> list[Mapping[str, Any]]:
    return [taint for taint in spec(node).get("taints") or () if taint.get("effect") == NO_EXECUTE]
