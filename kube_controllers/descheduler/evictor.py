"""The evictor: it filters Pods that may be evicted, and enforces the limits. Source:
descheduler/pkg/framework/plugins/defaultevictor, evictions.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kube_controllers.admission import is_mirror
from kube_controllers.api import Api, WriteRefused
from kube_controllers.cluster_autoscaler.snapshot import Snapshot
from kube_controllers.descheduler.policy import DeschedulerPolicy
from kube_controllers.eviction import evict
from kube_controllers.pods import is_finished, node_of, phase
from kube_objects.manifests import (
    Manifest,
    annotations,
    is_deleted,
    key,
    kind,
    labels,
    name,
    namespace,
    owners,
    spec,
    with_spec,
)
from kube_objects.selectors import selects

COMPONENT = "sigs.k8s.io/descheduler"
_EVICT = "descheduler.alpha.kubernetes.io/evict"
SYSTEM_CRITICAL = 2_000_000_000


class Evicted(NamedTuple):
    pod: Manifest
    strategy: str
    why: str


class Evictor:
    """The evictions of one run. `nodes` are the Nodes of the strategies; `snapshot` answers `nodeFit` and changes with
    evictions.
    """

    def __init__(
        self, policy: DeschedulerPolicy, api: Api, nodes: Sequence[Manifest], snapshot: Snapshot | None
    ) -> None:
        self.policy, self.api, self.nodes, self.snapshot = policy, api, nodes, snapshot
        self.evicted: list[Evicted] = []
        self._by_node: Counter[str] = Counter()
        self._by_namespace: Counter[str] = Counter()
        self._gone: set[str] = set()

    def may_evict(self, pod: Manifest) -> bool:
        """Return whether the policy allows evicting the Pod. Source: DefaultEvictor.Filter, PreEvictionFilter."""
        if key(pod) in self._gone or is_deleted(pod):
            return False
        if annotations(pod).get(_EVICT) is None and not self._is_evictable(pod):
            return False
        return not self.policy.evictor.get("nodeFit") or self.fits_elsewhere(pod)

    def _is_evictable(self, pod: Manifest) -> bool:
        options = self.policy.evictor
        owner_references = owners(pod)
        if not owner_references and not (options.get("evictFailedBarePods") and phase(pod) == "Failed"):
            return False
        if any(owner.get("kind") == "DaemonSet" for owner in owner_references) and not options.get(
            "evictDaemonSetPods"
        ):
            return False
        if is_mirror(pod) or annotations(pod).get("kubernetes.io/config.source") in ("file", "http"):
            return False
        priority = int(spec(pod).get("priority") or 0)
        if not options.get("evictSystemCriticalPods"):
            least = (options.get("priorityThreshold") or {}).get("value")
            if priority >= (SYSTEM_CRITICAL if least is None else int(least)):
                return False
        volumes = spec(pod).get("volumes") or ()
        if not options.get("evictLocalStoragePods") and any(
            "emptyDir" in volume or "hostPath" in volume for volume in volumes
        ):
            return False
        if options.get("ignorePvcPods") and any("persistentVolumeClaim" in volume for volume in volumes):
            return False
        selector = options.get("labelSelector")
        return selector is None or selects(selector, labels(pod))

    def fits_elsewhere(self, pod: Manifest) -> bool:
        """Return whether the Pod fits on another Node. Source: node.PodFitsAnyOtherNode, with this
        scheduler's filters.
        """
        return self.fits_on(pod, [name(node) for node in self.nodes])

    def fits_on(self, pod: Manifest, nodes: Sequence[str]) -> bool:
        """Return whether the Pod fits on one of these Nodes other than its own."""
        others = [node for node in nodes if node != node_of(pod)]
        return self.snapshot is not None and self.snapshot.first_fit(with_spec(pod, nodeName=""), others) is not None

    def evict(self, pod: Manifest, strategy: str, why: str) -> bool:
        """Evict the Pod unless limits or PodDisruptionBudgets forbid it; return whether it was evicted. Source:
        PodEvictor.EvictPod.
        """
        if self.is_full(node_of(pod), namespace(pod)):
            return False
        try:
            evict(pod, self.api)
        except WriteRefused:
            return False
        self._by_node[node_of(pod)] += 1
        self._by_namespace[namespace(pod)] += 1
        self._gone.add(key(pod))
        self.evicted.append(Evicted(pod, strategy, why))
        message = f"pod evicted from {node_of(pod)} node by sigs.k8s.io/descheduler"
        self.api.emit_event(pod, "Normal", strategy, message, COMPONENT)
        return True

    def is_full(self, node: str, in_namespace: str = "") -> bool:
        limits = self.policy
        return (
            (limits.per_node is not None and self._by_node[node] >= limits.per_node)
            or (limits.per_namespace is not None and self._by_namespace[in_namespace] >= limits.per_namespace)
            or (limits.in_all is not None and len(self.evicted) >= limits.in_all)
        )

    def pods_on(self, node: Manifest) -> list[Manifest]:
        """Return the Node's Pods that have neither ended nor been evicted. Source: ListPodsOnANode."""
        listed = self.api.view.pods_on(name(node))
        return [pod for pod in listed if key(pod) not in self._gone and not is_finished(pod) and kind(pod) == "Pod"]
