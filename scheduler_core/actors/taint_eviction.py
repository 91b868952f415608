"""Taint eviction: pods leave nodes whose NoExecute taints they do not tolerate, or not for long.

Source: pkg/controller/tainteviction/taint_eviction.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scheduler_core.actors.api import Api
from scheduler_core.actors.contract import CAME, SPEC, Backoff, Outcome, Wake
from scheduler_core.actors.daemon_set.nodes import tolerates_one
from scheduler_core.actors.manifests import (
    Manifest,
    condition,
    conditions,
    key,
    kind,
    name,
    parse_time,
    spec,
)
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import node_of
from scheduler_core.actors.statuses import with_condition
from scheduler_core.sentences import say

COMPONENT = "taint-eviction-controller"
NO_EXECUTE = "NoExecute"


class TaintEvictionActor:
    name = "taint-eviction"
    kind = "Pod"
    watches = frozenset({"Node", "Pod"})
    heeds: Mapping[str, int] = {"Pod": CAME | SPEC}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is None:
            return
        if kind(new) == "Node":
            if old is None or no_execute(old) != no_execute(new):
                yield from (Wake(key(pod)) for pod in view.pods_on(name(new)))
        elif kind(new) == "Pod" and node_of(new) and (old is None or _settled(old) != _settled(new)):
            yield Wake(key(new))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: processPodOnNode. The patience of a pod begins when its node's taint does."""
        node = view.get("Node", node_of(obj))
        if node is None:
            return Outcome()
        taints = no_execute(node)
        if not taints:
            return Outcome()
        after = patience(taints, spec(obj).get("tolerations") or ())
        if after is None:
            return Outcome()
        until = _since(obj, taints) + after
        if after > 0 and until > view.now:
            return Outcome(wake_at=until)
        api = Api(view)
        message = f"Marking for deletion Pod {key(obj)}"
        api.tell(obj, "Normal", "TaintManagerEviction", message, COMPONENT)
        text = "Taint manager: deleting due to NoExecute taint"
        live = with_condition(obj, "DisruptionTarget", "True", "DeletionByTaintManager", text, view.now)
        api.delete(api.update_status(obj, live["status"]))
        reason = say("Pod {pod} does not tolerate the taints of node {node}: it goes", pod=name(obj), node=name(node))
        return Outcome(api.changes, reason)


def _settled(pod: Manifest) -> tuple[str, Any]:
    return node_of(pod), spec(pod).get("tolerations")


def _since(pod: Manifest, taints: Sequence[Mapping[str, Any]]) -> float:
    """When the pod and the taints met."""
    bound = condition(conditions(pod), "PodScheduled") or {}
    times = [bound.get("lastTransitionTime"), *(one.get("timeAdded") for one in taints)]
    return max((parse_time(at) or 0.0 for at in times), default=0.0)


def no_execute(node: Manifest) -> list[Mapping[str, Any]]:
    return [one for one in spec(node).get("taints") or () if one.get("effect") == NO_EXECUTE]


def patience(taints: Sequence[Mapping[str, Any]], tolerations: Sequence[Mapping[str, Any]]) -> float | None:
    """Seconds that a pod may stay: 0 if it has to go at once, None if it may stay for ever.

    Source: GetMatchingTolerations, getMinTolerationTime.
    """
    used = []
    for taint in taints:
        found = next((one for one in tolerations if tolerates_one(one, taint)), None)
        if found is None:
            return 0.0
        used.append(found)
    return min_toleration_time(used)


def min_toleration_time(used: Sequence[Mapping[str, Any]]) -> float | None:
    """Source: getMinTolerationTime."""
    if not used:
        return 0.0
    given = [max(float(one["tolerationSeconds"]), 0.0) for one in used if one.get("tolerationSeconds") is not None]
    return min(given, default=None)
