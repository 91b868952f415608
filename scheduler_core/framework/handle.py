"""Handle: what a plugin may reach beyond its arguments. The simulation provides it; nothing else has I/O.

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
    """Objects by kind ("PersistentVolumeClaim", "Service", …). Order of `list` is the order of creation."""

    def get(self, kind: str, key: str) -> Any | None:
        """`key` is `namespace/name`, or the name of a cluster-scoped object."""

    def list(self, kind: str, namespace: str | None = None) -> Sequence[Any]: ...

    def revision(self, kind: str) -> int:
        """Another one whenever an object of the kind came, changed or went; for devices, their classes and claims."""

    def changed_since(self, kind: str, revision: int) -> Sequence[str]:
        """Keys of the objects of such a kind that came, changed or went since."""

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        """Labels of the Namespace object; empty where there is none."""


class Writer(Protocol):
    """What plugins write to the API server; the simulation applies it at once and records it."""

    def bind(self, pod: Pod, node_name: str) -> Status: ...

    def update(self, obj: KubeObject) -> None:
        """Create an object, or replace it."""

    def delete(self, obj: KubeObject) -> None: ...

    def time(self) -> float:
        """Now, as it is written into objects: seconds since 1970."""

    def name_for(self, prefix: str) -> str:
        """A name for a new object, as the API server makes it of `generateName`."""

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        """Preemption deletes `victim`: no grace period, deletion completed at once."""

    def clear_nomination(self, pod: Pod) -> None: ...

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """A Kubernetes Event about `obj`."""


class Nominator(Protocol):
    """Pods that hold a nomination. Source: pkg/scheduler/backend/queue/nominator.go."""

    def nominated_pods(self, node_name: str) -> Sequence[Pod]: ...

    def nominated_nodes(self) -> Collection[str]:
        """Names of the nodes that pods are nominated to."""


class FilterRunner(Protocol):
    """The profile's own filters, for preemption's dry runs."""

    def own_states(self, state: CycleState, count: int) -> list[CycleState]:
        """A copy of `state` for each of `count` nodes on which pods will come and go."""

    def run_filters_with_nominated_pods(
        self, states: Sequence[CycleState], pod: Pod, nodes: Nodes
    ) -> Sequence[Status]: ...

    def run_pre_filter_add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status: ...

    def run_pre_filter_remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status: ...


class Handle(Protocol):
    """`profile_name` is the schedulerName of the profile that the plugin was built for."""

    profile_name: str

    @property
    def nodes(self) -> Nodes:
        """All nodes of the snapshot (upstream's SnapshotSharedLister)."""

    @property
    def visited(self) -> Nodes:
        """The same in the order in which the scheduler visits them."""

    @property
    def lister(self) -> Lister: ...

    @property
    def writer(self) -> Writer: ...

    @property
    def in_flight(self) -> dict[str, Any]:
        """By uid, objects that a pod on its way to a binding will change, as they will be; of all profiles."""

    @property
    def group(self) -> dict[str, Any] | None:
        """What plugins remember, by their names, of the pod group whose cycle is under way; None outside of one."""

    @property
    def nominator(self) -> Nominator: ...

    @property
    def filters(self) -> FilterRunner: ...

    @property
    def extenders(self) -> "Sequence[Extender]": ...

    @property
    def now(self) -> float:
        """Virtual time in seconds."""

    def pick(self, count: int) -> int:
        """The position of one of `count` equal candidates in the order of their creation; chosen as in `choose`."""

    def choose(self, candidates: Sequence[str]) -> str:
        """One of several equal candidates, by the simulation's seeded generator (or the first, in conformance runs)."""

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move pods to the active queue when this cycle ends (upstream's PodsToActivate)."""

    def activate_now(self, pods: Iterable[Pod]) -> None:
        """Move pods to the active queue at once (upstream's Activate)."""

    @property
    def pod_groups(self) -> PodGroups:
        """Where the pods of groups are; in a cycle, with those that it has placed so far."""

    def waiting_pods(self) -> "Sequence[WaitingPod]":
        """Those that wait at Permit."""
