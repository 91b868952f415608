"""The existing PersistentVolume that a PVC gets on each node: its own, or the smallest that fits.

Source: component-helpers/storage/volume/pv_helpers.go FindMatchingVolume, IsVolumeBoundToClaim.
"""

from collections.abc import Callable, Sequence

import numpy as np

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.selectors import NodeSelector
from scheduler_core.cache.column_types import BoolColumn, CodeColumn

# A volume's node affinity → True for the nodes that can use the volume.
Reach = Callable[[NodeSelector | None], BoolColumn]


class Choice:
    """The volumes of one PVC: `picks[i]` is the number of the volume on node i, −1 if there is none."""

    def __init__(self, claim: PersistentVolumeClaim, volumes: list[PersistentVolume], size: int) -> None:
        self.claim = claim
        self.picks: CodeColumn = np.full(size, -1, np.int32)
        self.volumes = volumes
        self._numbers = {volume.name: number for number, volume in enumerate(volumes)}

    def volume_on(self, i: int) -> PersistentVolume | None:
        pick = int(self.picks[i])
        return None if pick < 0 else self.volumes[pick]

    def takes(self, volume: PersistentVolume) -> BoolColumn:
        """Return True for the nodes where the PVC gets `volume`."""
        took: BoolColumn = self.picks == self._numbers.get(volume.name, -2)
        return took


def choose_volumes(
    claims: Sequence[PersistentVolumeClaim], volumes: Sequence[PersistentVolume], where: BoolColumn, reach: Reach
) -> list[Choice]:
    """Return a choice for each PVC, the smallest PVC first. `where` marks the nodes to consider.

    A volume that one PVC gets on a node isn't available for the next ones.
    """
    choices: list[Choice] = []
    for claim in sorted(claims, key=lambda claim: claim.request):
        own, free = _candidates(claim, volumes)
        choice = Choice(claim, [*own, *free], len(where))
        undecided = where.copy()
        for number, volume in enumerate(choice.volumes):
            if not undecided.any():
                break
            available = undecided.copy()
            for earlier in choices:
                available &= ~earlier.takes(volume)
            fits = available & reach(volume.node_affinity)
            choice.picks[fits] = number
            # A volume that is reserved for the PVC decides, even if the node can't use it.
            undecided &= ~(available if number < len(own) else fits)
        choices.append(choice)
    return choices


def _candidates(
    claim: PersistentVolumeClaim, volumes: Sequence[PersistentVolume]
) -> tuple[list[PersistentVolume], list[PersistentVolume]]:
    """Return the volumes that are reserved for the PVC, and the free ones that fit, the smallest first."""
    own, free = [], []
    for volume in volumes:
        if volume.storage_class_name != (claim.storage_class_name or ""):
            continue
        if volume.claim_ref is not None and not is_reserved_for(volume, claim):
            continue
        if volume.capacity < claim.request or volume.volume_mode != claim.volume_mode:
            continue
        if (volume.volume_attributes_class_name or "") != (claim.volume_attributes_class_name or ""):
            continue
        if volume.deletion_timestamp is not None:
            continue
        if volume.claim_ref is not None:
            own.append(volume)
        elif _suits(volume, claim):
            free.append(volume)
    free.sort(key=lambda volume: volume.capacity)
    return own, free


def _suits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        volume.phase == "Available"
        and (claim.selector is None or claim.selector.matches(volume.labels))
        and set(claim.access_modes) <= set(volume.access_modes)
    )


def is_reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Return True if the volume's claimRef names the PVC; without a uid it means any PVC of that name."""
    if volume.claim_ref is None:
        return False
    namespace, name, uid = volume.claim_ref
    return (namespace, name) == (claim.namespace, claim.name) and uid in ("", claim.uid)
