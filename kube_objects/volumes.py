"""Volumes of pods."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True, frozen=True)
class PodVolume:
    """`source` is the kind of volume (`persistentVolumeClaim`, `gcePersistentDisk`, …), `spec` that part's JSON."""

    name: str
    source: str
    spec: Mapping[str, object] = field(default_factory=dict, hash=False)
    claim_name: str = ""  # the claim's name: given, or `<pod>-<volume>` for an ephemeral volume
    read_only: bool = False
