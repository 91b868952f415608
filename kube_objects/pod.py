"""A pod, as far as the scheduler reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from kube_objects.affinity import NodeAffinity, PodAffinity
from kube_objects.meta import KubeObject, copied
from kube_objects.selectors import LabelSelector
from kube_objects.taints import Taint, Toleration, tolerates
from kube_objects.volumes import PodVolume

DO_NOT_SCHEDULE, SCHEDULE_ANYWAY = "DoNotSchedule", "ScheduleAnyway"


@dataclass(slots=True, frozen=True)
class HostPort:
    """A port that the pod takes on its node. `ip` defaults to 0.0.0.0, `protocol` to TCP."""

    ip: str
    protocol: str
    port: int


@dataclass(slots=True, frozen=True)
class Container:
    """`requests`, `limits`: resource name → int (cpu in millicores, everything else in its base unit)."""

    name: str
    image: str = ""
    requests: Mapping[str, int] = field(default_factory=dict, hash=False)
    limits: Mapping[str, int] = field(default_factory=dict, hash=False)
    restart_policy: str = ""  # "Always" on an init container makes it a sidecar


@dataclass(slots=True, frozen=True)
class PodCondition:
    """`last_transition_time` in seconds since the Unix epoch."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: float | None = None


@dataclass(slots=True, frozen=True)
class TopologySpreadConstraint:
    max_skew: int
    topology_key: str
    when_unsatisfiable: str
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class PodClaim:
    """An entry of `spec.resourceClaims`: a claim that is there, or a template that one is made from for the pod."""

    name: str
    claim: str = ""
    template: str = ""


@dataclass(slots=True, kw_only=True)
class Pod(KubeObject):
    """Immutable by convention: the engine makes changed copies with `with_node`, `with_nomination`, ….

    Amounts are ints: cpu in millicores, everything else in its base unit.
    """

    scheduler_name: str = "default-scheduler"
    priority: int = 0
    priority_class_name: str = ""
    preemption_policy: str = "PreemptLowerPriority"
    node_name: str = ""
    node_selector: Mapping[str, str] = field(default_factory=dict)
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    scheduling_gates: tuple[str, ...] = ()
    volumes: tuple[PodVolume, ...] = ()
    resource_claims: tuple[PodClaim, ...] = ()
    claim_names: Mapping[str, str | None] = field(default_factory=dict)
    """Of the claims made from templates, by their name in the pod; None where none was needed."""
    extended_claim: Mapping[str, Any] | None = None
    """Of the claim made for its extended resources (v1.36): its name, and which container gets what of it."""
    host_ports: tuple[HostPort, ...] = ()
    scheduling_group: str = ""  # the name of its PodGroup (v1.36, GenericWorkload)
    required_features: frozenset[str] = frozenset()  # features of the kubelet that a node must declare (v1.36)
    phase: str = "Pending"
    nominated_node_name: str = ""
    start_time: float | None = None
    conditions: tuple[PodCondition, ...] = ()
    # Computed once when parsed, as upstream's PodInfo does (Source: component-helpers/resource). The last two differ
    # from the first two for few pods, and are then of use only while the pod itself is being scheduled.
    requests: Mapping[str, int] = field(default_factory=dict)
    """The effective request that a node counts: init, sidecars, overhead, pod-level resources, a resize under way."""
    nonzero_requests: Mapping[str, int] = field(default_factory=dict)
    """The same with 100m cpu and 200Mi memory assumed for every container that asks for none; for scoring."""
    filter_requests: Mapping[str, int] = field(default_factory=dict)
    """`requests` as NodeResourcesFit's Filter asks for them: without what container statuses report."""
    scoring_requests: Mapping[str, int] = field(default_factory=dict)
    """`nonzero_requests` as NodeResourcesFit's Score asks for them: the containers' alone, not the pod-level ones."""

    @property
    def terminating(self) -> bool:
        return self.deletion_timestamp is not None

    @property
    def finished(self) -> bool:
        """Succeeded and Failed pods are invisible to the scheduler."""
        return self.phase in ("Succeeded", "Failed")

    def tolerates(self, taint: Taint) -> bool:
        return any(tolerates(toleration, taint) for toleration in self.tolerations)

    def with_node(self, node_name: str) -> Self:
        """Return a copy that runs on `node_name`."""
        pod = self.copied()
        pod.node_name = node_name
        return pod

    def with_nomination(self, node_name: str) -> Self:
        """Return a copy whose status.nominatedNodeName is `node_name` ("" clears it)."""
        pod = self.copied()
        pod.nominated_node_name = node_name
        return pod

    def with_claims(self, names: Mapping[str, str | None]) -> Self:
        """Return a copy whose status.resourceClaimStatuses names the claims created for it."""
        pod = self.copied()
        pod.claim_names = names
        return pod

    def with_extended_claim(self, status: Mapping[str, Any]) -> Self:
        """Return a copy with this status.extendedResourceClaimStatus."""
        pod = self.copied()
        pod.extended_claim = status
        return pod

    def copied(self) -> Self:
        """Return a shallow copy, faster than copy.copy. The caller may change it."""
        return copied(self)
