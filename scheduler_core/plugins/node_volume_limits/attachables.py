"""The CSI driver and handle of each volume that a pod attaches.

Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go filterAttachableVolumes, getCSIDriverInfo.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from kube_objects.volumes import PodVolume
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.status import PluginError
from scheduler_core.plugins.csi_migration import (
    BY_NAME,
    BY_SOURCE,
    InTreePlugin,
    counts_as_csi,
    inline_handle,
    volume_handle,
)
from scheduler_core.plugins.volumes import CLAIM, CLAIM_NOT_FOUND, EPHEMERAL, claim_key, owner_error

# The prefix of the handle of a volume that isn't provisioned yet; no driver uses such handles.
_UNBOUND = "\0"


class ClaimNotFoundError(Exception):
    """Raised if a PVC of the pod to be scheduled doesn't exist."""


@dataclass(slots=True, frozen=True)
class Attachable:
    """A volume that a CSI driver attaches.

    `migrated_from`: an in-tree volume, which counts only on nodes that migrated its plugin. `error` is why an inline
    volume has no handle.
    """

    driver: str
    handle: str
    migrated_from: InTreePlugin | None = None
    error: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Return the same key for a volume that several pods use."""
        return self.driver, self.handle

    def counts_on(self, csi_node: CSINode | None) -> bool:
        if self.migrated_from is None:
            return True
        counts = counts_as_csi(self.migrated_from, csi_node)
        if counts and self.error:
            raise PluginError(self.error)
        return counts


def may_be_attached(volume: PodVolume) -> bool:
    return volume.source in (CLAIM, EPHEMERAL) or volume.source in BY_SOURCE


def attachables(pod: Pod, lister: Lister, is_new: bool) -> Iterator[Attachable]:
    """Return the volumes of `pod` that a CSI driver attaches.

    Missing PVCs are skipped; for the new pod they raise ClaimNotFoundError. Raises PluginError if an ephemeral volume's
    PVC belongs to another pod.
    """
    for volume in pod.volumes:
        if volume.source not in (CLAIM, EPHEMERAL):
            if volume.source in BY_SOURCE:
                yield _inline(BY_SOURCE[volume.source], volume)
            continue
        claim: PersistentVolumeClaim | None = lister.get("PersistentVolumeClaim", claim_key(pod, volume))
        if claim is None:
            if is_new:
                missing = CLAIM_NOT_FOUND.format(volume.claim_name)
                raise ClaimNotFoundError(f"looking up PVC {claim_key(pod, volume)}: {missing}")
            continue
        if volume.source == EPHEMERAL and (error := owner_error(pod, claim)):
            raise PluginError(error)
        volume_of_claim = _attachable_of_claim(claim, lister)
        if volume_of_claim is not None and volume_of_claim.driver and volume_of_claim.handle:
            yield volume_of_claim


def csi_handle(volume: PersistentVolume) -> str:
    return str(volume.source_spec.get("volumeHandle") or "")


def _inline(plugin: InTreePlugin, volume: PodVolume) -> Attachable:
    try:
        return Attachable(plugin.driver, inline_handle(plugin, volume), plugin)
    except PluginError as error:
        return Attachable(plugin.driver, "", plugin, f"converting volume({volume.name}) from inline to csi: {error}")


def _attachable_of_claim(claim: PersistentVolumeClaim, lister: Lister) -> Attachable | None:
    volume: PersistentVolume | None = lister.get("PersistentVolume", claim.volume_name)
    if volume is None:
        return _to_be_provisioned(claim, lister)
    if volume.source == "csi":
        return Attachable(str(volume.source_spec.get("driver") or ""), csi_handle(volume))
    plugin = BY_SOURCE.get(volume.source)
    if plugin is None:
        return None
    try:
        return Attachable(plugin.driver, volume_handle(plugin, volume), plugin)
    except PluginError:
        return None


def _to_be_provisioned(claim: PersistentVolumeClaim, lister: Lister) -> Attachable | None:
    """Return the volume that the PVC's StorageClass will provision, or None without a class."""
    storage_class: StorageClass | None = lister.get("StorageClass", claim.storage_class_name or "")
    if storage_class is None:
        return None
    plugin = BY_NAME.get(storage_class.provisioner)
    driver = storage_class.provisioner if plugin is None else plugin.driver
    return Attachable(driver, _UNBOUND + claim.key, plugin)
