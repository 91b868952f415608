"""VolumeBinding: find volumes for the pod's PVCs on each node, and bind them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreBindPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.volume_binding import args as args_of
from scheduler_core.plugins.volume_binding.binding import Reservation, VolumeBinder
from scheduler_core.plugins.volume_binding.claims import PodClaims, claims_error, pod_claims
from scheduler_core.plugins.volume_binding.finding import Finding, FindingRules
from scheduler_core.plugins.volume_binding.hints import (
    after_capacity_change,
    after_class_change,
    after_csi_node_change,
    after_driver_change,
)
from scheduler_core.plugins.volumes import after_claim_change, claim_volumes

STATE_KEY = "VolumeBinding"
UNBOUND_IMMEDIATE = "pod has unbound immediate PersistentVolumeClaims"


@dataclass(slots=True)
class State:
    """The data for one pod, shared by all clones of the CycleState, because other pods don't change the volumes.

    `finding` covers all nodes; Filter computes it for the first node.
    """

    claims: PodClaims = field(default_factory=PodClaims)
    finding: Finding | None = None
    reservation: Reservation | None = None

    def clone(self) -> Self:
        return self

    def decided(self) -> dict[str, Any]:
        """Return, after Reserve, JSON-ready `bind` (PVC → volume) and `provision` (PVCs); PVCs as namespace/name."""
        if self.reservation is None:
            return {}
        return {
            "bind": {binding.claim.key: binding.volume.name for binding in self.reservation.bindings},
            "provision": [provision.claim.key for provision in self.reservation.provisions],
        }


class VolumeBinding(
    PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, ReservePlugin, PreBindPlugin, EnqueueExtensions
):
    """Source: pkg/scheduler/framework/plugins/volumebinding."""

    name = "VolumeBinding"
    args_rules = args_of.RULES
    rules: ClassVar[FindingRules] = FindingRules()
    lost_counts: ClassVar[bool] = True

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._binder = VolumeBinder(handle.lister, handle.writer)

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        """Ignore the args: binding takes no time here, and the scores that they shape are off by default."""
        return cls(handle)

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        if not pod.volumes:
            state.write(STATE_KEY, State())
            return PreFilterResult(SKIP)
        error = claims_error(pod, self._handle.lister, self.lost_counts)
        if error:
            return PreFilterResult(Status.unresolvable(error))
        if not any(True for _ in claim_volumes(pod)):
            state.write(STATE_KEY, State())
            return PreFilterResult(SKIP)
        claims = pod_claims(pod, self._binder.claims, self._handle.lister)
        if claims.immediate:
            return PreFilterResult(Status.unresolvable(UNBOUND_IMMEDIATE))
        state.write(STATE_KEY, State(claims))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not pod.volumes

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: State = state.read(STATE_KEY)
        if data.finding is None:
            all_nodes, lister = self._handle.nodes, self._handle.lister
            data.finding = Finding(all_nodes, data.claims, self._binder.volumes, lister, self.rules)
        return data.finding.verdicts(nodes)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        """Skip, because scoring needs the feature gate StorageCapacityScoring, which is off by default."""
        return SKIP

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        return True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return np.zeros(len(nodes), np.int64)

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        data: State = state.read(STATE_KEY)
        volumes = None if data.finding is None else data.finding.volumes_on(node_name)
        if volumes is not None and (volumes.bindings or volumes.provisions):
            data.reservation = self._binder.reserve(volumes, node_name)
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        data: State | None = state.find(STATE_KEY)
        if data is not None and data.reservation is not None:
            self._binder.give_back(data.reservation)

    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        data: State = state.read(STATE_KEY)
        return SUCCESS if data.reservation is None else self._binder.bind(data.reservation)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        changed = ActionType.ADD | ActionType.UPDATE
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.STORAGE_CLASS, changed), after_class_change),
            ClusterEventWithHint(ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, changed), after_claim_change),
            ClusterEventWithHint(ClusterEvent(EventResource.PERSISTENT_VOLUME, changed)),
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)),
            ClusterEventWithHint(ClusterEvent(EventResource.CSI_NODE, changed), after_csi_node_change),
            ClusterEventWithHint(ClusterEvent(EventResource.CSI_DRIVER, ActionType.UPDATE), after_driver_change),
            ClusterEventWithHint(ClusterEvent(EventResource.CSI_STORAGE_CAPACITY, changed), after_capacity_change),
        ]
