"""What all Kubernetes objects share: identity, labels, owners, timestamps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, frozen=True)
class OwnerReference:
    kind: str
    name: str
    uid: str
    api_version: str = ""
    controller: bool = False


@dataclass(slots=True, kw_only=True)
class KubeObject:
    """Base of every object; also the whole of a kind that scheduling does not read.

    `manifest` is the JSON form it was parsed from, as it was given; never changed in place. Two objects are equal if
    all that scheduling reads of them is.

    Timestamps are seconds since the Unix epoch (float), or None.
    """

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owners: tuple[OwnerReference, ...] = ()
    creation_timestamp: float | None = None
    deletion_timestamp: float | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def key(self) -> str:
        """`namespace/name`, or the name alone for cluster-scoped objects; unique within a kind."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def controller(self) -> OwnerReference | None:
        return next((owner for owner in self.owners if owner.controller), None)
