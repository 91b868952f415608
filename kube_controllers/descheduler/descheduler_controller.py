"""The descheduler's controller: it runs when its policy is created or changed, and then at each interval."""

from collections.abc import Iterable, Mapping

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
from kube_controllers.descheduler import balance, strategies
from kube_controllers.descheduler.evictor import COMPONENT, Evictor
from kube_controllers.descheduler.policy import read_policy
from kube_controllers.descheduler.strategies import Strategy
from kube_controllers.objects import View
from kube_objects.manifests import Manifest, condition, conditions, key, kind, name
from kube_objects.sentences import say

STRATEGIES: Mapping[str, Strategy] = {
    "RemovePodsHavingTooManyRestarts": strategies.evict_restarting_pods,
    "PodLifeTime": strategies.evict_old_pods,
    "RemoveFailedPods": strategies.evict_failed_pods,
    "RemovePodsViolatingNodeTaints": strategies.evict_tainted_pods,
    "RemovePodsViolatingNodeAffinity": strategies.evict_misplaced_pods,
    "RemovePodsViolatingInterPodAntiAffinity": strategies.evict_repelled_pods,
    "RemoveDuplicates": balance.remove_duplicates,
    "RemovePodsViolatingTopologySpreadConstraint": balance.balance_topology_spread,
    "LowNodeUtilization": balance.relieve_overused_nodes,
    "HighNodeUtilization": balance.empty_underused_nodes,
}


class DeschedulerController:
    name = "descheduler"
    kind = "DeschedulerPolicy"
    watches = frozenset({"DeschedulerPolicy"})
    backoff = Backoff(10.0, 300.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind and new is not None:
            yield ReconcileRequest(key(obj))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        try:
            policy = read_policy(obj, tuple(STRATEGIES))
        except ValueError as error:
            api.emit_event(obj, "Warning", "InvalidPolicy", str(error), COMPONENT)
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
    ready = condition(conditions(node), "Ready")
    return ready is None or ready.get("status") == "True"
