"""The descheduler: it runs when its policy is given or changed, and again each interval, if it has one."""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake, subject
from kube_controllers.descheduler import balance, strategies
from kube_controllers.descheduler.evictor import COMPONENT, Evictor
from kube_controllers.descheduler.policy import policy_of
from kube_controllers.descheduler.strategies import Strategy
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, condition, conditions, key, kind, name
from kube_objects.sentences import say

STRATEGIES: Mapping[str, Strategy] = {
    "RemovePodsHavingTooManyRestarts": strategies.too_many_restarts,
    "PodLifeTime": strategies.life_time,
    "RemoveFailedPods": strategies.failed,
    "RemovePodsViolatingNodeTaints": strategies.node_taints,
    "RemovePodsViolatingNodeAffinity": strategies.node_affinity,
    "RemovePodsViolatingInterPodAntiAffinity": strategies.anti_affinity,
    "RemoveDuplicates": balance.duplicates,
    "RemovePodsViolatingTopologySpreadConstraint": balance.spread,
    "LowNodeUtilization": balance.low_utilization,
    "HighNodeUtilization": balance.high_utilization,
}


class DeschedulerActor:
    name = "descheduler"
    kind = "DeschedulerPolicy"
    watches = frozenset({"DeschedulerPolicy"})
    backoff = Backoff(10.0, 300.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind and new is not None:
            yield Wake(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        try:
            policy = policy_of(obj, tuple(STRATEGIES))
        except ValueError as error:
            api.tell(obj, "Warning", "InvalidPolicy", str(error), COMPONENT)
            return Outcome(api.changes)
        nodes = [node for node in view.of_kind("Node") if _is_ready(node)]
        evictor = Evictor(policy, api, nodes, None if view.snapshot is None else view.snapshot())
        for strategy, arguments in policy.strategies:
            STRATEGIES[strategy](evictor, arguments)
        why = ""
        if evictor.evicted:
            first = evictor.evicted[0]
            why = say(
                "{strategy} evicts pod {pod}: {why} ({count} pods in all)",
                strategy=first.strategy,
                pod=name(first.pod),
                why=first.why,
                count=len(evictor.evicted),
            )
        wake_at = None if policy.interval is None else view.now + policy.interval
        return Outcome(api.changes, why, wake_at)


def _is_ready(node: Manifest) -> bool:
    found = condition(conditions(node), "Ready")
    return found is None or found.get("status") == "True"
