"""Handle: a plugin's access to the cluster beyond its arguments. The simulation implements it.

Source: pkg/scheduler/framework/interface.go Handle.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.pod_groups import PodGroups
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.status import Status

if TYPE_CHECKING:
    from scheduler_core.framework.extender import Extender
    from scheduler_core.framework.waiting import WaitingPod


class Lister(Protocol):
    """Objects by kind ("PersistentVolumeClaim", "Service", …). `list` returns them in the order of creation."""

    def get(self, kind: str, key: str) -> Any | None:
        """Return the object. `key` is `namespace/name`, or the name of a cluster-scoped object."""

    def list(self, kind: str, namespace: str | None = None) -> Sequence[Any]: ...

    def revision(self, kind: str) -> int:
        """Return a number that changes whenever an object of the kind changes; for ResourceSlices, DeviceClasses and
        claims.
        """

    def changed_since(self, kind: str, revision: int) -> Sequence[str]:
        """Return the keys of such objects that were created, updated or deleted since `revision`."""

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Return the labels of the Namespace object; empty if there is none."""


class Writer(Protocol):
    """The plugins' writes to the API server; the simulation applies them at once and records them."""

    def bind(self, pod: Pod, node_name: str) -> Status: ...

    def update(self, obj: KubeObject) -> None:
        """Create or replace an object."""

    def delete(self, obj: KubeObject) -> None: ...

    def time(self) -> float:
        """Return the current time for timestamps in objects: seconds since 1970."""

    def name_for(self, prefix: str) -> str:
        """Return a name for a new object, as the API server generates it from `generateName`."""

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        """Delete `victim` at once, without a grace period, because of preemption."""

    def clear_nomination(self, pod: Pod) -> None: ...

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """Record a Kubernetes Event about `obj`."""


class PodNominator(Protocol):
    """Read access to nominations. Source: pkg/scheduler/backend/queue/nominator.go."""

    def nominated_pods(self, node_name: str) -> Sequence[Pod]: ...

    def nominated_nodes(self) -> Collection[str]:
        """Return the names of the nodes that pods are nominated to."""


class FilterRunner(Protocol):
    """The profile's own filters, for preemption's dry runs."""

    def own_states(self, state: CycleState, count: int) -> list[CycleState]:
        """Return a copy of `state` for each of `count` nodes on which pods are added and removed."""

    def run_filters_with_nominated_pods(
        self, states: Sequence[CycleState], pod: Pod, nodes: Nodes
    ) -> Sequence[Status]: ...

    def run_pre_filter_add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status: ...

    def run_pre_filter_remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status: ...


class Handle(Protocol):
    """A plugin's access to the scheduler. `profile_name` is the schedulerName of its profile."""

    profile_name: str

    @property
    def nodes(self) -> Nodes:
        """Return all nodes of the snapshot (upstream's SnapshotSharedLister)."""

    @property
    def visited(self) -> Nodes:
        """Return the same nodes in visiting order."""

    @property
    def lister(self) -> Lister: ...

    @property
    def writer(self) -> Writer: ...

    @property
    def in_flight(self) -> dict[str, Any]:
        """Return, by uid, the changed objects that plugins will write for pods that are being bound, of all
        profiles.
        """

    @property
    def group(self) -> dict[str, Any] | None:
        """Return the plugins' state of the pod group whose cycle is running, by plugin; None outside of one."""

    @property
    def nominator(self) -> PodNominator: ...

    @property
    def filters(self) -> FilterRunner: ...

    @property
    def extenders(self) -> "Sequence[Extender]": ...

    @property
    def now(self) -> float:
        """Return virtual time in seconds."""

    def pick(self, count: int) -> int:
        """Return the position of one of `count` equal candidates in the order of creation, chosen as in `choose`."""

    def choose(self, candidates: Sequence[str]) -> str:
        """Return one of several equal candidates, by a seeded generator (the first one in conformance runs)."""

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move pods to activeQ when this cycle ends (upstream's PodsToActivate)."""

    def activate_now(self, pods: Iterable[Pod]) -> None:
        """Move pods to activeQ at once (upstream's Activate)."""

    @property
    def pod_groups(self) -> PodGroups:
        """Return the state of all pod groups, with the pods that the running cycle has placed so far."""

    def waiting_pods(self) -> "Sequence[WaitingPod]":
        """Return the pods that wait at Permit."""
