"""The assumptions of Reserve and the writes of PreBind for a pod's PVCs.

The scheduler reserves a volume for a PVC, or annotates the PVC with the node where its volume is provisioned. It then
waits for the PV controller and the provisioner. Here the PV controller's binding happens at once. No provisioner runs:
a PVC to be provisioned keeps the annotation and stays unbound, and its pod is bound all the same.
Source: pkg/scheduler/framework/plugins/volumebinding/binder.go AssumePodVolumes, bindAPIUpdate;
component-helpers/storage/volume/pv_helpers.go GetBindVolumeToClaim.
"""

import copy
from dataclasses import dataclass, field

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from scheduler_core.framework.handle import Lister, Writer
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.volume_binding.assume_cache import AssumeCache
from scheduler_core.plugins.volume_binding.claims import BIND_COMPLETED, SELECTED_NODE
from scheduler_core.plugins.volume_binding.finding import PodVolumes
from scheduler_core.plugins.volume_binding.static_volumes import is_reserved_for

BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"

GONE = '{} "{}" not found'
CHANGED = (
    'Operation cannot be fulfilled on {} "{}": the object has been modified; '
    "please apply your changes to the latest version and try again"
)
CLAIM_GONE = 'binding volumes: failed to check binding: could not find v1.PersistentVolumeClaim "{}"'


@dataclass(slots=True, frozen=True)
class Binding:
    """A volume for a PVC. `volume` is `stored` with a reference to `claim`."""

    stored: PersistentVolume
    volume: PersistentVolume
    claim: PersistentVolumeClaim


@dataclass(slots=True, frozen=True)
class Provision:
    """A PVC to be provisioned. `claim` is `stored` with an annotation for the selected node."""

    stored: PersistentVolumeClaim
    claim: PersistentVolumeClaim


@dataclass(slots=True)
class Reservation:
    """The assumptions for one pod, until they are written or restored."""

    bindings: list[Binding] = field(default_factory=list)
    provisions: list[Provision] = field(default_factory=list)


class VolumeBinder:
    """The volumes and PVCs as the scheduler sees them, with its assumptions for pods that aren't bound yet."""

    def __init__(self, lister: Lister, writer: Writer) -> None:
        self.volumes: AssumeCache[PersistentVolume] = AssumeCache("PersistentVolume", lister)
        self.claims: AssumeCache[PersistentVolumeClaim] = AssumeCache("PersistentVolumeClaim", lister)
        self._writer = writer

    def reserve(self, volumes: PodVolumes, node_name: str) -> Reservation:
        reservation = Reservation()
        for volume, claim in volumes.bindings:
            stored = self.volumes.stored(volume.name)
            if stored is not None:
                referring = _referring(volume, claim)
                self.volumes.assume(referring)
                reservation.bindings.append(Binding(stored, referring, claim))
        for claim in volumes.provisions:
            stored_claim = self.claims.stored(claim.key)
            if stored_claim is not None:
                selected = copy.copy(claim)
                selected.annotations = {**claim.annotations, SELECTED_NODE: node_name}
                self.claims.assume(selected)
                reservation.provisions.append(Provision(stored_claim, selected))
        return reservation

    def give_back(self, reservation: Reservation) -> None:
        for binding in reservation.bindings:
            self.volumes.restore(binding.volume.key)
        for provision in reservation.provisions:
            self.claims.restore(provision.claim.key)

    def bind(self, reservation: Reservation) -> Status:
        """Write the reservation, or return an error without writing anything if an object has changed since."""
        problem = self._changed(reservation)
        if problem:
            return Status.error(problem)
        for binding in reservation.bindings:
            claim = self.claims.stored(binding.claim.key)
            # Two volumes of the pod may name one PVC; the PV controller releases the later one.
            if claim is not None and claim.volume_name in ("", binding.volume.name):
                self._writer.update(_bound_volume(binding.volume))
                self._writer.update(_bound_claim(claim, binding.volume.name))
        for provision in reservation.provisions:
            if provision.claim.annotations != provision.stored.annotations:
                self._writer.update(provision.claim)
        self.give_back(reservation)
        return SUCCESS

    def _changed(self, reservation: Reservation) -> str:
        for binding in reservation.bindings:
            now = self.volumes.stored(binding.stored.key)
            if now is not binding.stored:
                return (GONE if now is None else CHANGED).format("persistentvolumes", binding.stored.name)
            if self.claims.stored(binding.claim.key) is None:
                return CLAIM_GONE.format(binding.claim.key)
        for provision in reservation.provisions:
            claim = self.claims.stored(provision.stored.key)
            if claim is not provision.stored:
                return (GONE if claim is None else CHANGED).format("persistentvolumeclaims", provision.stored.name)
        return ""


def _referring(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """Return the volume reserved for exactly this PVC. Source: GetBindVolumeToClaim."""
    referring = copy.copy(volume)
    referring.claim_ref = (claim.namespace, claim.name, claim.uid)
    if not is_reserved_for(volume, claim):
        referring.annotations = {**volume.annotations, BOUND_BY_CONTROLLER: "yes"}
    return referring


def _bound_volume(volume: PersistentVolume) -> PersistentVolume:
    bound = copy.copy(volume)
    bound.phase = "Bound"
    return bound


def _bound_claim(claim: PersistentVolumeClaim, volume_name: str) -> PersistentVolumeClaim:
    """Return the PVC as the PV controller binds it. Source: pkg/controller/volume/persistentvolume bind."""
    bound = copy.copy(claim)
    bound.volume_name = volume_name
    bound.phase = "Bound"
    bound.annotations = {**claim.annotations, BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes"}
    return bound
