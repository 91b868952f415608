"""The other objects that the scheduler looks at: namespaces, services, owners, budgets, priority classes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler_core.objects.meta import KubeObject
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
