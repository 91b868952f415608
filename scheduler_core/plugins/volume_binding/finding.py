"""Finding: the nodes on which a pod's bound PVCs can be used and the others get a volume.

Source: pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes, checkBoundClaims.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.selectors import NodeSelector
from scheduler_core.cache.column_types import BoolColumn, CodeColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.csi_migration import BY_SOURCE, is_listed, translate_affinity
from scheduler_core.plugins.node_selector import nodes_selected
from scheduler_core.plugins.volume_binding.assume_cache import AssumeCache
from scheduler_core.plugins.volume_binding.claims import SELECTED_NODE, PodClaims
from scheduler_core.plugins.volume_binding.provisioning import can_provision, has_capacity
from scheduler_core.plugins.volume_binding.static_volumes import Choice, choose_volumes

NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"
VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
# In upstream's order; reason k is bit k of a node's code.
REASONS = (NODE_CONFLICT, BIND_CONFLICT, NOT_ENOUGH_SPACE, VOLUME_MISSING)


@dataclass(frozen=True, slots=True)
class FindingRules:
    """Differences between versions: the reasons, and whether in-tree volumes are migrated to CSI."""

    reasons: tuple[str, str, str, str] = REASONS
    migrates: bool = True


@dataclass(slots=True)
class PodVolumes:
    """The volumes of the pod's unbound PVCs on one node: existing ones, and PVCs to be provisioned."""

    bindings: list[tuple[PersistentVolume, PersistentVolumeClaim]] = field(default_factory=list)
    provisions: list[PersistentVolumeClaim] = field(default_factory=list)


class Finding:
    """The result for each of `nodes`, which are all nodes of the cluster."""

    def __init__(
        self,
        nodes: Nodes,
        claims: PodClaims,
        volumes: AssumeCache[PersistentVolume],
        lister: Lister,
        rules: FindingRules,
    ) -> None:
        self._nodes = nodes
        self._rules = rules
        self._lister = lister
        self._reach: dict[NodeSelector, BoolColumn] = {}
        self._failed = [np.zeros(len(nodes), np.bool_) for _ in REASONS]
        self._selected = [claim for claim in claims.delayed if SELECTED_NODE in claim.annotations]
        self._choices: list[Choice] = []
        self._check_bound(claims.bound, volumes)
        if claims.delayed:
            self._find(claims.delayed, volumes)
        self._codes, self._statuses = self._verdicts()

    def _verdicts(self) -> tuple[CodeColumn, list[Status]]:
        bits = np.zeros(len(self._nodes), np.int32)
        for k, failed in enumerate(self._failed):
            bits |= failed.astype(np.int32) << k
        present = [0, *np.flatnonzero(np.bincount(bits, minlength=1)[1:]) + 1]
        codes = np.searchsorted(present, bits).astype(np.int32)
        return codes, [self._status(int(combination)) for combination in present]

    def _status(self, bits: int) -> Status:
        if not bits:
            return SUCCESS
        return Status.unresolvable(*(reason for k, reason in enumerate(self._rules.reasons) if bits >> k & 1))

    def verdicts(self, nodes: Nodes) -> Verdicts:
        """Return the verdicts of some nodes, which may be in a table of their own."""
        rows = self._nodes.table.rows
        if nodes.table is self._nodes.table:
            codes = self._codes[nodes.row_numbers]
        else:
            codes = self._codes[[rows[name] for name in nodes.names]]
        return Verdicts(codes, self._statuses)

    def volumes_on(self, node_name: str) -> PodVolumes:
        """Return the volumes on a node that passed."""
        row = self._nodes.table.rows[node_name]
        volumes = PodVolumes(provisions=list(self._selected))
        for choice in self._choices:
            volume = choice.volume_on(row)
            if volume is None:
                volumes.provisions.append(choice.claim)
            else:
                volumes.bindings.append((volume, choice.claim))
        return volumes

    def _reached(self, affinity: NodeSelector | None) -> BoolColumn:
        if affinity is None:
            return np.ones(len(self._nodes), np.bool_)
        reached = self._reach.get(affinity)
        if reached is None:
            reached = self._reach[affinity] = nodes_selected(affinity, self._nodes)
        return reached

    # Bound PVCs: the first unusable one decides

    def _check_bound(self, claims: Sequence[PersistentVolumeClaim], volumes: AssumeCache[PersistentVolume]) -> None:
        conflict, _, _, missing = self._failed
        for claim in claims:
            volume = volumes.get(claim.volume_name)
            if volume is None:
                missing |= ~conflict
                return
            conflict |= ~self._usable(volume)

    def _usable(self, volume: PersistentVolume) -> BoolColumn:
        """Return True for the nodes that can use the volume. Migrated nodes have the CSI driver's labels."""
        usable = self._reached(volume.node_affinity)
        plugin = BY_SOURCE.get(volume.source)
        if plugin is None or plugin.migrated == "never" or not self._rules.migrates:
            return usable
        csi_nodes = {node.name: None for node in self._lister.list("CSINode") if is_listed(plugin, node)}
        if not csi_nodes:
            return usable
        try:
            translated = self._reached(translate_affinity(plugin, volume))
        except PluginError as error:
            raise PluginError(f"could not translate pv: {error}") from None
        return np.where(self._nodes.named(csi_nodes), translated, usable)

    # Unbound PVCs: an existing volume, else a provisioned one

    def _find(self, claims: Sequence[PersistentVolumeClaim], volumes: AssumeCache[PersistentVolume]) -> None:
        _, unbound, _, _ = self._failed
        for claim in self._selected:
            unbound |= ~self._nodes.named((claim.annotations[SELECTED_NODE],))
        undecided = ~unbound
        for claim in self._selected:
            self._provision(claim, undecided, undecided)
        others = [claim for claim in claims if SELECTED_NODE not in claim.annotations]
        self._choices = choose_volumes(others, volumes.list(), ~unbound, self._reached) if others else []
        for choice in self._choices:
            self._provision(choice.claim, undecided, choice.picks < 0)

    def _provision(self, claim: PersistentVolumeClaim, undecided: BoolColumn, wanted: BoolColumn) -> None:
        """Check provisioning on the nodes `wanted` among the `undecided`; a node's first failing PVC decides."""
        wanted = wanted & undecided
        if not wanted.any():
            return
        _, unbound, no_space, _ = self._failed
        storage_class: StorageClass | None = self._lister.get("StorageClass", claim.storage_class_name or "")
        if storage_class is None:
            raise PluginError(f'failed to find storage class "{claim.storage_class_name}"')
        makes = can_provision(storage_class, self._nodes)
        unbound |= wanted & ~makes
        wanted &= makes
        if wanted.any():
            no_space |= wanted & ~has_capacity(claim, storage_class, self._nodes, self._lister)
        undecided &= ~(unbound | no_space)
