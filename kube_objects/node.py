"""A node: its labels, taints, capacity and images."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kube_objects.meta import KubeObject
from kube_objects.taints import Taint


@dataclass(slots=True, frozen=True)
class ContainerImage:
    names: tuple[str, ...]
    size_bytes: int


@dataclass(slots=True, kw_only=True)
class Node(KubeObject):
    """`allocatable` and `capacity`: resource name → int (cpu in millicores, everything else in its base unit)."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    allocatable: Mapping[str, int] = field(default_factory=dict)
    capacity: Mapping[str, int] = field(default_factory=dict)
    images: tuple[ContainerImage, ...] = ()
    conditions: Mapping[str, str] = field(default_factory=dict)  # type → status, for update events only
    declared_features: tuple[str, ...] = ()
