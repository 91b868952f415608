"""Taint eviction: pods leave nodes whose NoExecute taints they do not tolerate, or not for long.

Source: pkg/controller/tainteviction/taint_eviction.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import CAME, GONE, SPEC, Backoff, Outcome, Wake, subject
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
from kube_objects.taints import Taint, Toleration, as_taint, as_tolerations, tolerates

COMPONENT = "taint-eviction-controller"
NO_EXECUTE = "NoExecute"
_A_SECOND = 1.0  # times in objects are whole seconds: what came less than one ago came now


class TaintEvictionActor:
    """It remembers when each pod that waits has to go: once that is known, other taints do not change it."""

    name = "taint-eviction"
    kind = "Pod"
    watches = frozenset({"Node", "Pod"})
    heeds: Mapping[str, int] = {"Pod": CAME | GONE | SPEC}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == "Node":
            if new is not None and (old is None or no_execute(old) != no_execute(new)):
                yield from (Wake(key(pod)) for pod in view.pods_on(name(new)))
        elif kind(obj) == "Pod" and node_of(obj) and _may_have_to_go(old, new, view):
            yield Wake(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: handleNodeUpdate, processPodOnNode. The patience of a pod begins when its node's taint does."""
        planned: float | None = view.remembered
        if planned is not None and planned <= view.now:
            return _evict(obj, Api(view))
        node = view.get("Node", node_of(obj))
        if node is None:
            return Outcome(wake_at=planned)
        manifests = no_execute(node)
        taints = [as_taint(one) for one in manifests]
        after = patience(taints, as_tolerations(spec(obj).get("tolerations")))
        if planned is not None:
            if after is not None and (after > 0 or _is_tolerated(obj, taints)):
                return Outcome(wake_at=planned)
            api = Api(view)
            _cancel(obj, api)
            return Outcome(api.changes, memory=None) if after is None else _evict(obj, api)
        if after is None:
            return Outcome()
        since = _since(obj, manifests)
        until = (view.now if view.now - since < _A_SECOND else since) + after
        if after > 0 and until > view.now:
            return Outcome(wake_at=until, memory=until)
        return _evict(obj, Api(view))

    def lost(self, at: str, view: View) -> Outcome:
        """A pod went before its time had come."""
        if view.remembered is None:
            return Outcome()
        inside, _, named = at.rpartition("/")
        api = Api(view)
        _cancel({"apiVersion": "v1", "kind": self.kind, "metadata": {"name": named, "namespace": inside}}, api)
        return Outcome(api.changes)


def _may_have_to_go(old: Manifest | None, new: Manifest | None, view: View) -> bool:
    """Of a pod that goes, or was on no node until now, nothing is known that another node would change."""
    if old is None or new is None or not node_of(old):
        return _is_tainted(node_of(subject(old, new)), view)
    return _settled(old) != _settled(new)


def _is_tainted(node: str, view: View) -> bool:
    found = view.get("Node", node)
    return found is not None and bool(no_execute(found))


def _cancel(pod: Manifest, api: Api) -> None:
    """Source: cancelWorkWithEvent."""
    api.tell(pod, "Normal", "TaintManagerEviction", f"Cancelling deletion of Pod {key(pod)}", COMPONENT)


def _evict(pod: Manifest, api: Api) -> Outcome:
    """Source: deletePodHandler, addConditionAndDeletePod."""
    api.tell(pod, "Normal", "TaintManagerEviction", f"Marking for deletion Pod {key(pod)}", COMPONENT)
    text = "Taint manager: deleting due to NoExecute taint"
    live = with_condition(pod, "DisruptionTarget", "True", "DeletionByTaintManager", text, api.view.now)
    api.delete(api.update_status(pod, live["status"]))
    reason = say("Pod {pod} does not tolerate the taints of node {node}: it goes", pod=name(pod), node=node_of(pod))
    return Outcome(api.changes, reason, memory=None)


def _settled(pod: Manifest) -> tuple[str, Any]:
    return node_of(pod), spec(pod).get("tolerations")


def _since(pod: Manifest, taints: Sequence[Mapping[str, Any]]) -> float:
    """When the pod and the taints met."""
    bound = condition(conditions(pod), "PodScheduled") or {}
    times = [bound.get("lastTransitionTime"), *(one.get("timeAdded") for one in taints)]
    return max((parse_time(at) or 0.0 for at in times), default=0.0)


def no_execute(node: Manifest) -> list[Mapping[str, Any]]:
    return [one for one in spec(node).get("taints") or () if one.get("effect") == NO_EXECUTE]


def patience(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> float | None:
    """Return the seconds for which a pod may stay: 0 if it has to go at once, None if it may stay for ever.

    Source: GetMatchingTolerations, getMinTolerationTime.
    """
    if not taints:
        return None
    used = _used(taints, tolerations)
    return 0.0 if used is None else min_toleration_time(used)


def _is_tolerated(pod: Manifest, taints: Sequence[Taint]) -> bool:
    return _used(taints, as_tolerations(spec(pod).get("tolerations"))) is not None


def _used(taints: Sequence[Taint], tolerations: Sequence[Toleration]) -> list[Toleration] | None:
    """The toleration of each taint; None if one has none."""
    used = []
    for taint in taints:
        found = next((one for one in tolerations if tolerates(one, taint)), None)
        if found is None:
            return None
        used.append(found)
    return used


def min_toleration_time(used: Sequence[Toleration]) -> float | None:
    """Source: getMinTolerationTime."""
    if not used:
        return 0.0
    given = [max(float(one.seconds), 0.0) for one in used if one.seconds is not None]
    return min(given, default=None)
