"""The other objects that are looked at: namespaces, services, owners, budgets, priority classes, pod groups."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.pod import PodCondition
from scheduler_core.objects.selectors import LabelSelector


@dataclass(slots=True, kw_only=True)
class Namespace(KubeObject):
    pass


@dataclass(slots=True, kw_only=True)
class Service(KubeObject):
    selector: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Workload(KubeObject):
    """A ReplicationController, ReplicaSet or StatefulSet; only its selector matters to scheduling."""

    selector: LabelSelector | None = None


@dataclass(slots=True, kw_only=True)
class PriorityClass(KubeObject):
    value: int = 0
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(slots=True, kw_only=True)
class PodDisruptionBudget(KubeObject):
    """`disruptions_allowed` and `disrupted_pods` come from status: the scheduler trusts the controller's count."""

    selector: LabelSelector | None = None
    disruptions_allowed: int = 0
    disrupted_pods: frozenset[str] = frozenset()


@dataclass(slots=True, kw_only=True)
class PodGroup(KubeObject):
    """Pods that are scheduled together. `min_count`: how many must find room at once for any of them to be bound; None
    for the basic policy, under which each is bound for itself. Source: k8s.io/api/scheduling/v1alpha2.
    """

    min_count: int | None = None
    conditions: tuple[PodCondition, ...] = ()
